"""Two decimals between which a real number lies: how e^ε and ln are rounded to the safe side.

`Decimal.exp` and `Decimal.ln` are documented to be correctly rounded; one unit in the last of 60 places is added on
both sides. The four operations round outward. So every `Interval` computed here contains the true value, whatever the
caller's decimal context is.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TypeAlias

PLACES = 60
SHOWN_PLACES = 12
"""Significant digits of the rationals that leave this package: enough for any budget, short enough for exact coins."""


def _context(places: int, rounding: str) -> Context:
    return Context(prec=places, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, clamp=0)


_UP, _DOWN = _context(PLACES, ROUND_CEILING), _context(PLACES, ROUND_FLOOR)


@dataclass(frozen=True, slots=True)
class Interval:
    """All real numbers from `low` to `high`.

    >>> Interval.of(1).exp().contains(Fraction(2718281828, 10**9))
    False
    >>> round(Interval.of(1).exp().high, 9)
    Decimal('2.718281828')
    """

    low: Decimal
    high: Decimal

    @classmethod
    def of(cls, value: Fraction | int) -> Interval:
        """The narrowest interval around a rational."""
        over, under = (Decimal(part) for part in Fraction(value).as_integer_ratio())
        return cls(_DOWN.divide(over, under), _UP.divide(over, under))

    def contains(self, value: Fraction) -> bool:
        """Whether the rational lies in the interval."""
        return Fraction(self.low) <= value <= Fraction(self.high)

    def __neg__(self) -> Interval:
        return Interval(self.high.copy_negate(), self.low.copy_negate())

    def __add__(self, other: Operand) -> Interval:
        other = _interval(other)
        return Interval(_DOWN.add(self.low, other.low), _UP.add(self.high, other.high))

    def __sub__(self, other: Operand) -> Interval:
        other = _interval(other)
        return Interval(_DOWN.subtract(self.low, other.high), _UP.subtract(self.high, other.low))

    def __rsub__(self, other: int) -> Interval:
        return _interval(other) - self

    def __mul__(self, other: Operand) -> Interval:
        other = _interval(other)
        pairs = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(_DOWN.multiply(*pair) for pair in pairs), max(_UP.multiply(*pair) for pair in pairs))

    def __truediv__(self, other: Operand) -> Interval:
        """Divide by an interval of positive numbers."""
        other = _interval(other)
        assert other.low > 0
        return Interval(
            min(_DOWN.divide(self.low, b) for b in (other.low, other.high)),
            max(_UP.divide(self.high, b) for b in (other.low, other.high)),
        )

    def __rtruediv__(self, other: int) -> Interval:
        return _interval(other) / self

    def exp(self) -> Interval:
        """The exponential of every number of the interval."""
        return Interval(_DOWN.exp(self.low).next_minus(_DOWN), _UP.exp(self.high).next_plus(_UP))

    def ln(self) -> Interval:
        """The logarithm of an interval of positive numbers."""
        return Interval(_DOWN.ln(self.low).next_minus(_DOWN), _UP.ln(self.high).next_plus(_UP))

    def upper(self, places: int = SHOWN_PLACES) -> Fraction:
        """A short rational that is no smaller than the true value."""
        return Fraction(_context(places, ROUND_CEILING).plus(self.high))

    def lower(self, places: int = SHOWN_PLACES) -> Fraction:
        """A short rational that is no larger than the true value."""
        return Fraction(_context(places, ROUND_FLOOR).plus(self.low))


Operand: TypeAlias = Interval | Fraction | int


def _interval(value: Operand) -> Interval:
    return value if isinstance(value, Interval) else Interval.of(value)
