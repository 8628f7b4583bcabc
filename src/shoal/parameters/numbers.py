"""The types of numbers that parameters declare, and numbers exactly as they are written."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, TypeAlias

from shoal.errors import ParameterError
from shoal.parameters.words import AtLeast, came

Number: TypeAlias = Fraction | int | float | str | Decimal
"""How a user may write ε, δ and whatever else has to be exact: 0.1 and "0.1" are one tenth, "1/3" is one third."""

Seed: TypeAlias = Annotated[int, AtLeast(0)]
"""Decides draws that need not be secret, such as who is tried by an attack."""

Count: TypeAlias = Annotated[int, AtLeast(1)]

Diversity: TypeAlias = Annotated[Number, AtLeast(1)]
"""ℓ, as every method takes it: no sensitive value is more frequent than 1/ℓ, whatever it is more frequent in."""

_LONGEST_TEXT = 400
"""Characters of a number written as text, and digits before or behind its point: more would take forever to read."""


def exact(value: Number, name: str = "value") -> Fraction:
    """The number as it is written: 0.1 and "0.1" are one tenth, not the nearest binary fraction.

    >>> exact(0.1), exact("1e-6"), exact("1/3")
    (Fraction(1, 10), Fraction(1, 1000000), Fraction(1, 3))
    """
    if isinstance(value, bool) or not isinstance(value, Fraction | int | float | str | Decimal):
        raise ParameterError(f"{name}: expected a number; got {came(value)}. Write it as a decimal, such as 0.1.")
    number = fraction(value)
    if number is None:
        raise ParameterError(f"{name}: {came(value)} is not a finite number. Write it as a decimal, such as 0.1.")
    return number


def plain(value: Number) -> float:
    """A number to compute with: one that is written exactly becomes the nearest float, others stay as they are."""
    return value if isinstance(value, int | float) else float(exact(value))


def fraction(value: Number) -> Fraction | None:
    """The number as it is written; None if it is none, or would take forever to write out."""
    try:
        if isinstance(value, str | Decimal) and not is_short(value):
            return None
        if isinstance(value, float):  # float.__repr__, because NumPy's scalars are floats that print otherwise
            return Fraction(float.__repr__(value))
        return Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def is_short(value: str | Decimal) -> bool:
    """Whether a number can be written out in reasonable time."""
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return False
    try:
        number = Decimal(value)
    except InvalidOperation:  # "1/3", or no number at all
        return True
    return not number.is_finite() or abs(number.adjusted()) <= _LONGEST_TEXT
