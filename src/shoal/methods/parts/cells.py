"""Cells of local recodings: records as numbered values, what a cell costs, and how the cells of classes are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Nodes
from shoal.data.shown import Shown, Spans, TreeNodes, ValueSets
from shoal.errors import ParameterError
from shoal.kernels import grouping
from shoal.methods.parts.publish import Publish
from shoal.quality.base import checked_weights

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.encoded import EncodedTable
    from shoal.data.partition import Partition
    from shoal.kernels.cell_prices import Prices

_ONE_INTEGER = 62
"""Sets of no more possible values are told apart as integers."""

_SPAN, _SET, _NODE = 0, 1, 2  # as in kernels.cell_prices, which is imported only when something is compiled


def require_passes(passes: int) -> None:
    """Records are tried no less often than never."""
    if passes < 0:
        raise ParameterError(f"passes must be a whole number, 0 or more; got {passes!r}.")


def require_weights(weights: Mapping[str, float]) -> None:
    """Refuse weights that no table could use; unknown columns are refused once the table is known."""
    for name, weight in weights.items():
        if weight < 0:
            raise ParameterError(f"the weight of {name!r} must be 0 or more; got {weight:g}.")


class Rows(NamedTuple):
    """Rows class by class: which row, its class, and where each class starts; classes are numbered without gaps."""

    source: Keys
    label: Keys
    starts: Keys

    @staticmethod
    def of(source: Keys, label: Keys) -> Rows:
        """Put the rows of each class together."""
        order = np.argsort(label, kind="stable")
        sorted_label = label[order]
        return Rows(source[order], sorted_label, np.flatnonzero(np.diff(sorted_label, prepend=-1)))


class Ranges(NamedTuple):
    """Per class the lowest and highest value of one column; for a column shown as sets, how many different ones."""

    low: Keys
    high: Keys
    different: Keys


@dataclass(frozen=True, eq=False)
class Cells:
    """The quasi-identifiers of a table, ready for methods that decide class by class.

    Attributes:
        table: The table.
        codes: `codes[row, column]`: values that occur, numbered 0, 1, … along the leaves.
        leaves: The leaf of each value, per column.
        kinds: How each column is shown.
        weights: How much each column counts.
    """

    table: EncodedTable
    codes: Nodes
    leaves: tuple[Keys, ...]
    kinds: tuple[int, ...]
    weights: Floats

    @staticmethod
    def of(table: EncodedTable, publish: Publish, weights: Mapping[str, float]) -> Cells:
        """Number the values that occur."""
        attributes = table.quasi_identifiers
        kinds = tuple(_kind(attribute, publish) for attribute in attributes)
        codes = np.empty((len(table.counts), len(attributes)), dtype=np.int32)
        leaves = []
        for j, attribute in enumerate(attributes):
            leaf = np.flatnonzero(table.marginal(attribute.name) > 0)
            number = np.zeros(attribute.domain.size, dtype=np.int32)
            number[leaf] = np.arange(len(leaf))
            codes[:, j] = number[table.counts.column(attribute.name)]
            leaves.append(leaf)
        return Cells(table, codes, tuple(leaves), kinds, checked_weights(weights, table))

    @property
    def is_by_nodes(self) -> bool:
        """Whether cells are shown as nodes of hierarchies."""
        return self.kinds[0] == _NODE

    @property
    def widest(self) -> int:
        """The most values a column has."""
        return max(len(leaf) for leaf in self.leaves)

    @cached_property
    def scales(self) -> Floats:
        """What one further leaf in a cell of each column costs."""
        leaves = [attribute.domain.size for attribute in self.table.quasi_identifiers]
        return np.array([w / (n - 1) if n > 1 else 0.0 for w, n in zip(self.weights, leaves, strict=True)])

    @cached_property
    def prices(self) -> Prices:
        """What cells cost, for compiled kernels."""
        from shoal.kernels.cell_prices import Prices

        attributes = self.table.quasi_identifiers
        asked = [a.hierarchy if kind == _NODE else None for a, kind in zip(attributes, self.kinds, strict=True)]
        none = np.zeros(0, dtype=np.int32)  # a range or a set costs the same whatever the hierarchy
        return Prices(
            np.array(self.kinds, dtype=np.int64),
            self.scales,
            np.concatenate(self.leaves),
            np.cumsum([0, *(len(leaf) for leaf in self.leaves)])[:-1],
            np.concatenate([none if h is None else h.parent for h in asked]),
            np.concatenate([none if h is None else h.first for h in asked]),
            np.concatenate([none if h is None else h.leaf_count for h in asked]),
            np.cumsum([0, *(0 if h is None else len(h.parent) for h in asked)])[:-1],
            np.array([attribute.domain.size for attribute in attributes], dtype=np.int64),
        )

    def ranges(self, column: int, rows: Rows) -> Ranges:
        """What the rows of each class span in one column."""
        values = self.codes[rows.source, column]
        if self.kinds[column] != _SET:
            low, high = np.minimum.reduceat(values, rows.starts), np.maximum.reduceat(values, rows.starts)
            return Ranges(low, high, np.ones(len(low), dtype=np.int64))
        _, value, starts = self._present(column, rows)
        return Ranges(value[starts[:-1]], value[starts[1:] - 1], np.diff(starts))

    def _present(self, column: int, rows: Rows) -> tuple[Keys, Keys, Keys]:
        """The values that occur in each class: labels and values in ascending order, and where each class starts."""
        width = len(self.leaves[column])
        keys = rows.label * width + self.codes[rows.source, column]
        keys.sort()  # numbers that are nearly in order already: much faster than `unique`, which hashes them
        label, value = np.divmod(keys[np.diff(keys, prepend=-1) > 0], width)
        return label, value, np.searchsorted(label, np.arange(len(rows.starts) + 1))

    def costs(self, column: int, ranges: Ranges) -> Floats:
        """The price of each cell with such a range."""
        leaf, kind = self.leaves[column], self.kinds[column]
        if kind == _SET:
            return np.asarray(self.scales[column] * (ranges.different - 1))
        if kind == _SPAN:
            return np.asarray(self.scales[column] * (leaf[ranges.high] - leaf[ranges.low]))
        hierarchy = self.table.quasi_identifiers[column].hierarchy
        return np.asarray(self.scales[column] * (hierarchy.leaf_count[self.nodes(column, ranges)] - 1))

    def spent(self, source: Keys, label: Keys) -> Floats:
        """What each of some records costs in its class, if records of rows `source` have classes `label`: 0…G−1."""
        rows = Rows.of(source, label)
        return np.asarray(sum(self.costs(j, self.ranges(j, rows)) for j in range(len(self.leaves))))[label]

    def nodes(self, column: int, ranges: Ranges) -> Nodes:
        """The lowest node of the hierarchy over each range."""
        leaf = self.leaves[column].astype(np.int32)
        return self.table.quasi_identifiers[column].hierarchy.common_ancestor(leaf[ranges.low], leaf[ranges.high])

    def loss(self, partition: Partition, shown: Mapping[str, tuple[Shown, Codes]] | None = None) -> float:
        """The weighted mean price of a published cell, 0 to 1: the loss metric LM; `shown` if it is known already."""
        shown = self.shown(partition) if shown is None else shown
        spent = [self._entry_costs(j, entries)[entry] for j, (entries, entry) in enumerate(shown.values())]
        return self.mean(float((sum(spent) * partition.totals).sum()))

    def _entry_costs(self, column: int, entries: Shown) -> Floats:
        """The price of a cell with each entry."""
        match entries:
            case ValueSets():
                further = np.diff(entries.starts) - 1
            case Spans():
                further = entries.last - entries.first
            case TreeNodes():
                further = self.table.quasi_identifiers[column].hierarchy.leaf_count[entries.nodes] - 1
            case _:
                raise AssertionError("cells are shown as sets, ranges or nodes")
        return np.asarray(self.scales[column] * further)

    def mean(self, spent: float) -> float:
        """What all cells together cost, as the weighted mean of a cell."""
        return spent / (float(self.weights.sum()) * max(self.table.total, 1))

    def shown(self, partition: Partition) -> dict[str, tuple[Shown, Codes]]:
        """What is published for each class: per column the entries, and which of them each class gets."""
        rows = Rows.of(partition.source, partition.label)
        return {a.name: self.column_shown(j, rows) for j, a in enumerate(self.table.quasi_identifiers)}

    def column_shown(self, column: int, rows: Rows) -> tuple[Shown, Codes]:
        """The entries of one column, and which of them each class gets."""
        leaf, kind = self.leaves[column], self.kinds[column]
        if kind == _SET:
            return self._sets(column, rows)
        ranges = self.ranges(column, rows)
        if kind == _NODE:
            nodes, entry = np.unique(self.nodes(column, ranges), return_inverse=True)
            return TreeNodes(nodes), entry
        spans, entry = np.unique(ranges.low.astype(np.int64) * len(leaf) + ranges.high, return_inverse=True)
        low, high = np.divmod(spans, len(leaf))
        return Spans(leaf[low], leaf[high]), entry

    def _sets(self, column: int, rows: Rows) -> tuple[ValueSets, Codes]:
        """Equal sets are one entry."""
        label, value, starts = self._present(column, rows)
        entry, one = _numbered_sets(label, value, len(rows.starts))
        sizes = np.diff(starts)[one]
        ends = np.cumsum(sizes)
        positions = np.arange(int(ends[-1])) + np.repeat(starts[one] - (ends - sizes), sizes)
        return ValueSets(np.concatenate([[0], ends]), self.leaves[column][value[positions]]), entry


def _numbered_sets(label: Keys, value: Keys, sets: int) -> tuple[Codes, Keys]:
    """Number sets so that equal ones share a number: the number of each set, and for each number one set that has it.

    A set of few possible values is one integer, and these are counted. Else a set is the words of 64 bits in which it
    has any, and those that begin alike are followed together, word by word: room is needed for the values that sets
    have, not for all that they could have.

    Args:
        label: The set of each value, 0…sets−1, ascending; none is empty.
        value: The values, ascending in each set.
        sets: How many sets there are.
    """
    values = int(value.max(initial=0)) + 1
    if values <= _ONE_INTEGER:
        starts = np.flatnonzero(np.diff(label, prepend=-1))
        entry, found = grouping.compact(np.bitwise_or.reduceat(np.int64(1) << value, starts), 1 << values)
        return entry, grouping.members(entry, found)
    wide = (values - 1) // 64 + 1
    at = label * wide + value // 64
    firsts = np.flatnonzero(np.diff(at, prepend=-1))
    owner, place = np.divmod(at[firsts], wide)
    bits = np.bitwise_or.reduceat(np.uint64(1) << (value % 64).astype(np.uint64), firsts)
    different, bits_number = np.unique(bits, return_inverse=True)
    different, word = np.unique(place * len(different) + bits_number, return_inverse=True)
    starts = np.searchsorted(owner, np.arange(sets + 1))
    entry, ones, found = np.empty(sets, dtype=np.int64), [], 0
    left, alike, words = np.arange(sets), np.zeros(sets, dtype=np.int64), 0
    while len(left):
        _, alike = np.unique(alike * len(different) + word[starts[left] + words], return_inverse=True)
        words += 1
        is_whole = starts[left] + words == starts[left + 1]
        _, one, number = np.unique(alike[is_whole], return_index=True, return_inverse=True)
        entry[left[is_whole]] = found + number
        ones.append(left[is_whole][one])
        found += len(one)
        left, alike = left[~is_whole], alike[~is_whole]
    return entry, np.concatenate(ones)


def _kind(attribute: Attribute, publish: Publish) -> int:
    """Nodes of hierarchies, or free ranges of ordered values and sets of others."""
    if publish is Publish.NODES:
        return _NODE
    return _SPAN if attribute.domain.ordered else _SET
