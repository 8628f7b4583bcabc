"""Binomial probabilities and tails that are never too small, to dozens of digits and for any number of trials.

Stirling's series encloses the factorials (its remainder is smaller than the first term left out and has its sign), the
tail is the mass at its edge times a sum of falling ratios in fixed-point integers, cut off under a geometric bound.
Derivation and error bounds: `docs/proofs/threshold.md`, section 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from shoal.dp.accounting.interval import Interval

BITS = 96
"""Places of the fixed-point sum after the binary point."""
_ONE = 1 << BITS
_NEGLIGIBLE = _ONE >> 60
"""A term this far below the first one ends the sum; what is left is bounded, not forgotten."""

_EXACT_BELOW = 128
_STIRLING = tuple(Fraction(*pair) for pair in ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360)))
_STIRLING_NEXT = Fraction(1, 156)  # B₁₄ / (14·13), the first coefficient left out
_COMMON = math.lcm(*(c.denominator for c in _STIRLING))
_PI = Interval(  # its first 60 digits, and the last of them raised by one
    Decimal("3.14159265358979323846264338327950288419716939937510582097494"),
    Decimal("3.14159265358979323846264338327950288419716939937510582097495"),
)
_HALF_LOG_TWO_PI = (_PI * 2).ln() / 2


@lru_cache(maxsize=4096)
def log_factorial(m: int) -> Interval:
    """The logarithm of m!, by Stirling's series from m = 128 on."""
    if m < _EXACT_BELOW:
        return Interval.of(math.factorial(m)).ln()
    series = 0
    for c in _STIRLING:
        series = series * m**2 + int(c * _COMMON)
    power = m ** (2 * len(_STIRLING) - 1)
    rest = Interval(Decimal(0), Interval.of(_STIRLING_NEXT / (power * m**2)).high)
    main = Interval.of(m).ln() * Fraction(2 * m + 1, 2) - m + _HALF_LOG_TWO_PI
    return main + Fraction(series, _COMMON * power) + rest


@dataclass(frozen=True, slots=True)
class Trials:
    """Independent trials whose chance of success lies in an interval."""

    success: Interval
    failure: Interval
    log_success: Interval
    log_failure: Interval

    @classmethod
    def of(cls, success: Interval, failure: Interval) -> Trials:
        """Trials with these chances; each is enclosed on its own so that neither loses digits."""
        return cls(success, failure, success.ln(), failure.ln())

    @property
    def swapped(self) -> Trials:
        """The same trials with success and failure exchanged: lower tails become upper tails."""
        return Trials(self.failure, self.success, self.log_failure, self.log_success)

    def mass(self, j: int, n: int) -> Interval:
        """P[exactly j successes in n trials]."""
        ways = log_factorial(n) - log_factorial(j) - log_factorial(n - j)
        return (ways + self.log_success * j + self.log_failure * (n - j)).exp()

    def tail_over_mass(self, j: int, n: int, *, up: bool) -> Fraction:
        """P[at least j of n] / P[exactly j of n]: no less than that if `up`, else no more.

        Σ_{i ≥ j} f(i)/f(j), each term the one before times (n−i)/(i+1) · odds, a ratio that falls with i.
        """
        odds = self.success / self.failure
        top, bottom = (odds.high if up else odds.low).as_integer_ratio()
        scaled = _ceiling(top << BITS, bottom) if up else (top << BITS) // bottom
        term = total = _ONE
        for i in range(j, n):
            over, under = (n - i) * scaled, (i + 1) << BITS
            term = -(-term * over // under) if up else term * over // under
            total += term
            if term < _NEGLIGIBLE and over < under:
                # All later ratios are at most r = over/under, so what is left is at most term · r/(1−r).
                return Fraction(total + (_ceiling(term * over, under - over) if up else 0), _ONE)
        return Fraction(total, _ONE)

    def tail(self, j: int, n: int) -> Decimal:
        """No less than P[at least j successes in n trials]."""
        return min((self.mass(j, n) * self.tail_over_mass(j, n, up=True)).high, Decimal(1))


def _ceiling(over: int, under: int) -> int:
    return -(-over // under)
