"""Scores of nodes from blocks of class sizes: what a class is worth, added up over all classes of a node.

A class of n records is worth `worth(n)`, in integers or in doubles; nothing below some size. Every score is told for a
whole block at once, an array with one entry per combination of levels of its last columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.progress import Progress, silent
from shoal.search.blocks.prospects import NOWHERE, Prospects
from shoal.search.blocks.refinement import Axis, Block, Blocks, Refinement, Suffix

if TYPE_CHECKING:
    from shoal.arrays import Keys, Mask, Sizes
    from shoal.data.hierarchies.hierarchy import Hierarchy
    from shoal.search.lattice import Node

Amounts: TypeAlias = NDArray[Any]
"""Integers of 64 bits, Python's integers where those might not do, or doubles."""
Worth: TypeAlias = "Callable[[Sizes], Amounts]"

_SELDOM = 16
"""After how many prefixes progress is told."""
_MOSTLY = 2
"""Where one of so many combinations of levels is asked for, or more, all are scored, many prefixes at a time."""
_ROOM = 1 << 21
"""How many numbers the scores of these prefixes may take while they are added up."""


class WorthTable:
    """What a class of n records is worth, in integers of 64 bits, which sums of it fit into.

    Args:
        values: For n = 0, 1, …
        slope: What each record beyond their end adds.
        largest: No class has more records than this, if it is given: then the worth of each size is laid down.
    """

    def __init__(self, values: Sizes, slope: int, largest: int | None = None) -> None:
        self.values, self.slope, self._largest = values, slope, largest

    def __call__(self, sizes: Sizes) -> Sizes:
        """What classes of these sizes are worth."""
        if self._largest is not None:
            return self._of_each.take(sizes)
        last = len(self.values) - 1
        worth: Sizes = self.values.take(np.minimum(sizes, last))
        worth += np.maximum(sizes - last, 0) * self.slope
        return worth

    @cached_property
    def _of_each(self) -> Sizes:
        return WorthTable(self.values, self.slope)(np.arange((self._largest or 0) + 1))


class BlockScore(Protocol):
    """Scores of all nodes of a block."""

    def of(self, blocks: Iterable[Block], suffix: Suffix, prefixes: int = 1) -> Amounts:
        """`[…, prefix]`: one score per combination of levels and prefix; of no blocks, those of no records."""
        ...


class SchemeScores:
    """Scores of single nodes, or of many, from the blocks they are in."""

    def __init__(self, source: Blocks, score: BlockScore, levels: Sequence[int]) -> None:
        self._source, self._score = source, score
        ordered = [levels[i] for i in source.order]
        self._all_levels = tuple(tuple(range(count)) for count in ordered[source.depth :])
        self._known: dict[Node, Amounts] = {}

    def of(self, node: Node) -> Any:  # whatever the worth of a class is counted in
        """The score of one node; its whole block is remembered."""
        prefix, rest = self._source.split(node)
        if prefix not in self._known:
            suffix = self._source.suffix(self._all_levels)
            self._known[prefix] = self._score.of(self._source.blocks(prefix, suffix), suffix)[..., 0]
        return self._known[prefix][rest]

    def of_all(self, nodes: Sequence[Node], progress: Progress = silent) -> Amounts:
        """The scores of some nodes, in their order."""
        return self.near_the_best(nodes, None, progress)[0]

    def near_the_best(
        self, nodes: Sequence[Node], far: int | None, progress: Progress = silent
    ) -> tuple[Amounts, Mask]:
        """The scores of some nodes, in their order, and which of them are exact.

        All are that are less than `far` below the best of these nodes; others may be bounds on a score, and are as far
        below the best as that nevertheless. With no `far` all are exact.
        """
        levels = np.array(nodes, dtype=np.int64)[:, self._source.order]
        used = [np.unique(of_column) for of_column in levels.T]
        if not isinstance(self._source, Refinement) or prod(map(len, used)) > _MOSTLY * len(nodes):
            return self._of_some(levels, progress), np.ones(len(nodes), dtype=np.bool_)
        at = tuple(map(np.searchsorted, used, levels.T))
        wanted = np.zeros([len(of_column) for of_column in used], dtype=np.bool_)
        wanted[at] = True
        chosen = [tuple(of_column.tolist()) for of_column in used]
        scores, is_exact = self._of_product(self._source, chosen, wanted, far, progress)
        return scores[at], is_exact[at]

    def _of_product(
        self,
        source: Refinement,
        levels: list[tuple[int, ...]],
        wanted: Mask,
        far: int | None,
        progress: Progress,
    ) -> tuple[Amounts, Mask]:
        """`[level of the first column, …]`: the scores of every combination of some levels, and which are exact."""
        suffix, done = source.suffix(tuple(levels[source.depth :])), 0
        prospects = None if far is None or not source.is_compiled else _prospects(self._score, far, suffix)
        scores: Amounts | None = None
        is_exact = np.ones(wanted.shape, dtype=np.bool_)
        widest = _ROOM // (source.widest * prod(suffix.shape))
        for number, (prefix, bundle) in enumerate(source.bundles(levels, widest, prospects)):
            if number % _SELDOM == 0:
                progress("scoring schemes", done / prod(wanted.shape[: source.depth]))
            done += bundle.prefixes
            free = wanted.shape[len(prefix) : source.depth]
            most = bundle.most.reshape(free[::-1]).T[(..., *(None for _ in suffix.axes))]
            if np.all(most != NOWHERE):
                found = most
            else:
                found = self._score.of(source.blocks_of(bundle, suffix), suffix, bundle.prefixes)
                found = found.reshape((*suffix.combinations, *free[::-1]))
                last = len(suffix.combinations)
                found = found.transpose([*range(found.ndim - 1, last - 1, -1), *range(last)])
                found = np.where(most == NOWHERE, found, most)
            if scores is None:
                scores = np.empty(wanted.shape, dtype=found.dtype)
            scores[prefix], is_exact[prefix] = found, most == NOWHERE
            if prospects is not None:
                prospects.saw(scores[prefix][wanted[prefix] & is_exact[prefix]])
        assert scores is not None
        return scores, is_exact

    def _of_some(self, levels: Keys, progress: Progress) -> Amounts:
        """The scores of some nodes, prefix by prefix."""
        first, last = levels[:, : self._source.depth], levels[:, self._source.depth :]
        order = np.lexsort(first.T[::-1]) if first.shape[1] else np.arange(len(levels))
        is_new = np.any(first[order[1:]] != first[order[:-1]], axis=1)
        parts = np.split(order, np.flatnonzero(is_new) + 1)
        scores: list[Amounts] = []
        for done, part in enumerate(parts):
            if done % _SELDOM == 0:
                progress("scoring schemes", done / len(parts))
            wanted = last[part]
            used = tuple(tuple(sorted(set(of_axis))) for of_axis in wanted.T.tolist())
            suffix = self._source.suffix(used)
            found = self._score.of(self._source.blocks(tuple(first[part[0]].tolist()), suffix), suffix)[..., 0]
            at = tuple(map(np.searchsorted, used, wanted.T))
            scores.append(found[at] if at else np.repeat(found, len(part)))  # no last columns: one score for all
        result = np.empty(len(levels), dtype=scores[0].dtype)
        result[order] = np.concatenate(scores)
        return result


class Classes:
    """Σ_E worth(|E|)."""

    def __init__(self, worth: Worth, dtype: type = np.int64) -> None:
        self._worth, self._dtype = worth, dtype

    def of(self, blocks: Iterable[Block], suffix: Suffix, prefixes: int = 1) -> Amounts:
        """One score per combination of levels."""
        cells: Amounts = np.zeros((*suffix.shape, prefixes), dtype=self._dtype)
        for block in blocks:
            cells += block.by_prefix(self._worth(block.sizes), prefixes)
        return by_level(cells, suffix.axes)


class Cells:
    """Σ_E worth(|E|) Σ_i price_i(node of E in column i)."""

    def __init__(self, worth: Worth, prices: Sequence[Amounts], dtype: type = np.int64) -> None:
        self.worth, self.prices, self._dtype = worth, prices, dtype
        self._last: tuple[Suffix, Amounts] | None = None

    def _last_prices(self, suffix: Suffix) -> Amounts:
        """What the last columns of each cell add; the same for block after block."""
        if self._last is None or self._last[0] is not suffix:
            last: Amounts = np.zeros(suffix.shape, dtype=self._dtype)
            for number, axis in enumerate(suffix.axes):
                shape = [-1 if i == number else 1 for i in range(last.ndim)]
                last += self.prices[axis.column][axis.nodes].reshape(shape)
            self._last = suffix, last
        return self._last[1]

    def of(self, blocks: Iterable[Block], suffix: Suffix, prefixes: int = 1) -> Amounts:
        """One score per combination of levels."""
        cells: Amounts = np.zeros((*suffix.shape, prefixes), dtype=self._dtype)
        scores: Amounts = np.zeros((*suffix.combinations, prefixes), dtype=self._dtype)
        last = self._last_prices(suffix)[..., None]
        for block in blocks:
            first = None if block.settled is None else block.settled.summed(self.prices)
            if block.is_compiled and isinstance(self.worth, WorthTable):
                self._add_compiled(block, suffix, first, scores)
                continue
            worth = self.worth(block.sizes)
            cells += block.by_prefix(worth, prefixes) * last
            if first is not None:
                worth *= first
                cells += block.by_prefix(worth, prefixes)
        return scores + by_level(cells, suffix.axes)

    def _add_compiled(self, block: Block, suffix: Suffix, first: Amounts | None, scores: Sizes) -> None:
        from shoal.search.blocks.pricing_compiled import add_worth

        classes, worth = block.leaf_cells.shape[1], self.worth
        assert isinstance(worth, WorthTable)
        nothing = np.zeros(classes, dtype=np.int64)
        add_worth(
            block.leaf_cells,
            suffix.members,
            suffix.ends,
            suffix.combination,
            self._last_prices(suffix).ravel(),
            nothing if first is None else first,
            nothing if block.prefix is None else block.prefix,
            worth.values,
            worth.slope,
            scores.reshape(-1, scores.shape[-1]),
        )


class Majorities:
    """Σ_f max_c worth(n(f, c)): c the classes of the last axis, f those of all other columns."""

    def __init__(self, worth: Worth, dtype: type = np.int64) -> None:
        self.worth, self._dtype = worth, dtype

    def of(self, blocks: Iterable[Block], suffix: Suffix, prefixes: int = 1) -> Amounts:
        """One score per combination of levels."""
        *others, target = suffix.axes
        cells: Amounts = np.zeros((*suffix.shape[:-1], len(target.levels), prefixes), dtype=self._dtype)
        for block in blocks:
            most = np.maximum.reduceat(self.worth(block.sizes), target.starts, axis=-2)
            cells += block.by_prefix(most, prefixes)
        return by_level(cells, others)


class Spread:
    """Σ K − Σ K² / M over the classes of a node, K = worth(|E|), M a total that no sum of them exceeds.

    With integers the second sum is divided as a whole and rounded down.
    """

    def __init__(self, worth: Worth, total: float, dtype: type = np.int64) -> None:
        self._worth, self._total, self._dtype = worth, total, dtype

    def of(self, blocks: Iterable[Block], suffix: Suffix, prefixes: int = 1) -> Amounts:
        """One score per combination of levels."""
        sums: Amounts = np.zeros((*suffix.shape, prefixes), dtype=self._dtype)
        squares: Amounts = np.zeros((*suffix.shape, prefixes), dtype=self._dtype)
        for block in blocks:
            worth = self._worth(block.sizes)
            sums += block.by_prefix(worth, prefixes)
            squares += block.by_prefix(worth * worth, prefixes)
        return by_level(sums, suffix.axes) - _divided(by_level(squares, suffix.axes), self._total, self._dtype)


class ColumnSpread:
    """Σ_i w_i (Σ_v K_v − Σ_v K_v² / M), K_v = Σ worth(|E|) of the classes with node v in column i, the root left out.

    M is a total that no sum of the worth of classes exceeds.
    """

    def __init__(
        self,
        worth: Worth,
        total: float,
        weights: Sequence[Any],
        hierarchies: Sequence[Hierarchy],
        dtype: type = np.int64,
    ) -> None:
        self._worth, self._total, self._weights, self._dtype = worth, total, weights, dtype
        self._hierarchies = hierarchies

    def of(self, blocks: Iterable[Block], suffix: Suffix, prefixes: int = 1) -> Amounts:
        """One score per combination of levels."""
        axes = suffix.axes
        cells: Amounts = np.zeros((*suffix.shape, prefixes), dtype=self._dtype)
        columns: dict[int, Amounts] = {}
        for block in blocks:
            worth = self._worth(block.sizes)
            cells += block.by_prefix(worth, prefixes)
            by_class = by_level(worth, axes).reshape(prod(suffix.combinations), worth.shape[-1])
            prefix = np.zeros(worth.shape[-1], dtype=np.int64) if block.prefix is None else block.prefix
            for column, nodes in block.settled.in_columns() if block.settled is not None else ():
                if column not in columns:
                    width = len(self._hierarchies[column].parent)
                    columns[column] = np.zeros((width, prefixes, len(by_class)), dtype=self._dtype)
                told = np.flatnonzero(nodes != self._hierarchies[column].root)  # the root is a star
                np.add.at(columns[column], (nodes[told], prefix[told]), by_class.T[told])
        score: Amounts = np.zeros((*suffix.combinations, prefixes), dtype=self._dtype)
        for column, known in columns.items():
            score += self._weights[column] * self._spread(known).T.reshape(score.shape)
        for number, axis in enumerate(axes):
            others = by_level(cells, axes, skip=number)
            stars = axis.nodes == self._hierarchies[axis.column].root
            others = np.where(stars.reshape([-1 if i == number else 1 for i in range(others.ndim)]), 0, others)
            sums = np.add.reduceat(others, axis.starts, axis=number)
            squares = np.add.reduceat(others * others, axis.starts, axis=number)
            score += self._weights[axis.column] * (sums - _divided(squares, self._total, self._dtype))
        return score

    def _spread(self, known: Amounts) -> Amounts:
        spread: Amounts = known.sum(axis=0) - _divided((known * known).sum(axis=0), self._total, self._dtype)
        return spread


def _prospects(score: BlockScore, far: int, suffix: Suffix) -> Prospects | None:
    """Bounds on scores, where those `far` below the best are of no interest.

    None for scores that could hardly be bounded: of as many classes as its records could make, no node is out of reach.
    """
    match score:
        case Cells(worth=WorthTable() as worth, prices=prices):
            return Prospects(worth.values, worth.slope, far, prices)
        case Majorities(worth=WorthTable() as worth):
            target = suffix.axes[-1]
            are_leaves = target.levels == (0,)
            return Prospects(worth.values, worth.slope, far, target=len(target.nodes) if are_leaves else None)
        case _:
            return None


def by_level(cells: Amounts, axes: Sequence[Axis], skip: int | None = None) -> Amounts:
    """Sums over the classes of each level, axis by axis; further dimensions and one axis are left alone."""
    for number, axis in enumerate(axes):
        if number != skip:
            cells = np.add.reduceat(cells, axis.starts, axis=number)
    return cells


def _divided(squares: Amounts, total: float, dtype: type) -> Amounts:
    """Σ K² / M; 0 where there is nothing."""
    if not total:
        return squares
    return squares / total if dtype is np.float64 else squares // total
