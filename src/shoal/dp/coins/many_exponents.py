"""Discrete Laplace noise in bulk, every draw with an exponent of its own: exact, as in `samplers`, array by array.

A draw with exponent s/t is a uniform U below t, kept with probability e^(−U/t), plus t times a geometric V with
P[V >= v] = e^−v, all divided by s (Canonne, Kamath & Steinke 2020, Algorithm 2). U/t is below 1, so e^(−U/t) has a
bracket from the tables of `brackets`; the rare coin that falls inside is compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.coins.bits import Bits, octets, words32, words64
from shoal.dp.coins.brackets import PRECISION, unit_brackets
from shoal.dp.coins.bulk import discrete_laplace, geometric
from shoal.dp.coins.enclosures import exp_minus, is_below

if TYPE_CHECKING:
    from shoal.arrays import Keys, Mask, Sizes

_WIDEST = 1 << 38
"""Denominators below this leave room for 24 bits of a fraction."""


def discrete_laplaces(exponents: Sequence[Fraction], which: Keys, bits: Bits) -> Sizes:
    """Independent X_i with P[X_i = n] proportional to e^(−exponents[which[i]] |n|)."""
    drawn = np.zeros(len(which), dtype=np.int64)
    is_narrow = np.array([x.denominator < _WIDEST and x.numerator < _WIDEST for x in exponents], dtype=np.bool_)
    for i in np.flatnonzero(~is_narrow).tolist():
        rows = np.flatnonzero(which == i)
        drawn[rows] = discrete_laplace(exponents[i], len(rows), bits)
    tops = np.array([x.numerator if fits else 1 for x, fits in zip(exponents, is_narrow, strict=True)], dtype=np.int64)
    bottoms = np.array(
        [x.denominator if fits else 1 for x, fits in zip(exponents, is_narrow, strict=True)], dtype=np.int64
    )
    waiting = np.flatnonzero(is_narrow[which])
    while len(waiting):
        s, t = tops[which[waiting]], bottoms[which[waiting]]
        size = (_kept_uniform(t, bits) + t * geometric(Fraction(1), len(t), bits)) // s
        is_negative = octets(len(t), bits) >= np.uint8(128)
        drawn[waiting] = np.where(is_negative, -size, size)
        waiting = waiting[is_negative & (size == 0)]  # else zero would count twice
    return drawn


def _kept_uniform(t: Sizes, bits: Bits) -> Sizes:
    """U uniform below each t, drawn again until kept, which happens with probability e^(−U/t)."""
    found = np.zeros(len(t), dtype=np.int64)
    waiting = np.arange(len(t))
    while len(waiting):
        u = _below(t[waiting], bits)
        kept = _toss(u, t[waiting], bits)
        found[waiting[kept]] = u[kept]
        waiting = waiting[~kept]
    return found


def _below(t: Sizes, bits: Bits) -> Sizes:
    """Uniform integers below each t: words under the largest multiple of t, modulo t."""
    found = np.zeros(len(t), dtype=np.int64)
    waiting, all_ones = np.arange(len(t)), np.uint64((1 << 64) - 1)
    while len(waiting):
        n = t[waiting].astype(np.uint64)
        word = words64(len(n), bits)
        fair = word <= all_ones - (all_ones % n + np.uint64(1)) % n
        found[waiting[fair]] = (word[fair] % n[fair]).astype(np.int64)
        waiting = waiting[~fair]
    return found


def _toss(u: Sizes, t: Sizes, bits: Bits) -> Mask:
    """Heads with probability e^(−u/t), for 0 <= u < t < 2^38."""
    low, high = unit_brackets(u, t)
    prefix = words32(len(u), bits) >> np.uint32(1)
    heads: Mask = prefix < low
    for i in np.flatnonzero(~heads & (prefix < high)):
        heads[i] = is_below(int(prefix[i]), PRECISION, exp_minus(Fraction(int(u[i]), int(t[i]))), bits)
    return heads
