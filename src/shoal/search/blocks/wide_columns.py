"""The first columns of a table that is too wide to be packed into one integer: settled from the records themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Codes, Keys, Sizes
    from shoal.data.hierarchies.hierarchy import Hierarchy
    from shoal.search.lattice import Node


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What is left of the distinct records when the first columns are settled, small classes left out.

    Attributes:
        rows: The records, ascending.
        label: The class of each of them.
        codes: For each settled column the code of each class at its level.
        classes: How many classes there are.
    """

    rows: Keys
    label: Keys
    codes: tuple[Keys, ...]
    classes: int


class WideColumns:
    """Settles the first columns of a table; the last prefix of every length is kept, so neighbors share them.

    Args:
        columns: The leaf codes of these columns, in the order in which they are settled.
        hierarchies: Their hierarchies.
        sizes: How many records each distinct one stands for.
        least: Classes of fewer records are dropped.
        everything: All records before a column is settled.
    """

    def __init__(
        self,
        columns: Sequence[Codes],
        hierarchies: Sequence[Hierarchy],
        sizes: Sizes,
        least: int,
        everything: Settled,
    ) -> None:
        self._columns, self._hierarchies, self._sizes, self._least = columns, hierarchies, sizes, least
        self._kept: list[tuple[Node, Settled]] = [((), everything)]

    def at(self, prefix: Node) -> Settled:
        """The classes of a prefix."""
        del self._kept[len(prefix) + 1 :]
        while self._kept[-1][0] != prefix[: len(self._kept) - 1]:
            self._kept.pop()
        while len(self._kept) <= len(prefix):
            depth = len(self._kept) - 1
            self._kept.append((prefix[: depth + 1], self._refined(self._kept[-1][1], depth, prefix[depth])))
        return self._kept[-1][1]

    def _refined(self, at: Settled, depth: int, of_column: int) -> Settled:
        """Settle one more column."""
        level = self._hierarchies[depth].levels[of_column]
        if level.size == 1 or not at.classes:
            return Settled(at.rows, at.label, (*at.codes, np.zeros(at.classes, dtype=np.int64)), at.classes)
        keys = at.label * level.size
        keys += level.codes.take(self._columns[depth].take(at.rows))
        label, classes = grouping.compact(keys, at.classes * level.size)
        enough = grouping.totals(label, classes, self._sizes.take(at.rows)) >= self._least
        key = keys.take(grouping.members(label, classes))[enough]
        rows, left = at.rows, int(enough.sum())
        if left < classes:
            stays = np.flatnonzero(enough.take(label))
            number = np.cumsum(enough) - 1
            rows, label = rows.take(stays), number.take(label.take(stays))
        parent = key // level.size
        return Settled(rows, label, (*(of.take(parent) for of in at.codes), key - parent * level.size), left)
