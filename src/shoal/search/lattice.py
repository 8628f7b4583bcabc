"""The generalization lattice: one node per combination of levels, and the classes of a table at a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from shoal.data.classes import Classes
from shoal.data.recoding import FullDomain
from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Codes, Keys, Nodes
    from shoal.data.encoded import EncodedTable

Node: TypeAlias = tuple[int, ...]
"""A level per quasi-identifier."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """All combinations of levels, ordered by levels column by column."""

    heights: tuple[int, ...]

    @staticmethod
    def of(table: EncodedTable) -> Lattice:
        """The lattice of a table's quasi-identifiers."""
        return Lattice(tuple(attribute.hierarchy.height for attribute in table.quasi_identifiers))

    @property
    def size(self) -> int:
        """Number of nodes."""
        return prod(height + 1 for height in self.heights)

    @property
    def bottom(self) -> Node:
        """Nothing generalized."""
        return (0,) * len(self.heights)

    @property
    def top(self) -> Node:
        """Everything generalized."""
        return self.heights

    def __iter__(self) -> Iterator[Node]:
        """All nodes, the last column fastest."""
        return product(*(range(height + 1) for height in self.heights))

    def successors(self, node: Node) -> list[Node]:
        """The nodes one level coarser in one column."""
        return [(*node[:i], level + 1, *node[i + 1 :]) for i, level in enumerate(node) if level < self.heights[i]]

    def predecessors(self, node: Node) -> list[Node]:
        """The nodes one level finer in one column."""
        return [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level > 0]


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The classes of a table at any node of its lattice.

    The columns of every (quasi-identifier, level) are looked up once and kept; a node then costs one pass to pack them
    and one to count.
    """

    table: EncodedTable

    @cached_property
    def lattice(self) -> Lattice:
        """The lattice of the table."""
        return Lattice.of(self.table)

    @cached_property
    def _columns(self) -> list[list[Codes | None]]:
        return [[None] * (height + 1) for height in self.lattice.heights]

    @cached_property
    def _leaf_codes(self) -> list[Codes]:
        return [self.table.counts.column(a.name) for a in self.table.quasi_identifiers]

    def _column(self, attribute: int, level: int) -> Codes:
        column = self._columns[attribute][level]
        if column is None:
            lookup = self.table.quasi_identifiers[attribute].hierarchy.levels[level].codes
            column = self._columns[attribute][level] = lookup[self._leaf_codes[attribute]]
        return column

    def at(self, node: Node) -> Classes:
        """The classes at a node."""
        attributes = self.table.quasi_identifiers
        columns = [self._column(i, level) for i, level in enumerate(node)]
        sizes = [a.hierarchy.levels[level].size for a, level in zip(attributes, node, strict=True)]
        labels, groups = grouping.group(columns, sizes, len(self.table.counts))

        def row_nodes(attribute: int, rows: Keys) -> Nodes:
            return attributes[attribute].hierarchy.up[node[attribute]][self._leaf_codes[attribute][rows]]

        return Classes(self.table, labels, grouping.totals(labels, groups, self.table.counts.sizes), row_nodes)

    def recoding(self, node: Node) -> FullDomain:
        """The node as a recoding."""
        names: Sequence[str] = [attribute.name for attribute in self.table.quasi_identifiers]
        return FullDomain(dict(zip(names, node, strict=True)))
