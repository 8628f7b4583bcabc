"""Equivalence classes: the records that look alike once the quasi-identifiers are recoded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Keys, Nodes, Sizes
    from shoal.data.encoded import EncodedTable

RowNodes: TypeAlias = "Callable[[int, Keys], Nodes]"


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a table under one recoding, suppressed ones still among them.

    Attributes:
        table: The table they are classes of.
        labels: The class of each distinct record, 0…G−1.
        sizes: How many records each class has.
        row_nodes: `row_nodes(i, rows)` gives the nodes that stand for quasi-identifier i in some distinct records.
    """

    table: EncodedTable
    labels: Keys
    sizes: Sizes
    row_nodes: RowNodes

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def total(self) -> int:
        """Number of records in all classes."""
        return self.table.total

    @cached_property
    def _members(self) -> Keys:
        return grouping.representatives(self.labels, len(self))

    def nodes(self, attribute: int, which: Keys | slice = slice(None)) -> Nodes:
        """The node of quasi-identifier number `attribute` in each class, or in the classes `which`."""
        return self.row_nodes(attribute, self._members[which])

    def histogram(self, column: str) -> Sizes:
        """`histogram[g, v]`: how many records of class g carry the value v of a column that is not recoded."""
        counts = self.table.counts
        width = counts.cardinality(column)
        cells = np.bincount(
            self.labels * width + counts.column(column), weights=counts.sizes, minlength=len(self) * width
        )
        return cells.reshape(len(self), width).astype(np.int64)
