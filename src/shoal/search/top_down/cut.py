"""A cut that grows: from "any value" downwards, one specialization after the other, and the groups of records it makes.

Shared by the methods that specialize from the top: DiffGen, top-down specialization, PAIS. A column whose values have a
taxonomy follows it; a column of numbers or days is cut in two wherever a point of its declared grid lies, so that its
values are intervals that no hierarchy knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Sizes
from shoal.data.attribute import Attribute
from shoal.data.domain import Dates, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.recoding import Cut, Lookup
from shoal.kernels import grouping

_NO_NODE = -1


@dataclass(frozen=True, eq=False)
class Axis:
    """The values that one column has in the cut, in the order of their leaves.

    Attributes:
        attribute: The column.
        firsts: The first leaf of each value; it covers the leaves up to the next.
        nodes: The node of the hierarchy that each value is; −1 in a column with an order.
        taxonomy: What is below its nodes; None in a column with an order.
    """

    attribute: Attribute
    firsts: Keys
    nodes: Keys
    taxonomy: _Taxonomy | None

    @staticmethod
    def top(attribute: Attribute) -> Axis:
        """Any value."""
        taxonomy = None if is_ordered(attribute) else _Taxonomy(attribute)
        node = _NO_NODE if taxonomy is None else int(taxonomy.narrowest[attribute.hierarchy.root])
        return Axis(attribute, np.zeros(1, dtype=np.int64), np.array([node], dtype=np.int64), taxonomy)

    def __len__(self) -> int:
        return len(self.firsts)

    @cached_property
    def is_ordered(self) -> bool:
        """Whether values are intervals that are split adaptively."""
        return is_ordered(self.attribute)

    @cached_property
    def lasts(self) -> Keys:
        """The last leaf of each value."""
        return np.asarray(np.append(self.firsts[1:], self.attribute.domain.size) - 1)

    @cached_property
    def tops(self) -> Keys:
        """The last leaf of each value that a record can have."""
        outside = unused_leaf(self.attribute)
        return self.lasts if outside is None else np.where(self.lasts == outside, self.lasts - 1, self.lasts)

    @cached_property
    def splits(self) -> Keys:
        """How many points there are at which each value of a column with an order can be split."""
        return np.asarray(np.maximum(self.tops - self.firsts, 0))

    @cached_property
    def live(self) -> Keys:
        """The values that records can have: all but a place for missing values where there are none."""
        outside = unused_leaf(self.attribute)
        if outside is None or len(self) == 1:
            return np.arange(len(self))
        return np.flatnonzero((self.firsts != outside) | (self.lasts != outside))

    @cached_property
    def branches(self) -> tuple[tuple[Keys, ...], ...]:
        """The nodes one, two, … steps below each value of a column with a taxonomy; nothing below a leaf."""
        taxonomy = self.taxonomy
        return () if taxonomy is None else tuple(map(taxonomy.generations, self.nodes.tolist()))

    @cached_property
    def can_specialize(self) -> Mask:
        """Which values have something below them: two leaves or more that a record can have."""
        return self.splits > 0 if self.is_ordered else np.not_equal(self.firsts, self._last_used)

    @property
    def _last_used(self) -> Keys:
        """The last leaf of each value that a record can have; the first if it has no other."""
        outside = unused_leaf(self.attribute)
        if outside is None:
            return self.lasts
        is_one_left = (self.lasts == self.firsts + 1) & ((self.firsts == outside) | (self.lasts == outside))
        return np.where(is_one_left, self.firsts, self.lasts)

    def child_starts(self, value: int, at: int) -> Keys:
        """The first leaf of each child of a value.

        `at` is the leaf that opens the upper side of a split. In a column with a taxonomy it is −1 for the nodes one
        step below, −2 for those two steps below.
        """
        if at < 0:
            return self.attribute.hierarchy.first[self.branches[value][-at - 1]].astype(np.int64)
        assert self.is_ordered
        assert self.firsts[value] < at <= self.tops[value], "not a point of the grid"
        aside = [self.lasts[value]] if self.tops[value] < self.lasts[value] else []
        return np.array([self.firsts[value], at, *aside], dtype=np.int64)

    def specialized(self, value: int, at: int) -> Axis:
        """The axis with one value replaced by its children."""
        starts = self.child_starts(value, at)
        nodes = np.full(len(starts), _NO_NODE) if at >= 0 else self.branches[value][-at - 1]
        return Axis(
            self.attribute,
            np.concatenate([self.firsts[:value], starts, self.firsts[value + 1 :]]),
            np.concatenate([self.nodes[:value], nodes, self.nodes[value + 1 :]]),
            self.taxonomy,
        )

    def children(self, value: int, at: int) -> int:
        """How many children a record can have."""
        starts = self.child_starts(value, at)
        return len(starts) - int(unused_leaf(self.attribute) in starts)

    def value_of(self, codes: Codes) -> Keys:
        """The number of the value that covers each leaf."""
        return np.searchsorted(self.firsts, codes, side="right") - 1

    def lookup(self) -> Lookup:
        """What becomes of each leaf."""
        widths = self.lasts - self.firsts + 1
        if self.is_ordered:
            return Lookup.of_spans(np.repeat(np.arange(len(self)), widths))
        return Lookup.of_nodes(np.repeat(self.nodes, widths).astype(np.int32))


class GrowingCut:
    """The cut of some columns, and the groups of records that are alike under it.

    Only groups that hold records are kept, so memory is linear in the distinct records; `cells` counts all there are.
    A record without a class has no place in it, nor has one with a value missing where none may be: they must have been
    taken out before (`complete`).

    Attributes:
        axes: One per predictor.
        codes: The leaves of each predictor.
        labels: The class of each distinct record.
        classes: How many classes there are.
        sizes: How often each distinct record occurs.
        group: The group of each distinct record, 0…groups−1.
        groups: How many groups hold records.
        persons: Who has which distinct records, where a person may have several.
    """

    def __init__(self, table: EncodedTable, predictors: Sequence[str], target: str) -> None:
        self.axes = [Axis.top(table[name]) for name in predictors]
        self.codes = [table.counts.column(name) for name in predictors]
        self.labels = np.searchsorted(class_codes(table[target]), table.counts.column(target))
        self.classes = len(class_codes(table[target]))
        self.sizes: Sizes = table.counts.sizes
        self.persons = table.persons
        self.group: Keys = np.zeros(len(table.counts), dtype=np.int64)
        self.groups = min(len(table.counts), 1)

    @property
    def partitions(self) -> int:
        """How many combinations of values there are, empty ones included."""
        return prod(len(axis.live) for axis in self.axes)

    @property
    def cells(self) -> int:
        """How many combinations of values and classes there are, empty ones included."""
        return self.partitions * self.classes

    def partitions_after(self, column: int, value: int, at: int) -> int:
        """How many combinations of values there would be after a specialization."""
        axis = self.axes[column]
        return self.partitions // len(axis.live) * (len(axis.live) - 1 + axis.children(value, at))

    def specialize(self, column: int, value: int, at: int) -> None:
        """Replace a value by its children, and divide the groups that have it."""
        axis = self.axes[column]
        starts = axis.child_starts(value, at)
        codes = self.codes[column]
        child = np.searchsorted(starts, codes, side="right")
        child[(codes < axis.firsts[value]) | (codes > axis.lasts[value])] = 0
        keys = self.group * (len(starts) + 1) + child
        self.group, self.groups = grouping.compact(keys, self.groups * (len(starts) + 1))
        self.axes[column] = axis.specialized(value, at)
        self.__dict__.pop("_members", None)

    @cached_property
    def _members(self) -> Keys:
        return grouping.members(self.group, self.groups)

    def value_of_groups(self, column: int) -> Keys:
        """The number of the value that each group has in a column."""
        return self.axes[column].value_of(self.codes[column][self._members])

    def counts(self) -> Sizes:
        """`counts[group, class]`."""
        cells = grouping.totals(self.group * self.classes + self.labels, self.groups * self.classes, self.sizes)
        return cells.reshape(self.groups, self.classes)

    def smallest(self) -> int:
        """The size of the smallest group, in persons where they are told apart."""
        if self.persons is not None:
            return int(self.persons.heads(self.group, self.groups).min())
        return int(self.counts().sum(axis=1).min())

    def cell_keys(self) -> tuple[Keys, Sizes]:
        """The cells that hold records, numbered in mixed radix by values and class, in order; and their sizes."""
        key = np.zeros(self.groups, dtype=np.int64)
        for column, axis in enumerate(self.axes):
            key = key * len(axis.live) + np.searchsorted(axis.live, self.value_of_groups(column))
        counts = self.counts()
        held = counts > 0
        keys = (key[:, None] * self.classes + np.arange(self.classes))[held]
        order = np.argsort(keys)
        return keys[order], counts[held][order]

    def cell_values(self, keys: Keys) -> tuple[list[Keys], Keys]:
        """The number of the value in each column, and the class, of cells numbered by `cell_keys`."""
        keys, label = np.divmod(keys, self.classes)
        values: list[Keys] = []
        for axis in reversed(self.axes):
            keys, place = np.divmod(keys, len(axis.live))
            values.append(axis.live[place])
        return values[::-1], label

    def recoding(self) -> Cut:
        """The cut as a function of single values; other columns keep theirs."""
        return Cut({axis.attribute.name: axis.lookup() for axis in self.axes})


def is_ordered(attribute: Attribute) -> bool:
    """Whether a column is one of numbers or days, to be split adaptively; names follow their taxonomy."""
    return isinstance(attribute.domain, Grid | Dates)


def unused_leaf(attribute: Attribute) -> int | None:
    """The place for missing values of a column where none may be missing."""
    return attribute.domain.missing if attribute.absorbs else None


def class_codes(target: Attribute) -> Keys:
    """The classes: every value of the target but the missing one."""
    codes = np.arange(target.domain.size)
    return codes if target.domain.missing is None else np.delete(codes, target.domain.missing)


def complete(table: EncodedTable, predictors: Sequence[str], target: str | None) -> EncodedTable:
    """The records that have a class, if there is a target, and a value wherever none may be missing.

    Looks at one record at a time.
    """
    counts = table.counts
    stays = np.ones(len(counts), dtype=np.bool_)
    if target is not None and table[target].domain.missing is not None:
        stays &= counts.column(target) != table[target].domain.missing
    for name in predictors:
        outside = unused_leaf(table[name])
        if outside is not None:
            stays &= counts.column(name) != outside
    return table if stays.all() else table.of_records(stays)


class _Taxonomy:
    """What is below the nodes of a column's hierarchy; told once for each node that is asked for."""

    def __init__(self, attribute: Attribute) -> None:
        hierarchy = attribute.hierarchy
        every = np.arange(len(hierarchy.parent))
        below = np.flatnonzero(hierarchy.parent != every)  # the root is its own parent
        self._children = below[np.lexsort((hierarchy.first[below], hierarchy.parent[below]))]
        self._starts = np.searchsorted(hierarchy.parent[self._children], np.append(every, len(every)))
        self._leaves, self._outside = hierarchy.leaves, unused_leaf(attribute)
        self._known: dict[int, tuple[Keys, ...]] = {}

    @cached_property
    def narrowest(self) -> Keys:
        """The lowest node over the same leaves as each node: where a chain of single children ends."""
        only = np.diff(self._starts) == 1
        below = np.arange(len(only))
        below[only] = self._children[self._starts[:-1][only]]
        narrowest = np.arange(len(only))
        while only[narrowest].any():
            narrowest = below[narrowest]
        return narrowest

    def generations(self, node: int) -> tuple[Keys, ...]:
        """The nodes one step below a node, two steps, and so on down to the leaves; a leaf above stays as it is."""
        if node not in self._known:
            self._known[node] = tuple(self._descend(np.array([node])))
        return self._known[node]

    def _descend(self, nodes: Keys) -> Iterator[Keys]:
        while (nodes >= self._leaves).any():
            nodes = self.narrowest[self._below(nodes)]
            is_outside = self._outside is not None and bool((nodes == self._outside).any())
            if len(nodes) - is_outside > 1:  # else nothing is told apart
                yield nodes

    def _below(self, nodes: Keys) -> Keys:
        """The nodes right under some nodes, in the order of their leaves; leaves stay as they are."""
        is_inner = nodes >= self._leaves
        counts = np.where(is_inner, self._starts[nodes + 1] - self._starts[nodes], 1)
        ends = np.cumsum(counts)
        found = np.repeat(nodes, counts)
        place = np.arange(len(found)) - np.repeat(ends - counts, counts) + np.repeat(self._starts[nodes], counts)
        inner = np.repeat(is_inner, counts)
        found[inner] = self._children[place[inner]]
        return found
