"""Total orders of records that no record can change: by distance to a corner of the declared domain.

A distance becomes an integer that depends on the record's codes and on nothing else, so the order of two records is the
same in every table, whatever else is in it; records at the same distance are ordered as their codes are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Codes, Sizes
from shoal.cluster.space import Axis, NumberAxis, Space
from shoal.cluster.taxonomy import UNIT

Corner: TypeAlias = tuple[int, ...]
"""Per axis 0 for its bottom, 1 for its top."""

_LARGEST = 1 << 62
_FIXED_POINT = 1 << 46
_GREEDY_AXES = 12


class References(Enum):
    """From which corners of the domain clusters are formed, one after the other."""

    ONE = "one"
    """Always the same: insensitive MDAV, §4.2."""
    CORNERS = "corners"
    """The next is the one farthest from those before: §4.3."""
    COMPLEMENTS = "complements"
    """Counted in binary, each followed by the opposite one: what the paper's Table 7 was computed with."""


def corner_sequence(axes: int, references: References, most: int) -> list[Corner]:
    """The corners in the order of their use, `most` at most; after the last the first comes again.

    >>> ["".join("bt"[side] for side in corner) for corner in corner_sequence(2, References.CORNERS, 4)]
    ['bb', 'tt', 'bt', 'tb']
    """
    if references is References.ONE or axes == 0:
        return [(0,) * axes]
    most = min(most, 2**axes) if axes < 63 else most
    if references is References.COMPLEMENTS or axes > _GREEDY_AXES:
        counted = (tuple(int(bit) for bit in f"{number:0{axes}b}") for number in itertools.count())
        pairs = ((corner, tuple(1 - side for side in corner)) for corner in counted)
        return list(itertools.islice(itertools.chain.from_iterable(pairs), most))
    return _farthest_first(axes, most)


def _farthest_first(axes: int, most: int) -> list[Corner]:
    """Largest Hamming distance to the last one, ties by the one before, and so on, then lexicographic (theory 5c)."""
    corners = np.array(list(itertools.product((0, 1), repeat=axes)), dtype=np.int8)
    left = np.arange(1, len(corners))
    chosen = [0]
    while len(chosen) < most:
        best = left
        for last in reversed(chosen):
            distances = (corners[best] != corners[last]).sum(axis=1)
            best = best[distances == distances.max()]
            if len(best) == 1:
                break
        chosen.append(int(best[0]))
        left = left[left != best[0]]
    return [tuple(corners[i].tolist()) for i in chosen]


class CornerKeys:
    """Squared distances to corners, as integers: per axis and side a lookup by code."""

    def __init__(self, space: Space) -> None:
        self._scale = _common_scale(space)
        self._lookups = [tuple(self._lookup(space.axes[i], side) for side in (0, 1)) for i in space.wide]
        self._wide = space.wide

    def of(self, corner: Corner, codes: Sequence[Codes]) -> Sizes:
        """The key of each record; `codes` are those of all axes, `corner` has a side for each that is wide."""
        keys = np.zeros(len(codes[0]), dtype=np.int64)
        for side, lookup, axis in zip(corner, self._lookups, self._wide, strict=True):
            keys += lookup[side][codes[axis]]
        return keys

    def _lookup(self, axis: Axis, side: int) -> NDArray[np.int64]:
        """(distance to one boundary / width)², times the scale, for each code."""
        if isinstance(axis, NumberAxis):
            steps = np.arange(axis.width + 1, dtype=np.int64)
            if axis.missing is not None:
                steps = np.append(steps, axis.middle)
            away = axis.width - steps if side else steps
            if self._scale % axis.width**2 == 0:
                return away * away * (self._scale // axis.width**2)
            shares = away / axis.width
        else:
            shares = axis.taxonomy.units[axis.taxonomy.top if side else axis.taxonomy.bottom] / axis.width
        squares: NDArray[np.int64] = np.rint(shares**2 * self._scale).astype(np.int64)
        return squares


def _common_scale(space: Space) -> int:
    """A scale on which the squares of numbers are whole, if it fits 64 bits; else a fine one."""
    exact = math.lcm(*(space.axes[i].width ** 2 for i in space.wide if isinstance(space.axes[i], NumberAxis)))
    most = _LARGEST // max(1, len(space.wide))
    if exact > most or most < UNIT:
        return _FIXED_POINT
    return exact << max(0, (most // exact).bit_length() - 1)
