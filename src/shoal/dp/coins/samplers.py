"""Exact samplers, one draw at a time: the reference for the fast ones, and what an enumeration can follow.

Everything is built on two tosses, `randbelow` and `bernoulli_exp`; integers and fractions only (theory X-4).

Paper: Canonne, Kamath & Steinke 2020, Algorithms 1-3.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Protocol

_ONE = Fraction(1)


class Randbelow(Protocol):
    """A source of uniform integers."""

    def randbelow(self, n: int) -> int:
        """Uniform on 0…n−1."""
        ...


class Tosses(Randbelow, Protocol):
    """The two tosses everything else is made of."""

    def bernoulli_exp(self, x: Fraction) -> bool:
        """True with probability e^-x."""
        ...


def bernoulli(p: Fraction, coins: Randbelow) -> bool:
    """True with probability p."""
    return coins.randbelow(p.denominator) < p.numerator


def bernoulli_exp(x: Fraction, coins: Randbelow) -> bool:
    """True with probability e^-x (Alg. 1): the first failure of Bernoulli(x/1), Bernoulli(x/2), … has an odd index."""
    while x > 1:
        if not bernoulli_exp(_ONE, coins):
            return False
        x -= 1
    index = 1
    while bernoulli(x / index, coins):
        index += 1
    return index % 2 == 1


def geometric(x: Fraction, coins: Tosses) -> int:
    """G with P[G >= g] = e^(−x g), for x > 0 (Alg. 2, lines 2-10)."""
    while True:
        remainder = coins.randbelow(x.denominator)
        if coins.bernoulli_exp(Fraction(remainder, x.denominator)):
            break
    quotient = 0
    while coins.bernoulli_exp(_ONE):
        quotient += 1
    return (quotient * x.denominator + remainder) // x.numerator


def discrete_laplace(x: Fraction, coins: Tosses) -> int:
    """X with P[X = n] proportional to e^(−x |n|) (Alg. 2)."""
    while True:
        magnitude = geometric(x, coins)
        negative = bool(coins.randbelow(2))
        if magnitude or not negative:  # else zero would count twice
            return -magnitude if negative else magnitude


def discrete_gaussian(variance: Fraction, coins: Tosses) -> int:
    """X with P[X = n] proportional to e^(−n² / (2 variance)) (Alg. 3)."""
    scale = math.isqrt(int(variance)) + 1
    while True:
        proposal = discrete_laplace(Fraction(1, scale), coins)
        if coins.bernoulli_exp((abs(proposal) - variance / scale) ** 2 / (2 * variance)):
            return proposal
