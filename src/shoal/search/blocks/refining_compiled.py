"""The loops of `refining`, compiled: the same results, several times as fast on large tables.

Arrays are made outside of what is compiled: compiling what NumPy does inside a kernel takes seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Keys, Mask, Nodes, Sizes
from shoal.data.hierarchies.hierarchy import Level
from shoal.kernels import grouping
from shoal.kernels.jit import compiled
from shoal.search.blocks.refining import Settled


class CompiledLoops:
    """The loops for one table; they share room, so that no large array is made anew for every prefix."""

    def __init__(self) -> None:
        self._room: dict[str, NDArray[Any]] = {}

    def _at_least(self, name: str, length: int, kind: type = np.int64) -> NDArray[Any]:
        """Room for so many numbers, zeros at first."""
        if name not in self._room or len(self._room[name]) < length:
            self._room[name] = np.zeros(length, dtype=kind)
        return self._room[name]

    def take_apart(
        self, cells: Keys, weights: Sizes, rest: int, domain: int, *, room: int | None = None
    ) -> tuple[Keys, Keys, Sizes]:
        """As `refining.take_apart`; what is in a room lasts until something else is taken apart in it."""
        keys, others = (
            np.empty_like(cells) if room is None else self._at_least(f"{name} {room}", len(cells))[: len(cells)]
            for name in ("keys", "others")
        )
        tally = np.zeros(domain, dtype=np.int64)
        _take_apart(cells, weights, rest, keys, others, tally)
        return keys, others, tally

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
    ) -> Settled:
        """As `refining.settle`; equal cells are merged always. What is in a room lasts until the next that is."""
        records, longest = len(keys) * len(levels), tally.shape[0] * sum(level.size for level in levels)
        cells, amounts = (self._at_least(f"{name} {room}", records * (1 + in_pairs)) for name in ("cells", "amounts"))
        parent, code = self._at_least("parent", longest), self._at_least("code", longest)
        sizes = self._at_least("sizes", longest)
        all_of_them = np.ones(len(tally), dtype=np.bool_)
        base, ends, done, left = self._at_least("base", tally.size), [], 0, 0
        for number, level in enumerate(levels):
            before, codes = done, level.codes.astype(np.int64)
            here = all_of_them if wanted is None else wanted[number]
            done = _number(tally, here, codes, level.size, least, rest, base, parent, code, sizes, before)
            ends.append(done)
            domain = (done - before) * rest
            if level.size == tally.shape[1]:  # what was not equal before is not now
                left = _drop(keys, others, weights, base, cells, amounts, left)
            elif domain <= grouping.dense_limit(len(keys)):
                counted = self._at_least("counted", domain)
                left = _count(keys, others, weights, base, before * rest, domain, counted, cells, amounts, left)
            else:
                bits = (2 * len(keys)).bit_length()
                places = self._at_least("places", 1 << bits, np.int32)
                merge = _merge_pairs if in_pairs else _merge
                left = merge(keys, others, weights, base, bits, places, cells, amounts, left)
        cells, amounts = cells[:left], amounts[:left]
        if room is None:
            cells, amounts = cells.copy(), amounts.copy()
        return Settled(parent[:done].copy(), code[:done].copy(), sizes[:done].copy(), ends, cells, amounts)

    def by_leaf_cell(self, cells: Keys, weights: Sizes, rest: int, classes: int) -> Sizes:
        """As `refining.by_leaf_cell`."""
        leaf_cells = np.zeros((rest, classes), dtype=np.int64)
        _by_leaf_cell(cells, weights, rest, leaf_cells)
        return leaf_cells

    def add_up(self, leaf_cells: Sizes, members: Keys, ends: Keys) -> Sizes:
        """As `refining.add_up`."""
        summed = np.zeros((len(ends), leaf_cells.shape[1]), dtype=np.int64)
        _add_up(leaf_cells, members, ends, summed)
        return summed


@compiled
def quotient(cell: int, rest: int, inverse: float) -> int:
    """`cell // rest` for cells below 2^52, which the product is within one of; faster than dividing."""
    quotient = int(cell * inverse)
    left = cell - quotient * rest
    if left < 0:
        return quotient - 1
    return quotient + 1 if left >= rest else quotient


@compiled
def _take_apart(cells: Keys, weights: Sizes, rest: int, keys: Keys, others: Keys, tally: Sizes) -> None:
    inverse = 1.0 / rest
    for i in range(len(cells)):
        key = quotient(cells[i], rest, inverse)
        keys[i] = key
        others[i] = cells[i] - key * rest
        tally[key] += weights[i]


@compiled
def _number(  # noqa: PLR0917  compiled functions take positions
    tally: Sizes,
    wanted: Mask,
    codes: Keys,
    size: int,
    least: int,
    rest: int,
    base: Keys,
    parent: Keys,
    code: Keys,
    sizes: Sizes,
    left: int,
) -> int:
    """Number classes as a level makes them, from `left` on: parents, codes and sizes, and where their cells begin.

    Where that is goes into `base`, for each parent and leaf; −1 where the class is too small, or not wanted.
    """
    leaves = tally.shape[1]
    for i in range(tally.shape[0]):
        first = i * leaves
        if not wanted[i]:
            for leaf in range(leaves):
                base[first + leaf] = -1
            continue
        for j in range(size):
            base[first + j] = 0
        for leaf in range(leaves):
            base[first + codes[leaf]] += tally[i, leaf]
        for j in range(size):
            if base[first + j] >= least:
                parent[left], code[left], sizes[left] = i, j, base[first + j]
                base[first + j] = left * rest
                left += 1
            else:
                base[first + j] = -1
        for leaf in range(leaves - 1, -1, -1):  # no leaf is before its code, which is still there when it is read
            base[first + leaf] = base[first + codes[leaf]]
    return left


@compiled
def _drop(keys: Keys, others: Keys, weights: Sizes, base: Keys, cells: Keys, amounts: Sizes, left: int) -> int:
    """Nothing has become equal: what is too small is left out."""
    for i in range(len(keys)):
        start = base[keys[i]]
        if start >= 0:
            cells[left] = start + others[i]
            amounts[left] = weights[i]
            left += 1
    return left


@compiled
def _count(  # noqa: PLR0917
    keys: Keys,
    others: Keys,
    weights: Sizes,
    base: Keys,
    first: int,
    domain: int,
    counted: Sizes,
    cells: Keys,
    amounts: Sizes,
    left: int,
) -> int:
    """Merge by a table of all cells, all zeros, which it leaves so."""
    for i in range(len(keys)):
        start = base[keys[i]]
        if start >= 0:
            counted[start + others[i] - first] += weights[i]
    for cell in range(domain):
        if counted[cell] > 0:
            cells[left] = first + cell
            amounts[left] = counted[cell]
            counted[cell] = 0
            left += 1
    return left


@compiled
def _merge(  # noqa: PLR0917
    keys: Keys,
    others: Keys,
    weights: Sizes,
    base: Keys,
    bits: int,
    places: Nodes,
    cells: Keys,
    amounts: Sizes,
    left: int,
) -> int:
    """Merge by hashing: `places` tells where each cell was put, in the order in which they came."""
    last, shift = (1 << bits) - 1, np.uint64(64 - bits)
    for i in range(last + 1):
        places[i] = -1
    for i in range(len(keys)):
        start = base[keys[i]]
        if start < 0:
            continue
        cell = start + others[i]
        place = np.int64((np.uint64(cell) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while places[place] >= 0 and cells[places[place]] != cell:
            place = (place + 1) & last
        if places[place] < 0:
            places[place] = left
            cells[left] = cell
            amounts[left] = weights[i]
            left += 1
        else:
            amounts[places[place]] += weights[i]
    return left


@compiled
def _merge_pairs(  # noqa: PLR0917
    keys: Keys,
    others: Keys,
    weights: Sizes,
    base: Keys,
    bits: int,
    places: Nodes,
    cells: Keys,
    amounts: Sizes,
    left: int,
) -> int:
    """As `_merge`, with cells 2 n and 2 n + 1 side by side: both are given a place, and what nobody has is left out."""
    last, shift = (1 << bits) - 1, np.uint64(64 - bits)
    for i in range(last + 1):
        places[i] = -1
    start, pair, at = left, -1, np.int64(0)
    for i in range(len(keys)):
        first = base[keys[i]]
        if first < 0:
            continue
        cell = first + others[i]
        if cell >> 1 != pair:
            pair = cell >> 1
            place = np.int64((np.uint64(pair) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
            while places[place] >= 0 and cells[places[place]] != pair << 1:
                place = (place + 1) & last
            if places[place] < 0:
                places[place] = left
                cells[left] = pair << 1
                cells[left + 1] = (pair << 1) + 1
                amounts[left] = 0
                amounts[left + 1] = 0
                left += 2
            at = np.int64(places[place])
        amounts[at + (cell & 1)] += weights[i]
    done = start
    for i in range(start, left):
        cells[done] = cells[i]
        amounts[done] = amounts[i]
        done += amounts[i] > 0
    return done


@compiled
def _by_leaf_cell(cells: Keys, weights: Sizes, rest: int, leaf_cells: Sizes) -> None:
    inverse = 1.0 / rest
    for i in range(len(cells)):
        number = quotient(cells[i], rest, inverse)
        leaf_cells[cells[i] - number * rest, number] += weights[i]


@compiled
def _add_up(leaf_cells: Sizes, members: Keys, ends: Keys, summed: Sizes) -> None:
    member = 0
    for cell in range(len(ends)):
        while member < ends[cell]:
            for j in range(leaf_cells.shape[1]):
                summed[cell, j] += leaf_cells[members[member], j]
            member += 1
