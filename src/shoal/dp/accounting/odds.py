"""What ε and δ mean for somebody in the table, in a sentence that needs no formula."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from math import exp

_SUREST = 20.0
"""An ε from which on no number is told: they would mean nothing."""
_CERTAIN = 100


def odds(epsilon: float, delta: float = 0.0, what: str = "that a person takes part") -> str:
    """How far (ε, δ)-differential privacy lets anybody come; numbers are rounded up.

    >>> odds(1.0, 1e-6)
    'Whatever an attacker knows: that a person takes part changes the odds of anything they conclude by a factor of at \
most 2.72 (ε = 1). Who thought it 50% likely comes to 73.2%, not more. To that a chance of 1e-06 is added (δ).'
    """
    added = "" if not delta else f" To that a chance of {_up(delta, 1):.0e} is added (δ)."
    said = f"Whatever an attacker knows: {what} changes the odds of anything they conclude by a factor of at most"
    if epsilon > _SUREST:
        return f"{said} e^{epsilon:.3g}, which protects from hardly anything.{added}"
    factor, surest = _up(exp(epsilon), 3), _up(100 * exp(epsilon) / (1 + exp(epsilon)), 3)
    comes = "may become practically certain" if surest == _CERTAIN else f"comes to {surest:g}%, not more"
    return f"{said} {factor:,g} (ε = {epsilon:.3g}). Who thought it 50% likely {comes}.{added}"


def _up(number: float, digits: int) -> float:
    """The number with so many digits, rounded up; what a float cannot tell from it stays."""
    exactly = Decimal(f"{number:.12g}")
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(exactly))
