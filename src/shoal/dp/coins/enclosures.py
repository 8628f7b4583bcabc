"""Probabilities known as well as one asks: integer bounds on 2^b p for every number of bits b.

A coin with probability p compares a uniform number with p, bit by bit, until it knows on which side it lies. For that p
need not be a fraction; it is enough to enclose it, closer and closer. All arithmetic is on Python integers, rounded
outward. Why this gives exactly Bernoulli(p): `docs/proofs/coins.md`, section 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from fractions import Fraction

    from shoal.dp.coins.bits import Bits

Enclosure: TypeAlias = Callable[[int], tuple[int, int]]
"""From a number of bits b to integers (low, high) with low <= 2^b p <= high. (high − low) / 2^b tends to 0."""

_HALVINGS = 8
_GUARD = 24


def ceil_div(number: int, divisor: int) -> int:
    """The quotient rounded up."""
    return -(-number // divisor)


def rational(p: Fraction) -> Enclosure:
    """Encloses a fraction in [0, 1]."""

    def bounds(bits: int) -> tuple[int, int]:
        scaled = p.numerator << bits
        return scaled // p.denominator, ceil_div(scaled, p.denominator)

    return bounds


def exp_minus(x: Fraction) -> Enclosure:
    """Encloses e^-x for a fraction x >= 0.

    >>> from fractions import Fraction
    >>> low, high = exp_minus(Fraction(1))(20)
    >>> low, high, round(2**20 * 0.36787944117)
    (385749, 385750, 385750)
    """

    def bounds(bits: int) -> tuple[int, int]:
        if x >= bits:
            return 0, 1  # e^-x <= e^-bits < 2^-bits
        return _exp_minus_bounds(x, bits)

    return bounds


def _exp_minus_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Taylor series of e^(x / 2^h), squared h times, inverted; every step rounded outward."""
    halvings = int(x).bit_length() + _HALVINGS
    precision = bits + halvings + _GUARD
    scaled, divisor = x.numerator << precision, x.denominator << halvings
    small_low, small_high = scaled // divisor, ceil_div(scaled, divisor)

    low = high = term_low = term_high = 1 << precision
    k = 0
    while term_low:
        k += 1
        term_low = term_low * small_low // (k << precision)
        term_high = ceil_div(term_high * small_high, k << precision)
        low += term_low
        high += term_high
    high += term_high  # the rest of the series: each term is less than half of the one before, as x / 2^h <= 2^-8

    for _ in range(halvings):
        low = low * low >> precision
        high = -(-high * high >> precision)
    one = 1 << (bits + precision)
    return one // high, ceil_div(one, low)


def complement(p: Enclosure) -> Enclosure:
    """Encloses 1 − p."""

    def bounds(bits: int) -> tuple[int, int]:
        low, high = p(bits)
        return (1 << bits) - high, (1 << bits) - low

    return bounds


def product(p: Enclosure, q: Enclosure) -> Enclosure:
    """Encloses p q, for p and q in [0, 1]."""

    def bounds(bits: int) -> tuple[int, int]:
        low, high = p(bits + 2)
        other_low, other_high = q(bits + 2)
        return low * other_low >> (bits + 4), ceil_div(high * other_high, 1 << (bits + 4))

    return bounds


def logistic_minus(x: Fraction) -> Enclosure:
    """Encloses 1 / (1 + e^x) = e^-x / (1 + e^-x), which rises with e^-x, for a fraction x >= 0."""
    exponential = exp_minus(x)

    def bounds(bits: int) -> tuple[int, int]:
        low, high = exponential(bits + 2)
        one = 1 << (bits + 2)
        return (low << bits) // (one + low), ceil_div(high << bits, one + high)

    return bounds


def is_below(prefix: int, length: int, p: Enclosure, bits: Bits) -> bool:
    """Whether the uniform number that begins with the `length` bits `prefix` is below p; draws bits until it shows."""
    while True:
        low, high = p(length)
        if prefix < low:
            return True
        if prefix >= high:
            return False
        prefix = prefix << 64 | int.from_bytes(bits.take(8), "little")
        length += 64
