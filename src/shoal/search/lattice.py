"""The generalization lattice: one node per combination of levels, and the classes of a table at a node."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shoal.data.classes import Classes
from shoal.data.people.sequences import parted
from shoal.data.recoding import FullDomain
from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Codes, Keys, Nodes
    from shoal.data.encoded import EncodedTable

_WIDE_ROWS = 1 << 17
"""Up to so many records, columns are kept in the width of the keys they are added to; beyond, memory counts more."""

_KEPT_BYTES = 1 << 26
"""How many bytes of keys halfway to a node are kept: a search by bounds leaps from one end of a lattice to another."""

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

    def levels(self, fixed: Node | None = None) -> list[range]:
        """The levels that each column may have.

        `fixed` has for each column the level it must stay at, or −1; below −1 a floor: −1 − n for level n or coarser.
        """
        if fixed is None:
            return [range(height + 1) for height in self.heights]
        return [
            range(at, at + 1) if at >= 0 else range(-1 - at, height + 1)
            for height, at in zip(self.heights, fixed, strict=True)
        ]

    def predecessors(self, node: Node) -> list[Node]:
        """The nodes one level finer in one column."""
        return [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level > 0]


def _with_population(table: EncodedTable, name: str) -> Codes:
    """The codes of a column, those of the population behind those of the table, so that both are recoded alike."""
    codes = table.counts.column(name)
    return codes if table.population is None else np.concatenate([codes, table.population.column(name)])


class NodeClasses:
    """The classes of a table at any node of its lattice from `floor` up.

    The column of every (quasi-identifier, level) is looked up once and kept. Columns are packed into keys one after the
    other, the widest domain first, and the keys of the last node are kept too: a node that differs from it only in
    narrow columns is packed from where they part. So are those of nodes before it, as far as the middle. `above` merges
    what is equal at a node, so that coarser nodes have fewer records to pass over.
    """

    def __init__(self, table: EncodedTable, floor: Node | None = None, last: int | None = None) -> None:
        self.table = table
        self.floor = Lattice.of(table).bottom if floor is None else floor
        attributes = table.quasi_identifiers
        self.order = sorted(range(len(attributes)), key=lambda i: (i == last, -attributes[i].hierarchy.leaves))
        self._levels = [attribute.hierarchy.levels for attribute in attributes]
        self._widths = [[level.size for level in levels] for levels in self._levels]
        self._leaf_codes = [_with_population(table, a.name) for a in attributes]
        self._records, self._rows = len(table.counts), len(table.counts) + len(table.population or ())
        self._columns: dict[tuple[int, int], Codes] = {}
        self._trail: list[tuple[int, Keys | None, int]] = []
        self._middle = len(attributes) // 2
        self._halfway: OrderedDict[Node, tuple[Keys, int]] = OrderedDict()

    def at(self, node: Node) -> Classes:
        """The classes at a node; where records of a person are linked, divided by the sequences they are in."""
        keys, domain = self._pack(node)
        attributes = self.table.quasi_identifiers

        def row_nodes(attribute: int, rows: Keys) -> Nodes:
            nodes: Nodes = attributes[attribute].hierarchy.up[node[attribute]][self._leaf_codes[attribute][rows]]
            return nodes

        if self.table.is_linked:
            assert self.table.persons is not None
            keys, domain = parted(self.table.persons, keys, domain)
        if self.table.population is None:
            return Classes(self.table, keys, domain, row_nodes)
        return Classes(self.table, keys[: self._records], domain, row_nodes, outside=keys[self._records :])

    def at_with_features(self, node: Node) -> tuple[Classes, Keys]:
        """The classes at a node, and for each class a key of all its columns but the one that is packed last.

        Classes are numbered in the order of their keys, so those that share all other columns are neighbors.
        """
        classes = self.at(node)
        keys = self._trail[-2][1]
        assert keys is not None, "what is kept halfway is not that far"
        return classes, keys.take(classes.members)

    def _pack(self, node: Node) -> tuple[Keys, int]:
        keys, domain = self._shared(node)
        records = self._rows
        for i in self.order[len(self._trail) :]:
            keys, domain = grouping.extend(keys, domain, self.column(i, node[i]), self._widths[i][node[i]])
            self._trail.append((node[i], keys, domain))
            if len(self._trail) == self._middle:
                self._keep_halfway(tuple(level for level, _, _ in self._trail), keys, domain)
        if domain > grouping.dense_limit(records):
            keys, domain = grouping.compact(keys, domain)
            self._trail[-1] = (node[self.order[-1]], keys, domain)
        return keys, domain

    def _shared(self, node: Node) -> tuple[Keys, int]:
        """Cut the trail where a node leaves it, or begin it halfway where that is known; the keys there."""
        shared = 0
        while shared < len(self._trail) and self._trail[shared][0] == node[self.order[shared]]:
            shared += 1
        del self._trail[shared:]
        if shared < self._middle:
            levels = tuple(node[i] for i in self.order[: self._middle])
            halfway = self._halfway.get(levels)
            if halfway is not None:
                self._halfway.move_to_end(levels)
                self._trail = [*((level, None, 0) for level in levels[:-1]), (levels[-1], *halfway)]
        while self._trail and self._trail[-1][1] is None:
            del self._trail[-1]
        if not self._trail:
            return np.zeros(self._rows, dtype=np.int64), 1
        _, keys, domain = self._trail[-1]
        assert keys is not None
        return keys, domain

    def _keep_halfway(self, levels: Node, keys: Keys, domain: int) -> None:
        self._halfway[levels] = keys, domain
        while len(self._halfway) * keys.nbytes > _KEPT_BYTES:
            self._halfway.popitem(last=False)

    def column(self, attribute: int, level: int) -> Codes:
        """The class of each distinct record in one column at one level; kept."""
        column = self._columns.get((attribute, level))
        if column is None:
            lookup = self._levels[attribute][level].codes
            if len(self._leaf_codes[attribute]) <= _WIDE_ROWS:
                lookup = lookup.astype(np.int64)
            column = self._columns[attribute, level] = lookup.take(self._leaf_codes[attribute])
        return column

    def side_by_side(self, node: Node) -> tuple[Keys, list[int]]:
        """The class of each distinct record in all columns at a node, numbered through; and where columns end."""
        ends = [*accumulate(widths[level] for widths, level in zip(self._widths, node, strict=True))]
        columns = [self.column(i, level) for i, level in enumerate(node)]
        return np.stack(columns, axis=1) + np.array([0, *ends[:-1]]), ends

    def above(self, node: Node) -> NodeClasses:
        """The same for nodes from `node` up, on fewer records."""
        raised = [i for i, level in enumerate(node) if level > self.floor[i]]
        names = [self.table.quasi_identifiers[i].name for i in raised]
        return NodeClasses(self.table.coarsened({name: node[i] for name, i in zip(names, raised, strict=True)}), node)

    def recoding(self, node: Node) -> FullDomain:
        """The node as a recoding."""
        return FullDomain(dict(zip((a.name for a in self.table.quasi_identifiers), node, strict=True)))
