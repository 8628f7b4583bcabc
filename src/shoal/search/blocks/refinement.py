"""Class sizes at many nodes of a lattice, each from the classes of a coarser one, small classes left out.

Columns are settled one after the other, the widest domain first; those not yet settled count as hidden. A class with
fewer records than `least` has only smaller ones below it, so its records are dropped for good; records that have become
equal are merged. What is left of a fine prefix is few records, and what is left of a coarse one is few distinct ones.
The last, narrow columns are settled all at once: a cube of their cells by class, summed up along their levels, holds
the class sizes of every combination of levels. Prefixes are kept as long as memory allows, so neighbors share them.
Where all columns together do not fit into one integer, the widest are settled from the records (`wide_columns`): so few
classes are large enough that the others fit beside them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.earning import are_earned
from shoal.search.blocks import refining
from shoal.search.blocks.bundles import Bundle, Bundles, Lineage, Step
from shoal.search.blocks.wide_columns import Settled, WideColumns

if TYPE_CHECKING:
    from shoal.arrays import Keys, Mask, Nodes, Sizes
    from shoal.data.encoded import EncodedTable
    from shoal.data.hierarchies.hierarchy import Hierarchy, Level
    from shoal.search.blocks.prospects import Prospects
    from shoal.search.lattice import Node

_CELLS = 120
"""How many cells a class may have in the cube of the last columns, all their levels together."""
_CELLS_OF_ALL = 60
"""The same where many nodes are looked at, which share prefixes anyway."""
_CELLS_IN_ONE_PASS = 130
"""The same where they are also added up and priced in one compiled pass."""
_CHUNK = 1 << 20
"""How many cells a cube may have; beyond, it is made for some classes at a time."""
_KEPT_BYTES = 1 << 28
_ARRAY_BYTES = 128
_MANY_VISITS = 2 * 10**8
"""From so many records times prefixes on, in one process, compiled loops earn back the time it takes to load them."""
_LARGEST_TALLY = 1 << 27
_WIDEST = 1 << 52
"""Up to here cells are packed into one integer, and divided by means of doubles."""


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One of the last columns in a cube: the classes of some of its levels, one level after the other.

    Attributes:
        column: Which quasi-identifier.
        levels: The levels.
        starts: Where each of them starts.
        nodes: The node of the hierarchy that each class is.
    """

    column: int
    levels: tuple[int, ...]
    starts: Keys
    nodes: Nodes

    @staticmethod
    def of(column: int, hierarchy: Hierarchy, levels: tuple[int, ...]) -> Axis:
        """Some levels of a hierarchy."""
        starts = [0, *accumulate(hierarchy.levels[level].size for level in levels)][:-1]
        nodes = np.concatenate([hierarchy.levels[level].nodes for level in levels])
        return Axis(column, levels, np.array(starts, dtype=np.int64), nodes)


class Suffix:
    """Some levels of each of the last columns: which leaf cells every cell of their cube is the sum of."""

    def __init__(self, axes: tuple[Axis, ...], hierarchies: Sequence[Hierarchy]) -> None:
        self.axes = axes
        self.shape = tuple(len(axis.nodes) for axis in axes)
        self.combinations = tuple(len(axis.levels) for axis in axes)
        parts = [np.zeros(1, dtype=np.int64)]
        for axis, hierarchy in zip(axes, hierarchies, strict=True):
            leaves = [np.arange(hierarchy.first[n], hierarchy.first[n] + hierarchy.leaf_count[n]) for n in axis.nodes]
            parts = [(part[:, None] * hierarchy.leaves + of_node).ravel() for part in parts for of_node in leaves]
        self.members = np.concatenate(parts)
        self.ends = np.array([*accumulate(map(len, parts))], dtype=np.int64)

    @cached_property
    def combination(self) -> Keys:
        """The number of the combination of levels that each cell of the cube belongs to."""
        found = np.zeros(1, dtype=np.int64)
        for axis in self.axes:
            of_node = np.searchsorted(axis.starts, np.arange(len(axis.nodes)), side="right") - 1
            found = (found[:, None] * len(axis.levels) + of_node).ravel()
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The classes at every combination of some levels of the last columns, under one prefix, or several.

    Attributes:
        settled: The node of each class of the prefix in each of its columns, if it has any.
        leaf_cells: `leaf_cells[leaves of the last columns, class of the prefix]`: its records. Classes of fewer than
            `least` may be missing, or be shown with fewer records than they have, never with more.
        suffix: The levels.
        loops: What adds them up.
        prefix: Where there are several prefixes, the number of the one that each class belongs to, ascending.
    """

    settled: Lineage | None
    leaf_cells: Sizes
    suffix: Suffix
    loops: Loops
    prefix: Keys | None = None

    @property
    def sizes(self) -> Sizes:
        """`[class of an axis, …, class of the prefix]`: its records."""
        summed = self.loops.add_up(self.leaf_cells, self.suffix.members, self.suffix.ends)
        return summed.reshape(*self.suffix.shape, -1)

    @property
    def is_compiled(self) -> bool:
        """Whether compiled loops are loaded, so that whoever scores it may use some, too."""
        return self.loops is not refining

    def by_prefix(self, values: NDArray[Any], prefixes: int) -> NDArray[Any]:
        """Sums over the classes of each prefix, which are the last axis."""
        if self.prefix is None:
            summed: NDArray[Any] = values.sum(axis=-1, keepdims=True)
            return summed
        sums = np.zeros((*values.shape[:-1], prefixes), dtype=values.dtype)
        if len(self.prefix):
            starts = np.flatnonzero(np.diff(self.prefix, prepend=-1))
            sums[..., self.prefix[starts]] = np.add.reduceat(values, starts, axis=-1)
        return sums


class Blocks(Protocol):
    """Where blocks come from: `Refinement`, or one node at a time."""

    order: list[int]
    """The columns in the order in which they are settled."""
    depth: int
    """How many of them form a prefix."""

    def split(self, node: Node) -> tuple[Node, Node]:
        """The levels of the first columns and of the last ones, in the order in which they are settled."""
        ...

    def suffix(self, levels: tuple[tuple[int, ...], ...]) -> Suffix:
        """Some levels of each of the last columns."""
        ...

    def blocks(self, prefix: Node, suffix: Suffix) -> Iterator[Block]:
        """The classes under a prefix at every combination of levels in a suffix; some classes at a time."""
        ...


class Loops(Protocol):
    """What is done to every record: in NumPy (`refining`), or compiled (`refining_compiled`).

    What is made in a numbered room may be overwritten by the next call of the same that names it.
    """

    def take_apart(
        self, cells: Keys, weights: Sizes, rest: int, domain: int, *, room: int | None = None
    ) -> tuple[Keys, Keys, Sizes]:
        """Class and leaf of each cell in one key below `domain`, its other columns, and the records of each key."""
        ...

    def settle(
        self,
        keys: Keys,
        others: Keys,
        weights: Sizes,
        tally: Sizes,
        levels: Sequence[Level],
        least: int,
        rest: int,
        *,
        room: int | None = None,
        wanted: Mask | None = None,
        in_pairs: bool = False,
    ) -> refining.Settled:
        """Settle a column at some levels: the classes that are large enough, and what is left in them."""
        ...

    def by_leaf_cell(self, cells: Keys, weights: Sizes, rest: int, classes: int) -> Sizes:
        """`[leaf cell, class]`: records in each of the `rest` cells of a class."""
        ...

    def add_up(self, leaf_cells: Sizes, members: Keys, ends: Keys) -> Sizes:
        """`[c, class]`: records in the leaf cells `members[ends[c − 1] : ends[c]]`."""
        ...


def blocks_of(
    table: EncodedTable, least: int, *, last: int | None = None, looks: int = 1, one_pass: bool = False
) -> Blocks:
    """The classes of at least `least` records of a table, by the fastest way that is open."""
    if Refinement.wide_columns(table, least, last) is not None:
        return Refinement(table, least, last=last, looks=looks, one_pass=one_pass)
    from shoal.search.blocks.node_blocks import NodeBlocks

    return NodeBlocks(table, last=last)


@dataclass(slots=True, eq=False)
class _Prefix:
    """What is left of the distinct records under the levels of the first columns.

    Attributes:
        cells: `class · rest + the leaf codes of the other columns in mixed radix`.
        weights: How many records each stands for.
        codes: For each settled column the code of each class at its level.
        classes: How many classes there are.
        apart: Once the next column is to be settled: class and leaf of that column in one key, what comes after it,
            and the records by class and leaf.
    """

    cells: Keys
    weights: Sizes
    codes: tuple[Keys, ...]
    classes: int
    apart: tuple[Keys, Keys, Sizes] | None = None

    @property
    def nbytes(self) -> int:
        """With what will be taken apart; an array is something even if nothing is in it."""
        return 4 * self.cells.nbytes + sum(codes.nbytes + _ARRAY_BYTES for codes in self.codes)


class Refinement:
    """The classes of at least `least` records of a table at any nodes of its lattice.

    Args:
        table: The table.
        least: Classes of fewer records are of no interest.
        last: The quasi-identifier that is settled last.
        looks: About how many nodes will be looked at.
        one_pass: Whether whoever looks adds up a cube and prices it in one pass, if loops are compiled.
    """

    def __init__(
        self, table: EncodedTable, least: int, *, last: int | None = None, looks: int = 1, one_pass: bool = False
    ) -> None:
        attributes = table.quasi_identifiers
        self.order = sorted(range(len(attributes)), key=lambda i: (i == last, -attributes[i].hierarchy.leaves))
        self._hierarchies = [attributes[i].hierarchy for i in self.order]
        self._names = [attributes[i].name for i in self.order]
        self._table, self._least = table, max(least, 1)
        cells = [sum(level.size for level in hierarchy.levels) for hierarchy in self._hierarchies]
        lattice = prod(hierarchy.height + 1 for hierarchy in self._hierarchies)
        most, at_least = _CELLS if 4 * looks < lattice else _CELLS_OF_ALL, int(last is not None)
        self.depth = _prefix_length(cells, most, at_least)
        self._kernel = self._loops(looks)
        if one_pass and self._kernel is not refining:
            self.depth = _prefix_length(cells, max(most, _CELLS_IN_ONE_PASS), at_least)
        self._rest = [prod(h.leaves for h in self._hierarchies[depth:]) for depth in range(len(cells) + 1)]
        self._wide = min(self.wide_columns(table, least, last) or 0, self.depth)
        self._kept: OrderedDict[Node, _Prefix] = OrderedDict()
        self._bytes = 0
        self._suffixes: dict[tuple[tuple[int, ...], ...], Suffix] = {}

    @staticmethod
    def is_for(table: EncodedTable) -> bool:
        """Whether all columns can be settled from cells, whatever the least size of a class."""
        return Refinement.wide_columns(table, 1) == 0

    @staticmethod
    def wide_columns(table: EncodedTable, least: int, last: int | None = None) -> int | None:
        """How many columns have to be settled from the records; None if not even all but the last are enough.

        Until cells fit into one integer, and tallies of classes by the leaves of a column into memory. There are no
        more classes of `least` records than the table has records for.
        """
        leaves = [attribute.hierarchy.leaves for attribute in table.quasi_identifiers]
        ordered = sorted((i for i in range(len(leaves)) if i != last), key=lambda i: -leaves[i])
        ordered += [] if last is None else [last]
        classes = max(min(len(table.counts), table.total // max(least, 1)), 1)
        for wide in range(len(ordered)):
            after = [leaves[i] for i in ordered[wide:]]
            tallied = after if wide else after[1:]  # before the first column is settled there is one class
            if prod(after) * classes < _WIDEST and classes * max(tallied, default=1) < _LARGEST_TALLY:
                return wide
        return None

    def _loops(self, looks: int) -> Loops:
        prefixes = sum(accumulate((h.height + 1 for h in self._hierarchies[: self.depth]), mul))
        if not are_earned(len(self._table.counts) * min(prefixes, looks), _MANY_VISITS):
            return refining
        from shoal.search.blocks.refining_compiled import CompiledLoops

        return CompiledLoops()

    @property
    def is_compiled(self) -> bool:
        """Whether compiled loops are loaded."""
        return self._kernel is not refining

    @property
    def widest(self) -> int:
        """The most nodes that the hierarchy of a column has."""
        return max((len(hierarchy.parent) for hierarchy in self._hierarchies), default=1)

    def split(self, node: Node) -> tuple[Node, Node]:
        """The levels of the first columns and of the last ones, in the order in which they are settled."""
        levels = tuple(node[i] for i in self.order)
        return levels[: self.depth], levels[self.depth :]

    def join(self, levels: Node) -> Node:
        """The node with these levels in the order in which columns are settled."""
        by_column = dict(zip(self.order, levels, strict=True))
        return tuple(by_column[i] for i in range(len(levels)))

    def kept(self, prefix: Node) -> int:
        """The records in classes of at least `least`, all columns hidden that the prefix does not settle."""
        if len(prefix) < self._wide:
            return int(self._table.counts.sizes.take(self._first.at(prefix).rows).sum())
        return int(self._prefix(prefix).weights.sum())

    def suffix(self, levels: tuple[tuple[int, ...], ...]) -> Suffix:
        """Some levels of each of the last columns."""
        found = self._suffixes.get(levels)
        if found is None:
            columns, hierarchies = self.order[self.depth :], self._hierarchies[self.depth :]
            found = self._suffixes[levels] = Suffix(tuple(map(Axis.of, columns, hierarchies, levels)), hierarchies)
        return found

    def blocks(self, prefix: Node, suffix: Suffix) -> Iterator[Block]:
        """The classes under a prefix at every combination of levels in a suffix; some classes at a time."""
        at, settled = self._prefix(prefix), self._lineage(prefix)
        for start, stop, leaf_cells in self._cubes(at.cells, at.weights, at.classes, suffix):
            yield Block(settled and settled.part(start, stop), leaf_cells, suffix, self._kernel)

    def blocks_of(self, bundle: Bundle, suffix: Suffix) -> Iterator[Block]:
        """The same under all prefixes of a bundle."""
        for start, stop, leaf_cells in self._cubes(bundle.cells, bundle.weights, len(bundle.prefix), suffix):
            settled = bundle.settled and bundle.settled.part(start, stop)
            yield Block(settled, leaf_cells, suffix, self._kernel, bundle.prefix[start:stop])

    def _cubes(self, cells: Keys, weights: Sizes, classes: int, suffix: Suffix) -> Iterator[tuple[int, int, Sizes]]:
        """Some classes at a time: from which, to which, and their records in every leaf cell."""
        rest, step = self._rest[self.depth], max(_CHUNK // prod(suffix.shape), 1)
        for start in range(0, classes, step):
            stop = min(start + step, classes)
            here, amounts = cells, weights
            if stop - start < classes:
                among = np.flatnonzero((cells >= start * rest) & (cells < stop * rest))
                here, amounts = cells[among] - start * rest, weights[among]
            yield start, stop, self._kernel.by_leaf_cell(here, amounts, rest, stop - start)

    def _lineage(self, prefix: Node) -> Lineage | None:
        """The node of each class in each settled column."""
        by_column = zip(self._hierarchies, prefix, self._prefix(prefix).codes, strict=False)
        nodes = [hierarchy.levels[level].nodes[codes] for hierarchy, level, codes in by_column]
        return Lineage.of(self.order, nodes)

    def bundles(
        self, levels: Sequence[Sequence[int]], widest: int, prospects: Prospects | None = None
    ) -> Iterator[tuple[Node, Bundle]]:
        """All prefixes with these levels, by numbers of levels, as many at a time as fit; with what they begin with.

        A bundle has at most `widest` of them, and about as many records as a cube has cells. What the next one is made
        of overwrites it. With prospects, for which loops must be compiled, prefixes below which nothing is of
        interest are left out.
        """
        chosen = [
            [h.levels[level] for level in of_column] for h, of_column in zip(self._hierarchies, levels, strict=True)
        ]
        leaves = [hierarchy.leaves for hierarchy in self._hierarchies]
        bundles = Bundles(
            list(map(Step, self.order, chosen, leaves, self._rest[1:])),
            self.depth,
            self._kernel,
            self._least,
            widest=widest,
            longest=_CHUNK,
            prospects=prospects,
        )
        for numbers in product(*(range(len(of_column)) for of_column in levels[: self._wide])):
            prefix = tuple(levels[i][number] for i, number in enumerate(numbers))
            at, settled = self._prefix(prefix), self._lineage(prefix)
            yield from bundles.below(numbers, Bundle.of_one(at.cells, at.weights, settled, at.classes))

    def _prefix(self, prefix: Node) -> _Prefix:
        kept = self._kept.get(prefix)
        if kept is not None:
            self._kept.move_to_end(prefix)
            return kept
        found = self._refined(prefix) if len(prefix) > self._wide else self._begun(prefix)
        self._kept[prefix] = found
        self._bytes += found.nbytes
        while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
            self._bytes -= self._kept.popitem(last=False)[1].nbytes
        return found

    def _begun(self, prefix: Node) -> _Prefix:
        """All records, or where columns are too wide for cells, what is left of them under these."""
        counts = self._table.counts
        at = self._first.at(prefix) if prefix else self._everything
        cells, sizes = at.label.copy(), counts.sizes.take(at.rows)
        for name, hierarchy in list(zip(self._names, self._hierarchies, strict=True))[len(prefix) :]:
            cells *= hierarchy.leaves
            cells += counts.column(name).take(at.rows)
        order = np.argsort(cells)  # neighbors are counted in neighboring places
        cells, sizes = cells[order], sizes[order]
        if prefix and len(cells):  # what has become equal is merged
            starts = np.flatnonzero(np.diff(cells, prepend=-1))
            cells, sizes = cells[starts], np.add.reduceat(sizes, starts)
        return _Prefix(cells, sizes, at.codes, at.classes)

    @property
    def _everything(self) -> Settled:
        """No column is settled: all records are one class."""
        records = len(self._table.counts)
        return Settled(np.arange(records), np.zeros(records, dtype=np.int64), (), int(records > 0))

    @cached_property
    def _first(self) -> WideColumns:
        columns = [self._table.counts.column(name) for name in self._names[: self._wide]]
        sizes, hierarchies = self._table.counts.sizes, self._hierarchies[: self._wide]
        return WideColumns(columns, hierarchies, sizes, self._least, self._everything)

    def _refined(self, prefix: Node) -> _Prefix:
        """Settle one more column than its parent does."""
        depth, at = len(prefix) - 1, self._prefix(prefix[:-1])
        hierarchy, rest = self._hierarchies[depth], self._rest[depth + 1]
        level = hierarchy.levels[prefix[-1]]
        if not at.classes:
            return _Prefix(at.cells, at.weights, (*at.codes, np.zeros(0, dtype=np.int64)), 0)
        if at.apart is None:
            domain = at.classes * hierarchy.leaves
            keys, others, tally = self._kernel.take_apart(at.cells, at.weights, rest, domain)
            at.apart = keys, others, tally.reshape(at.classes, hierarchy.leaves)
        keys, others, tally = at.apart
        found = self._kernel.settle(keys, others, at.weights, tally, [level], self._least, rest)
        codes = (*(of_column.take(found.parent) for of_column in at.codes), found.code)
        return _Prefix(found.cells, found.weights, codes, len(found.code))


def _prefix_length(cells: Sequence[int], most: int, at_least: int) -> int:
    """How many columns are settled one by one: all but the narrowest, which fit into a cube together."""
    for last, size in enumerate(accumulate(reversed(cells), mul)):
        if size > most and last >= at_least:
            return len(cells) - last
    return 0
