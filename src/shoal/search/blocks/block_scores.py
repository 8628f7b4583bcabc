"""Scores of nodes from blocks of class sizes: what a class is worth, added up over all classes of a node.

A class of n records is worth `worth(n)`, in integers or in doubles; nothing below some size. Every score is told for a
whole block at once, an array with one entry per combination of levels of its last columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.progress import Progress, silent
from shoal.search.blocks.refinement import Axis, Block, Blocks, Suffix

if TYPE_CHECKING:
    from shoal.arrays import Sizes
    from shoal.data.hierarchies.hierarchy import Hierarchy
    from shoal.search.lattice import Node

Amounts: TypeAlias = NDArray[Any]
"""Integers of 64 bits, Python's integers where those might not do, or doubles."""
Worth: TypeAlias = "Callable[[Sizes], Amounts]"

_SELDOM = 16
"""After how many prefixes progress is told."""


class BlockScore(Protocol):
    """Scores of all nodes of a block."""

    def of(self, blocks: Iterable[Block], suffix: Suffix) -> Amounts:
        """One score per combination of levels; of no blocks, those of no records.

        Always an array, of no dimension where every column is in the prefix: NumPy turns sums of those into numbers,
        which cannot be indexed or joined, so whoever adds up makes an array of them again (`_array`).
        """
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
            self._known[prefix] = self._score.of(self._source.blocks(prefix, suffix), suffix)
        return self._known[prefix][rest]

    def of_all(self, nodes: Sequence[Node], progress: Progress = silent) -> Amounts:
        """The scores of some nodes, in their order."""
        levels = np.array(nodes, dtype=np.int64)[:, self._source.order]
        first, last = levels[:, : self._source.depth], levels[:, self._source.depth :]
        order = np.lexsort(first.T[::-1]) if first.shape[1] else np.arange(len(nodes))
        is_new = np.any(first[order[1:]] != first[order[:-1]], axis=1)
        parts = np.split(order, np.flatnonzero(is_new) + 1)
        scores: list[Amounts] = []
        for done, part in enumerate(parts):
            if done % _SELDOM == 0:
                progress("scoring schemes", done / len(parts))
            wanted = last[part]
            used = tuple(tuple(sorted(set(of_axis))) for of_axis in wanted.T.tolist())
            suffix = self._source.suffix(used)
            found = self._score.of(self._source.blocks(tuple(first[part[0]].tolist()), suffix), suffix)
            at = tuple(map(np.searchsorted, used, wanted.T))
            scores.append(found[at] if at else np.repeat(found, len(part)))  # no last columns: one score for all
        result = np.empty(len(nodes), dtype=scores[0].dtype)
        result[order] = np.concatenate(scores)
        return result


class Classes:
    """Σ_E worth(|E|)."""

    def __init__(self, worth: Worth, dtype: type = np.int64) -> None:
        self._worth, self._dtype = worth, dtype

    def of(self, blocks: Iterable[Block], suffix: Suffix) -> Amounts:
        """One score per combination of levels."""
        cells: Amounts = np.zeros(suffix.shape, dtype=self._dtype)
        for block in blocks:
            cells += self._worth(block.sizes).sum(axis=-1)
        return by_level(cells, suffix.axes)


class Cells:
    """Σ_E worth(|E|) Σ_i price_i(node of E in column i)."""

    def __init__(self, worth: Worth, prices: Sequence[Amounts], dtype: type = np.int64) -> None:
        self._worth, self._prices, self._dtype = worth, prices, dtype
        self._last: tuple[Suffix, Amounts] | None = None

    def _last_prices(self, suffix: Suffix) -> Amounts:
        """What the last columns of each cell add; the same for block after block."""
        if self._last is None or self._last[0] is not suffix:
            last: Amounts = np.zeros(suffix.shape, dtype=self._dtype)
            for number, axis in enumerate(suffix.axes):
                shape = [-1 if i == number else 1 for i in range(last.ndim)]
                last += self._prices[axis.column][axis.nodes].reshape(shape)
            self._last = suffix, last
        return self._last[1]

    def of(self, blocks: Iterable[Block], suffix: Suffix) -> Amounts:
        """One score per combination of levels."""
        cells: Amounts = np.zeros(suffix.shape, dtype=self._dtype)
        last = self._last_prices(suffix)
        for block in blocks:
            worth = self._worth(block.sizes)
            cells += worth.sum(axis=-1) * last
            first: Amounts = np.zeros(worth.shape[-1], dtype=self._dtype)
            for column, nodes in block.settled:
                first += self._prices[column].take(nodes)
            cells += (worth * first).sum(axis=-1)
        return by_level(cells, suffix.axes)


class Majorities:
    """Σ_f max_c worth(n(f, c)): c the classes of the last axis, f those of all other columns."""

    def __init__(self, worth: Worth, dtype: type = np.int64) -> None:
        self._worth, self._dtype = worth, dtype

    def of(self, blocks: Iterable[Block], suffix: Suffix) -> Amounts:
        """One score per combination of levels."""
        *others, target = suffix.axes
        cells: Amounts = np.zeros((*suffix.shape[:-1], len(target.levels)), dtype=self._dtype)
        for block in blocks:
            cells += np.maximum.reduceat(self._worth(block.sizes), target.starts, axis=-2).sum(axis=-1)
        return by_level(cells, others)


class Spread:
    """Σ K − Σ K² / M over the classes of a node, K = worth(|E|), M a total that no sum of them exceeds.

    With integers the second sum is divided as a whole and rounded down.
    """

    def __init__(self, worth: Worth, total: float, dtype: type = np.int64) -> None:
        self._worth, self._total, self._dtype = worth, total, dtype

    def of(self, blocks: Iterable[Block], suffix: Suffix) -> Amounts:
        """One score per combination of levels."""
        sums: Amounts = np.zeros(suffix.shape, dtype=self._dtype)
        squares: Amounts = np.zeros(suffix.shape, dtype=self._dtype)
        for block in blocks:
            worth = self._worth(block.sizes)
            sums += worth.sum(axis=-1)
            squares += (worth * worth).sum(axis=-1)
        divided = _divided(by_level(squares, suffix.axes), self._total, self._dtype)
        return _array(by_level(sums, suffix.axes) - divided, self._dtype)


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

    def of(self, blocks: Iterable[Block], suffix: Suffix) -> Amounts:
        """One score per combination of levels."""
        axes = suffix.axes
        cells: Amounts = np.zeros(suffix.shape, dtype=self._dtype)
        columns: dict[int, Amounts] = {}
        for block in blocks:
            worth = self._worth(block.sizes)
            cells += worth.sum(axis=-1)
            by_class = by_level(worth, axes).reshape(prod(suffix.combinations), worth.shape[-1])
            for column, nodes in block.settled:
                if len(nodes) and nodes[0] == self._hierarchies[column].root:
                    continue  # the root is a star
                if column not in columns:
                    width = len(self._hierarchies[column].parent)
                    columns[column] = np.zeros((width, len(by_class)), dtype=self._dtype)
                np.add.at(columns[column], nodes, by_class.T)
        score: Amounts = np.zeros(suffix.combinations, dtype=self._dtype)
        for column, known in columns.items():
            score += self._weights[column] * self._spread(known).reshape(suffix.combinations)
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


def by_level(cells: Amounts, axes: Sequence[Axis], skip: int | None = None) -> Amounts:
    """Sums over the classes of each level, axis by axis; further dimensions and one axis are left alone."""
    for number, axis in enumerate(axes):
        if number != skip:
            cells = np.add.reduceat(cells, axis.starts, axis=number)
    return cells


def _array(scores: Any, dtype: type) -> Amounts:
    """An array also where NumPy has made a number of one without dimensions."""
    return np.asarray(scores, dtype=dtype)


def _divided(squares: Amounts, total: float, dtype: type) -> Amounts:
    """Σ K² / M; 0 where there is nothing."""
    if not total:
        return squares
    return squares / total if dtype is np.float64 else squares // total
