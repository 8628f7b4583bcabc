"""Whether classes may be published, asked while they are still being made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Keys, Mask, Nodes, Sizes
from shoal.criteria import Criterion, KAnonymity, LKCPrivacy, are_class_sizes
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.errors import ParameterError
from shoal.kernels import grouping
from shoal.methods.parts.class_request import unmet_by_one_class

if TYPE_CHECKING:
    from shoal.errors import InfeasibleError


class Judge:
    """The criteria of a request on a table of which nothing will be suppressed.

    A criterion that compares with the published table compares with the whole one, whichever classes are asked about.
    """

    def __init__(self, table: EncodedTable, criteria: Sequence[Criterion]) -> None:
        if any(isinstance(criterion, LKCPrivacy) for criterion in criteria):
            raise ParameterError(
                "lkc-privacy is about groups of classes, and this method judges them one by one; ask for it with "
                "pais, tds or a full-domain method."
            )
        names = [attribute.name for attribute in table.sensitive]
        self._table, self._criteria, self._names = table, tuple(criteria), names
        self._combination, self._combinations = table.counts.group(names)
        self._one = grouping.members(self._combination, self._combinations)
        self._totals = grouping.totals(self._combination, self._combinations, table.counts.sizes)
        sizes = [criterion.k for criterion in criteria if isinstance(criterion, KAnonymity)]
        self.k = max([1, *sizes])
        """No class below this size is admissible."""

    @property
    def is_size_alone(self) -> bool:
        """Whether a class is judged by its size and nothing else."""
        return are_class_sizes(self._criteria)

    def unmet(self) -> InfeasibleError | None:
        """Why not even the whole table as one class is admissible; None if it is."""
        everything = np.zeros(len(self._table.counts), dtype=np.int64)
        return unmet_by_one_class(self._criteria, Classes(self._table, everything, 1, _no_nodes))

    def admissible(self, rows: Keys, labels: Keys, groups: int, sizes: Sizes) -> Mask:
        """Which classes meet all criteria; class `labels[i]` holds `sizes[i]` records of row `rows[i]`."""
        counts = self._table.counts
        enough = grouping.totals(labels, groups, sizes) >= self.k
        if self.is_size_alone or not enough.any():
            return enough
        combination = self._combination[rows]
        others = self._totals - grouping.totals(combination, self._combinations, sizes)  # in a class of their own
        left = np.flatnonzero(others > 0)
        rows = self._one[np.concatenate([combination, left])]
        columns = tuple(counts.column(name)[rows] for name in self._names)
        cardinalities = tuple(counts.cardinality(name) for name in self._names)
        divided = Counts(tuple(self._names), columns, cardinalities, np.concatenate([sizes, others[left]]))
        keys = np.concatenate([labels, np.full(len(left), groups)])
        classes = Classes(EncodedTable(self._table.sensitive, divided), keys, groups + 1, _no_nodes)
        everything = np.ones(len(classes), dtype=np.bool_)
        for criterion in self._criteria:
            enough &= ~criterion.violations(classes, everything)[:groups]
        return enough


def _no_nodes(attribute: int, rows: Keys) -> Nodes:
    del attribute, rows
    raise AssertionError("classes that are still being made have no nodes")
