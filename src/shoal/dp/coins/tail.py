"""The chance that noise reaches a threshold, without rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.dp.coins.enclosures import Enclosure, exp_minus, logistic_minus, product, rational


@dataclass(frozen=True, slots=True)
class Tail:
    """share · e^−exponent."""

    share: Fraction
    exponent: Fraction

    def __float__(self) -> float:
        return float(self.share) * math.exp(-float(self.exponent))

    def enclosure(self) -> Enclosure:
        """Bounds on it, for any number of bits."""
        return product(rational(self.share), exp_minus(self.exponent))


@dataclass(frozen=True, slots=True)
class LogisticTail:
    """e^−exponent / (1 + e^slope): what discrete Laplace noise reaches with probability a^n / (1 + a), a = e^−slope."""

    slope: Fraction
    exponent: Fraction

    def __float__(self) -> float:
        fading = math.exp(-float(self.slope))  # of e^slope itself the largest are no doubles
        return math.exp(-float(self.exponent)) * fading / (1 + fading)

    def enclosure(self) -> Enclosure:
        """Bounds on it, for any number of bits."""
        return product(logistic_minus(self.slope), exp_minus(self.exponent))
