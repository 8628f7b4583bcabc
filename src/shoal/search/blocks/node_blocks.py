"""Blocks of one node each, for tables that are too wide to be refined: many columns, or domains of many thousands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from shoal.search.blocks import refining
from shoal.search.blocks.bundles import Lineage
from shoal.search.blocks.refinement import Axis, Block, Suffix
from shoal.search.lattice import Node, NodeClasses

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable


class NodeBlocks:
    """The same as `Refinement`, every node counted by itself; only the column `last` is an axis."""

    def __init__(self, table: EncodedTable, *, last: int | None = None) -> None:
        self._classes, self._last = NodeClasses(table, last=last), last
        self.order = self._classes.order
        self.depth = len(self.order) - int(last is not None)
        self._hierarchies = [attribute.hierarchy for attribute in table.quasi_identifiers]
        self._codes = [table.counts.column(attribute.name) for attribute in table.quasi_identifiers]

    def split(self, node: Node) -> tuple[Node, Node]:
        """The levels of all columns but the last, and its level."""
        levels = tuple(node[i] for i in self.order)
        return levels[: self.depth], levels[self.depth :]

    def suffix(self, levels: tuple[tuple[int, ...], ...]) -> Suffix:
        """Some levels of the last column."""
        hierarchies = [self._hierarchies[i] for i in self.order[self.depth :]]
        return Suffix(tuple(map(Axis.of, self.order[self.depth :], hierarchies, levels)), hierarchies)

    def blocks(self, prefix: Node, suffix: Suffix) -> Iterator[Block]:
        """The classes under a prefix."""
        levels = dict(zip(self.order, (*prefix, *(0 for _ in suffix.axes)), strict=True))
        node = tuple(levels[i] for i in range(len(self.order)))
        if self._last is None:
            classes = self._classes.at(node)
            members, leaf_cells = classes.members, classes.sizes[None]
        else:
            classes, features = self._classes.at_with_features(node)
            is_new = np.diff(features, prepend=-1) != 0
            members, leaves = classes.members[is_new], self._hierarchies[self._last].leaves
            cells = (np.cumsum(is_new) - 1) * leaves + self._codes[self._last][classes.members].astype(np.int64)
            leaf_cells = refining.by_leaf_cell(cells, classes.sizes, leaves, len(members))
        columns = self.order[: self.depth]
        yield Block(Lineage.of(columns, [classes.row_nodes(i, members) for i in columns]), leaf_cells, suffix, refining)
