"""Parameters of mechanisms: exact numbers, of the right sign."""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import ParameterError


def require_fraction(owner: object, **values: object) -> None:
    """Refuse floats: 0.1 is not one tenth, and a privacy parameter is never rounded by accident."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Fraction | int):
            raise ParameterError(
                f"{_name(owner)}: {name} must be a Fraction or an integer; got {value!r}. "
                f"Write it as text, Fraction({str(value)!r}), so that it is not rounded."
            )


def require_positive(owner: object, **values: object) -> None:
    """Refuse floats, zero and negative numbers."""
    require_fraction(owner, **values)
    for name, value in values.items():
        assert isinstance(value, Fraction | int)
        if value <= 0:
            raise ParameterError(f"{_name(owner)}: {name} must be greater than 0; got {value}.")


def _name(owner: object) -> str:
    return owner if isinstance(owner, str) else type(owner).__name__
