"""How large the classes of coarse nodes are, added up from those of a finer one that was counted once.

A node whose columns have few values in all is a small table of counts with one axis for each column. The classes of
every node above it are sums of its cells, so that a search which looks at many nodes of one corner of the lattice
passes over the records once, and over some hundred cells after that.
"""

from __future__ import annotations

from math import prod

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.search.lattice import Node, NodeClasses

_MOST_CUBES = 32
"""Of more the oldest are forgotten: to look through them would take as long as counting."""
_MOST_CELLS = 1 << 16


class Cubes:
    """Counts of records at some nodes of a lattice.

    Args:
        classes: The table; records of a person are not linked.
    """

    def __init__(self, classes: NodeClasses) -> None:
        self._classes = classes
        self._hierarchies = [attribute.hierarchy for attribute in classes.table.quasi_identifiers]
        self._widths = [[level.size for level in hierarchy.levels] for hierarchy in self._hierarchies]
        self._most_cells = min(len(classes.table.counts), _MOST_CELLS)
        self._counted: dict[Node, Floats] = {}
        self._starts: dict[tuple[int, int, int], Keys] = {}

    def sizes(self, node: Node, lo: Node) -> Floats:
        """How many records each class of a node has, in no order, empty ones among them.

        Args:
            node: The node.
            lo: The finest node that is of interest below it: what is counted now for others to come.
        """
        for finer in reversed(self._counted):
            if all(map(int.__le__, finer, node)):
                return self._added_up(finer, node)
        if self._cells(lo) > self._most_cells:
            return self._classes.at(node).tally
        if len(self._counted) == _MOST_CUBES:
            del self._counted[next(iter(self._counted))]
        shape = [width for i in self._classes.order if (width := self._widths[i][lo[i]]) > 1]
        self._counted[lo] = self._classes.at(lo).tally.reshape(shape)
        return self._added_up(lo, node)

    def _cells(self, node: Node) -> int:
        return prod(widths[level] for widths, level in zip(self._widths, node, strict=True))

    def _added_up(self, finer: Node, node: Node) -> Floats:
        counts, axis = self._counted[finer], 0
        for i in self._classes.order:
            if self._widths[i][finer[i]] == 1:
                continue
            if self._widths[i][node[i]] == 1:
                counts = counts.sum(axis=axis)
                continue
            if node[i] > finer[i]:
                counts = np.add.reduceat(counts, self._first(i, finer[i], node[i]), axis=axis)
            axis += 1
        return counts

    def _first(self, column: int, finer: int, level: int) -> Keys:
        """Where the classes of a column at a level begin among those at a finer one; kept."""
        key = (column, finer, level)
        if key not in self._starts:
            starts = self._hierarchies[column].starts
            self._starts[key] = np.searchsorted(starts[finer], starts[level])
        return self._starts[key]
