"""Which ε and δ a method takes: those that mean something, and with which everything can be drawn and accounted for.

A request outside is refused by its numbers alone, before a table is read or a budget touched.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import ParameterError
from shoal.parameters import Number, exact

SMALLEST_EPSILON = Fraction(1, 10**9)
"""Noise of scale 1/ε then exceeds the number of people in any country; finer steps than 2^-40 cannot be drawn."""

LARGEST_EPSILON = Fraction(10_000)
"""e^ε then has more than 4,000 digits: nothing is hidden long before, and no accounting is tested beyond."""

SMALLEST_DELTA = Fraction(1, 10**100)
"""The secure random source itself promises no more than 2^-256, about 10^-77."""


def require_epsilon(epsilon: Number) -> None:
    """Refuse an ε that no method takes."""
    value = exact(epsilon, "epsilon")
    if not value > 0:
        raise ParameterError(f"epsilon must be above 0; got {epsilon!r}.")
    if not SMALLEST_EPSILON <= value <= LARGEST_EPSILON:
        why = "with less, noise drowns any table" if value < SMALLEST_EPSILON else "with more, nothing would be hidden"
        raise ParameterError(
            f"epsilon must lie between {float(SMALLEST_EPSILON):g} and {float(LARGEST_EPSILON):g}; got {epsilon!r}: "
            f"{why}. Usual values lie between 0.01 and 10."
        )


def require_delta(delta: Number, *, or_zero: bool) -> None:
    """Refuse a δ that no method takes."""
    value = exact(delta, "delta")
    if not (0 <= value < 1 if or_zero else 0 < value < 1):
        raise ParameterError(f"delta must be {'0 or more' if or_zero else 'above 0'} and below 1; got {delta!r}.")
    if 0 < value < SMALLEST_DELTA:
        raise ParameterError(
            f"delta must be {float(SMALLEST_DELTA):g} or more{', or 0' * or_zero}; got {delta!r}: no random source is "
            "as good as that. Take a value well below one over the number of records, such as 1e-6."
        )
