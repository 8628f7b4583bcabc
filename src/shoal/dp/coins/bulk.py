"""Exact samplers, a million draws at a time.

A coin with a common probability p first compares one random byte with the leading byte of p; the one in 256 that ties
reads eight bytes more, and one in 2^64 of those goes on bit by bit. The law is exact at every step: what the first
bytes decide, the number with all its bits would have decided too. Derivations: `docs/proofs/coins.md`, sections 2-5.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.coins.bits import Bits, octets, words64
from shoal.dp.coins.brackets import Gaps, exp_brackets, toss_between, toss_exp
from shoal.dp.coins.enclosures import Enclosure, exp_minus, is_below, logistic_minus
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.arrays import Keys, Mask, Sizes

_BLOCK = 1 << 20
SMALLEST_EXPONENT = Fraction(1, 1 << 40)
"""Of geometric noise: a scale of 2^40 still leaves room in 64 bits."""
_TOP_EXPONENT = 8
_MOST_ROUNDS = 1 << 16
_EXACT_INT = 1 << 61


def toss(count: int, p: Enclosure, bits: Bits) -> Mask:
    """Independent coins that show heads with probability p."""
    low, high = p(8)
    first = octets(count, bits)
    heads: Mask = first < low
    for tie in range(low, min(high, 256)):
        tied = np.flatnonzero(first == tie)
        heads[tied] = _toss_after(tie, len(tied), p, bits)
    return heads


def _toss_after(tie: int, count: int, p: Enclosure, bits: Bits) -> Mask:
    """The coins whose first byte is `tie` and has decided nothing: 64 bits more."""
    low, high = (min(max(bound - (tie << 64), 0), 1 << 64) for bound in p(72))
    more = words64(count, bits)
    heads: Mask = more <= np.uint64(low - 1) if low else np.zeros(count, dtype=np.bool_)
    open_: Mask = ~heads if high == 1 << 64 else ~heads & (more < np.uint64(high))
    for i in np.flatnonzero(open_):
        heads[i] = is_below(tie << 64 | int(more[i]), 72, p, bits)
    return heads


def thin(sizes: Sizes, p: Enclosure, bits: Bits) -> Sizes:
    """Of each group of `sizes[i]` records, how many stay if each stays with probability p: exactly binomial."""
    kept = np.empty(len(sizes), dtype=np.int64)
    for first in range(0, len(sizes), _BLOCK):
        block = slice(first, first + _BLOCK)
        kept[block] = _thin_block(np.cumsum(sizes[block], dtype=np.int64), p, bits)
    return kept


def _thin_block(ends: Sizes, p: Enclosure, bits: Bits) -> Sizes:
    """Toss for the records one after the other, and count the heads up to the end of each group."""
    heads = np.zeros(len(ends) + 1, dtype=np.int64)
    group = before = 0
    for start in range(0, int(ends[-1]), _BLOCK):
        stop = min(start + _BLOCK, int(ends[-1]))
        running = np.zeros(stop - start + 1, dtype=np.int64)
        np.cumsum(toss(stop - start, p, bits), out=running[1:])
        last = int(np.searchsorted(ends, stop, side="right"))
        heads[group + 1 : last + 1] = before + running[ends[group:last] - start]
        before += int(running[-1])
        group = last
    return np.diff(heads)


def binomial(n: int, p: Enclosure, bits: Bits) -> int:
    """How many of n independent coins that show heads with probability p do: exactly, in about n / 4 bytes.

    Each coin compares a uniform number with p, binary digit by digit; only how many are still undecided is kept.
    """
    heads, open_, digit = 0, n, 0
    while open_:
        digit += 1
        zeros = _zeros(open_, bits)
        if _digit(p, digit):  # a 0 where p has a 1 is below p, a 1 is undecided
            heads += zeros
            open_ -= zeros
        else:  # a 1 where p has a 0 is above p, a 0 is undecided
            open_ = zeros
    return heads


def _digit(p: Enclosure, digit: int) -> int:
    """A binary digit of p behind the point; of p = 1 all are ones."""
    precision = digit + 64
    while True:
        low, high = (min(bound, (1 << precision) - 1) >> (precision - digit) for bound in p(precision))
        if low == high:
            return low & 1
        precision *= 2


def _zeros(count: int, bits: Bits) -> int:
    """How many of `count` random bits are 0."""
    ones = 0
    for start in range(0, count, 64 * _BLOCK):
        here = min(64 * _BLOCK, count - start)
        words = words64(here // 64, bits)
        ones += int(np.bitwise_count(words).sum())
        rest = here % 64
        if rest:
            ones += (int.from_bytes(bits.take(8), "little") & ((1 << rest) - 1)).bit_count()
    return count - ones


def below(n: int, count: int, bits: Bits) -> Keys:
    """Independent uniform integers 0…n−1, for n <= 2^63: words under the largest multiple of n, modulo n."""
    limit = (1 << 64) - (1 << 64) % n
    fair = words64(count, bits)
    while True:
        if limit < 1 << 64:
            fair = fair[fair < np.uint64(limit)]
        if len(fair) >= count:
            return (fair[:count] % np.uint64(n)).astype(np.int64)
        fair = np.concatenate([fair, words64(count - len(fair) + 8, bits)])


def permutation(n: int, bits: Bits) -> Keys:
    """A uniformly random order of 0…n−1: the order of random words, drawn again if two are equal."""
    while True:
        words = words64(n, bits)
        order = np.argsort(words)
        placed = words[order]
        if not np.any(placed[1:] == placed[:-1]):
            return order.astype(np.int64, copy=False)


def geometric(x: Fraction, count: int, bits: Bits) -> Sizes:
    """Independent G with P[G >= g] = e^(−x g): binary digits are independent coins, so toss them one by one."""
    if x < SMALLEST_EXPONENT:
        raise ParameterError(f"geometric noise in bulk needs an exponent of at least 2^-40; got {float(x):g}.")
    digits = max(0, math.ceil(_TOP_EXPONENT / x) - 1).bit_length()  # x · 2^digits >= 8
    drawn = np.zeros(count, dtype=np.int64)
    for digit in range(digits):
        ones = toss(count, logistic_minus(x * (1 << digit)), bits)
        drawn += ones.astype(np.int64) << digit
    return drawn + (_rounds(exp_minus(x * (1 << digits)), count, bits) << digits)


def _rounds(p: Enclosure, count: int, bits: Bits) -> Sizes:
    """How many heads in a row, for coins with a small p."""
    rounds = np.zeros(count, dtype=np.int64)
    alive = np.arange(count)
    for _ in range(_MOST_ROUNDS):
        alive = alive[toss(len(alive), p, bits)]
        if not len(alive):
            return rounds
        rounds[alive] += 1
    raise AssertionError("less likely than e^-500000: the source of bits is broken")


def discrete_laplace(x: Fraction, count: int, bits: Bits) -> Sizes:
    """Independent X with P[X = n] proportional to e^(−x |n|): the difference of two geometric draws."""
    return geometric(x, count, bits) - geometric(x, count, bits)


def discrete_gaussian(variance: Fraction, count: int, bits: Bits) -> Sizes:
    """Independent X with P[X = n] proportional to e^(−n² / (2 variance)) (Canonne, Kamath & Steinke 2020, Alg. 3)."""
    scale = math.isqrt(int(variance)) + 1
    a, b = variance.numerator, variance.denominator
    unit = Fraction(1, 2 * a * b * scale**2)  # (|y| − σ²/t)² / (2σ²) = (|y| t b − a)² / (2 a b t²), σ² = a/b
    drawn = np.zeros(0, dtype=np.int64)
    while len(drawn) < count:
        proposal = discrete_laplace(Fraction(1, scale), 2 * (count - len(drawn)) + 16, bits)
        magnitude, which = np.unique(np.abs(proposal), return_inverse=True)
        gaps = _squares(magnitude, scale * b, a)
        low, high = exp_brackets(gaps, unit)
        drawn = np.concatenate([drawn, proposal[toss_between(low[which], high[which], gaps[which], unit, bits)]])
    return drawn[:count]


def _squares(magnitude: Sizes, slope: int, offset: int) -> Gaps:
    """(magnitude · slope − offset)², in 64 bits if it fits."""
    widest = max(int(magnitude[-1]) * slope, offset) ** 2
    wide = magnitude if widest < _EXACT_INT else magnitude.astype(object)
    squares: Gaps = (wide * slope - offset) ** 2
    return squares


def choose_exp(gaps: Gaps, unit: Fraction, weights: Sizes | None, bits: Bits) -> int:
    """An index with probability proportional to weight · e^(−gap · unit): propose by weight, accept by e^-x."""
    ends = None if weights is None else np.cumsum(weights, dtype=np.int64)
    tickets = len(gaps) if ends is None else int(ends[-1])
    block = min(len(gaps) + 8, 256)  # few, if many candidates are good; soon more, if few are
    while True:
        ticket = below(tickets, block, bits)
        proposal = ticket if ends is None else np.searchsorted(ends, ticket, side="right")
        accepted = toss_exp(gaps[proposal], unit, bits)
        first = int(np.argmax(accepted))
        if accepted[first]:
            return int(proposal[first])
        block = min(4 * block, _BLOCK)
