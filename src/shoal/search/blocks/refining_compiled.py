"""The loops of `refining`, compiled: the same results, several times as fast on large tables.

Arrays are made outside of what is compiled: compiling what NumPy does inside a kernel takes seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Keys, Nodes, Sizes
from shoal.data.hierarchies.hierarchy import Level
from shoal.kernels import grouping
from shoal.kernels.jit import compiled
from shoal.search.blocks.refining import Settled


class CompiledLoops:
    """The loops for one table; they share room, so that no large array is made anew for every prefix."""

    def __init__(self) -> None:
        self._room: dict[str, NDArray[Any]] = {}
        self._turn = 0

    def _at_least(self, name: str, length: int, kind: type = np.int64) -> NDArray[Any]:
        """Room for so many numbers, zeros at first."""
        if name not in self._room or len(self._room[name]) < length:
            self._room[name] = np.zeros(length, dtype=kind)
        return self._room[name]

    def take_apart(
        self, cells: Keys, weights: Sizes, rest: int, domain: int, *, kept: bool = True
    ) -> tuple[Keys, Keys, Sizes]:
        """As `refining.take_apart`; what is not kept lasts until the next call."""
        keys, others = (
            np.empty_like(cells) if kept else self._at_least(name, len(cells))[: len(cells)]
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
        kept: bool = True,
    ) -> Settled:
        """As `refining.settle`; equal cells are merged always. What is not kept lasts until the call after the next."""
        records, longest = len(keys) * len(levels), tally.shape[0] * sum(level.size for level in levels)
        self._turn = 1 - self._turn  # the cells of the last call may be what `keys` and `weights` are of
        cells, amounts = (self._at_least(f"{name} {self._turn}", records) for name in ("cells", "amounts"))
        parent, code = self._at_least("parent", longest), self._at_least("code", longest)
        base, ends, done, left = self._at_least("base", tally.size), [], 0, 0
        for level in levels:
            before = done
            done = _number(tally, level.codes.astype(np.int64), level.size, least, rest, base, parent, code, before)
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
                left = _merge(keys, others, weights, base, bits, places, cells, amounts, left)
        cells, amounts = cells[:left], amounts[:left]
        if kept:
            cells, amounts = cells.copy(), amounts.copy()
        return Settled(parent[:done].copy(), code[:done].copy(), ends, cells, amounts)

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
def _quotient(cell: int, rest: int, inverse: float) -> int:
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
        key = _quotient(cells[i], rest, inverse)
        keys[i] = key
        others[i] = cells[i] - key * rest
        tally[key] += weights[i]


@compiled
def _number(  # noqa: PLR0917  compiled functions take positions
    tally: Sizes,
    codes: Keys,
    size: int,
    least: int,
    rest: int,
    base: Keys,
    parent: Keys,
    code: Keys,
    left: int,
) -> int:
    """Number classes as a level makes them, from `left` on: their parents and codes, and where their cells begin.

    Where that is goes into `base`, for each parent and leaf; −1 where the class is too small.
    """
    leaves = tally.shape[1]
    for i in range(tally.shape[0]):
        first = i * leaves
        for j in range(size):
            base[first + j] = 0
        for leaf in range(leaves):
            base[first + codes[leaf]] += tally[i, leaf]
        for j in range(size):
            if base[first + j] >= least:
                parent[left], code[left] = i, j
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
def _by_leaf_cell(cells: Keys, weights: Sizes, rest: int, leaf_cells: Sizes) -> None:
    inverse = 1.0 / rest
    for i in range(len(cells)):
        number = _quotient(cells[i], rest, inverse)
        leaf_cells[cells[i] - number * rest, number] += weights[i]


@compiled
def _add_up(leaf_cells: Sizes, members: Keys, ends: Keys, summed: Sizes) -> None:
    member = 0
    for cell in range(len(ends)):
        while member < ends[cell]:
            for j in range(leaf_cells.shape[1]):
                summed[cell, j] += leaf_cells[members[member], j]
            member += 1
