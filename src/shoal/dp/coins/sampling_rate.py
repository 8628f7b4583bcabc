"""How likely each record enters a Poisson sample, without rounding: β, 1 − β, and β compared with 1 − e^−ε."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, assert_never

from shoal.dp.accounting.interval import Interval
from shoal.errors import ParameterError
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class OneMinusExp:
    """The rate β = 1 − e^−ε, drawn exactly as "not Bernoulli(e^−ε)"; the largest that SafePub's Theorem 3 allows.

    >>> round(float(OneMinusExp(Fraction(9, 10))), 6)
    0.59343

    Paper: SafePub §3 and §4, β_max.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.epsilon <= 0:
            raise ParameterError(
                f"sampling rate 1 − e^−epsilon: epsilon must be a positive fraction; got {self.epsilon!r}. "
                "Give the epsilon the release may spend, as Fraction('0.9')."
            )

    def __float__(self) -> float:
        return -math.expm1(-float(self.epsilon))


SamplingRate: TypeAlias = Fraction | OneMinusExp
"""A rational β, or β = 1 − e^−ε."""


def check_rate(rate: SamplingRate) -> None:
    """Refuse a rate that is not exact, or not strictly between 0 and 1."""
    if isinstance(rate, OneMinusExp):
        return
    if not _is_exact(rate) or not 0 < rate < 1:
        raise ParameterError(
            f"sampling rate: must be a fraction strictly between 0 and 1; got {rate!r}. "
            "Write Fraction('0.9'), or leave it out to get 1 − e^−epsilon, the rate of the paper."
        )


def failure(rate: SamplingRate) -> Interval:
    """1 − β: how likely a record stays out of the sample."""
    match rate:
        case Fraction():
            return Interval.of(1 - rate)
        case OneMinusExp(epsilon):
            return Interval.of(-epsilon).exp()
    assert_never(rate)


def success(rate: SamplingRate) -> Interval:
    """β: how likely a record enters the sample."""
    return Interval.of(rate) if isinstance(rate, Fraction) else 1 - failure(rate)


def at_most_published(rate: SamplingRate, epsilon: Fraction) -> bool:
    """Whether β ≤ 1 − e^−ε, so that the absence of a record never shows beyond e^ε (SafePub Theorem 3).

    For a rational β > 0 and ε > 0 the two sides differ, because e^−ε is irrational; a doubt in the 60th digit is a no.
    """
    if isinstance(rate, OneMinusExp):
        return rate.epsilon <= epsilon
    return failure(rate).low >= Interval.of(-epsilon).exp().high


def _is_exact(value: object) -> bool:
    return isinstance(value, Fraction | int) and not isinstance(value, bool)
