"""Integer brackets around e^-x for a whole array of exponents at once, and the tosses that use them.

An exponent is gap · unit: an integer times one fraction for all, as score differences are. The bracket is 31 bits wide
and comes from four small tables, so a toss costs a few array operations; the rare uniform number that falls inside its
bracket (about one in four million) is compared exactly. Derivation: `docs/proofs/coins.md`, section 4.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.dp.coins.bits import Bits, words32
from shoal.dp.coins.enclosures import ceil_div, exp_minus, is_below

if TYPE_CHECKING:
    from shoal.arrays import Mask

Gaps: TypeAlias = NDArray[np.int64] | NDArray[np.object_]
"""Integers >= 0; Python integers in an object array where 63 bits do not suffice."""

Thresholds: TypeAlias = NDArray[np.uint64]

PRECISION = 31
"""Bits of a bracket: the product of two table entries, each at most 2^31, fits 64 bits."""

_FAR = 45  # e^-45 < 2^-64: exponents from here on get the bracket [0, 1]
_UNIT_BITS = 55  # _FAR · 2^55 < 2^61, so no product below overflows as long as
_WIDE = 1 << 61  # gaps stay below this
_DIGITS = 3  # the fractional part of an exponent, in three digits of eight bits
_DIGIT_BITS = 8
_POINT = _DIGITS * _DIGIT_BITS


@cache
def _tables(*, upper: bool) -> tuple[Thresholds, ...]:
    """e^-n for n < 64, then e^(−i / 2^8), e^(−i / 2^16), e^(−i / 2^24) for i < 2^8, all rounded to one side."""
    steps = [Fraction(1), *(Fraction(1, 1 << _DIGIT_BITS * digit) for digit in range(1, _DIGITS + 1))]
    sizes = [64] + [1 << _DIGIT_BITS] * _DIGITS
    return tuple(
        np.array([exp_minus(step * i)(PRECISION)[upper] for i in range(size)], dtype=np.uint64)
        for step, size in zip(steps, sizes, strict=True)
    )


def _exponential(x: NDArray[np.int64], *, upper: bool) -> Thresholds:
    """2^31 e^(−x / 2^24), rounded to one side, for 0 <= x < 2^30."""
    carry = np.uint64((1 << PRECISION) - 1 if upper else 0)
    tables = _tables(upper=upper)
    result: Thresholds = tables[0][x >> _POINT]
    for digit, table in enumerate(tables[1:], start=1):
        result = (result * table[x >> (_POINT - _DIGIT_BITS * digit) & 0xFF] + carry) >> np.uint64(PRECISION)
    return result


def exp_brackets(gaps: Gaps, unit: Fraction) -> tuple[Thresholds, Thresholds]:
    """Integers low <= 2^31 e^(−gap · unit) <= high, for each gap; unit > 0."""
    if gaps.dtype != object and len(gaps) and gaps.max() >= _WIDE:
        gaps = gaps.astype(object)
    far = ceil_div(_FAR * unit.denominator, unit.numerator)  # gap >= far means gap · unit >= 45
    near = np.asarray(gaps < far, dtype=np.bool_)
    kept = np.where(near, gaps, 0)
    scaled = (unit.numerator << _UNIT_BITS) // unit.denominator if far > 1 else 0
    # kept · scaled / 2^55 <= gap · unit <= kept · (scaled + 1) / 2^55; then to 24 bits, outward.
    shift = _UNIT_BITS - _POINT
    least = kept * scaled >> shift
    most = kept * (scaled + 1) + ((1 << shift) - 1) >> shift
    coarse = np.asarray(most >= 64 << _POINT, dtype=np.bool_)  # unit is so small that 55 bits say little about it
    low = _exponential(np.where(coarse, 0, most).astype(np.int64), upper=False)
    high = _exponential(least.astype(np.int64), upper=True)
    low[coarse | ~near] = 0
    high[~near] = 1
    return low, high


def unit_brackets(top: NDArray[np.int64], bottom: NDArray[np.int64]) -> tuple[Thresholds, Thresholds]:
    """Integers low <= 2^31 e^(−top / bottom) <= high, for 0 <= top < bottom < 2^38."""
    scaled = top << _POINT
    least = scaled // bottom
    return _exponential(-(-scaled // bottom), upper=False), _exponential(least, upper=True)


def toss_exp(gaps: Gaps, unit: Fraction, bits: Bits) -> Mask:
    """Independent coins, the i-th showing heads with probability e^(−gaps[i] · unit), exactly."""
    low, high = exp_brackets(gaps, unit)
    return toss_between(low, high, gaps, unit, bits)


def toss_between(low: Thresholds, high: Thresholds, gaps: Gaps, unit: Fraction, bits: Bits) -> Mask:
    """`toss_exp` when the brackets are known already."""
    prefix = words32(len(gaps), bits) >> np.uint32(1)
    heads: Mask = prefix < low
    for i in np.flatnonzero(~heads & (prefix < high)):
        heads[i] = is_below(int(prefix[i]), PRECISION, exp_minus(int(gaps[i]) * unit), bits)
    return heads
