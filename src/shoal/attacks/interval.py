"""How sure an attack's success rate is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats

_Z = 1.959964
"""Both sides of the normal distribution beyond it hold 5%."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A mean of numbers between 0 and 1, with an interval that covers the true one in 95 of 100 samples.

    Wilson's score interval; where the numbers are chances rather than hits it is wider than it need be, for chances
    vary less.
    """

    value: float
    low: float
    high: float
    trials: int

    @staticmethod
    def of(chances: Floats) -> Rate:
        """The rate of some trials."""
        trials = len(chances)
        if trials == 0:
            return Rate(float("nan"), 0.0, 1.0, 0)
        p = float(np.mean(chances))
        middle = (p + _Z**2 / (2 * trials)) / (1 + _Z**2 / trials)
        reach = _Z / (1 + _Z**2 / trials) * float(np.sqrt(p * (1 - p) / trials + _Z**2 / (4 * trials**2)))
        return Rate(p, max(0.0, min(middle - reach, p)), min(1.0, max(middle + reach, p)), trials)

    @staticmethod
    def exactly(value: float) -> Rate:
        """A rate that is known, not measured."""
        return Rate(value, value, value, 0)

    def __str__(self) -> str:
        return f"{self.value:.1%} (95% interval {self.low:.1%} to {self.high:.1%})"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much larger one rate is than another, with an interval that covers the truth in 95 of 100 samples.

    Newcombe's interval: it is put together from Wilson's of the two rates.
    """

    value: float
    low: float
    high: float

    @staticmethod
    def of(one: Rate, other: Rate) -> Difference:
        """Of two rates that were measured on different people."""
        value = one.value - other.value
        below = float(np.hypot(one.value - one.low, other.high - other.value))
        above = float(np.hypot(one.high - one.value, other.value - other.low))
        return Difference(value, max(-1.0, value - below), min(1.0, value + above))

    def __str__(self) -> str:
        return f"{self.value * 100:.1f} percentage points (95% interval {self.low * 100:.1f} to {self.high * 100:.1f})"
