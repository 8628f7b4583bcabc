"""One Poisson sample for both the private choice of a scheme and the release: how large k must be then.

The paper composes the two as if they had separate coins, which is not proved and in part false (theory SP-4). This
bound is proved; it costs a larger k. Derivation: `docs/proofs/threshold.md`, section 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.dp.accounting.bad_event import BadEvent
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.interval import Interval
from shoal.dp.coins.sampling_rate import SamplingRate, at_most_published, check_rate, failure, success
from shoal.errors import InfeasibleError, ParameterError
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSample:
    """Choose a scheme ε_s-privately from a Poisson sample, then release that same sample with the threshold k.

    >>> from shoal.dp.coins.sampling_rate import OneMinusExp
    >>> search = Fraction("0.1")
    >>> smallest_shared_threshold(OneMinusExp(Fraction("0.9")), search, Fraction(1), Fraction("1e-6"))
    95

    Guarantee: the scheme and the table together are (ε, delta(ε))-DP under add/remove, for every
        ε ≥ max(ε_s, −ln(1−β)), provided the choice is ε_s-DP as a function of the sample.
    Paper: theory SP-4.
    """

    rate: SamplingRate
    search: Fraction
    """ε_s: what the choice of the scheme costs on the sample."""
    k: int

    def __post_init__(self) -> None:
        read_parameters(self)
        check_rate(self.rate)
        if self.search < 0 or self.k < 1:
            raise ParameterError(
                f"shared sample: search must not be negative and k at least 1; got search = {float(self.search):g}, "
                f"k = {self.k}. Use smallest_shared_threshold() to find k."
            )

    def delta(self, epsilon: Fraction) -> Fraction:
        """No less than the δ that goes with ε; 1 where the bound says nothing."""
        event = shared_event(self.rate, self.search, epsilon)
        if event is None:
            return Fraction(1)
        bound = event.at(self.k)
        return min(Interval(bound, bound).upper(), Fraction(1))

    def cost(self, epsilon: Fraction) -> PrivacyCost:
        """What the choice and the release cost together at ε."""
        delta = self.delta(epsilon)
        if delta >= 1:
            raise _nothing_proved(self.search, epsilon)
        return PrivacyCost(epsilon, delta)


def smallest_shared_threshold(rate: SamplingRate, search: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """The smallest k for which a shared sample is proved (ε, δ)-DP in total."""
    check_rate(rate)
    if not 0 < delta < 1 or search < 0:
        raise ParameterError(
            f"shared sample: delta must lie strictly between 0 and 1 and search must not be negative; "
            f"got delta = {float(delta):g}, search = {float(search):g}."
        )
    event = shared_event(rate, search, epsilon)
    if event is None:
        raise _nothing_proved(search, epsilon)
    return event.smallest(delta)


def shared_event(rate: SamplingRate, search: Fraction, epsilon: Fraction) -> BadEvent | None:
    """The bad event with the sample tilted by the choice; nothing if a share γ of the class is to be expected.

    γ solves (1−β)(1 + e^{2 ε_s} γ/(1−γ)) = e^ε, and β₊ = β e^{ε_s} / (1 − β + β e^{ε_s}).
    """
    out, into, tilt = failure(rate), success(rate), Interval.of(search).exp()
    ratio = Interval.of(epsilon).exp()
    if epsilon <= 0 or epsilon < search or not at_most_published(rate, epsilon):
        raise ParameterError(
            f"shared sample: epsilon must be positive, at least search = {float(search):g} and at least −ln(1−rate); "
            f"got epsilon = {float(epsilon):g} with rate {float(rate):.6g}. Raise epsilon, or lower the rate."
        )
    odds = (ratio / out - 1) / (tilt * tilt)
    gamma, beta = odds / (odds + 1), into * tilt / (out + into * tilt)
    return BadEvent.of(beta.high, gamma.low) if beta.high < gamma.low else None


def _nothing_proved(search: Fraction, epsilon: Fraction) -> InfeasibleError:
    return InfeasibleError(
        f"shared sample: with search = {float(search):g} out of epsilon = {float(epsilon):g} no k is large enough. "
        "Give the search less, give the release more, lower the rate, or use separate samples."
    )
