"""Sample every record with probability β, show a class only if k or more of its records were drawn: which k for (ε, δ).

Two ways to account for it. The paper bounds δ by the probability of all counts at which the ε-ratio fails; the exact
profile adds up only by how much it fails, needs a smaller k, and allows any β < 1. Both are upper bounds, rounded up.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.dp.accounting.bad_event import BadEvent
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.interval import Interval
from shoal.dp.accounting.profile import Profile
from shoal.dp.coins.sampling_rate import OneMinusExp, SamplingRate, at_most_published, check_rate, failure, success
from shoal.errors import ParameterError
from shoal.parameters import read_as, read_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from decimal import Decimal


class Accounting(Enum):
    """How δ is derived from k, β and ε."""

    EXACT = "exact"
    """The exact privacy profile (theory SP-5)."""
    PAPER = "paper"
    """d(k, β, ε) of SafePub's Theorem 3; needs β ≤ 1 − e^−ε."""


class KRule(Enum):
    """Which k is taken for a wanted δ."""

    SMALLEST = "smallest"
    """The smallest k that meets δ."""
    PAPER = "paper"
    """One more than that, as the paper's experiments and ARX have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleAndThreshold:
    """Keep each record with probability β, generalize by a fixed scheme, drop classes with fewer than k records.

    >>> operator = SampleAndThreshold(rate=OneMinusExp(Fraction(1)), k=58)
    >>> f"{float(operator.delta(Fraction(1))):.4e}"
    '9.3843e-07'

    Guarantee: (ε, delta(ε))-DP under add/remove for every ε > 0 at once (for PAPER: every ε ≥ −ln(1−β)), provided the
        dropped rows are not published, not even as a number (theory SP-2), and the scheme does not depend on the
        sample.
    Paper: SafePub §4, Theorems 3 to 5, and §7.3, Theorem 11; theory SP-5.
    """

    rate: SamplingRate
    k: int
    accounting: Accounting = Accounting.EXACT

    def __post_init__(self) -> None:
        read_parameters(self)
        check_rate(self.rate)
        if self.k < 1:
            raise ParameterError(
                f"sample and threshold: k must be a whole number of at least 1; got {self.k!r}. "
                "Use smallest_threshold() to find it from epsilon and delta."
            )

    def delta(self, epsilon: Fraction) -> Fraction:
        """No less than the δ that goes with ε, and less than one part in 10⁹ above it."""
        bound = _curve(self.rate, epsilon, self.accounting)(self.k)
        return min(Interval(bound, bound).upper(), Fraction(1))

    def cost(self, epsilon: Fraction) -> PrivacyCost:
        """What one release costs at ε."""
        return PrivacyCost(epsilon, self.delta(epsilon))

    def smoothness(self, epsilons: Iterable[Fraction]) -> tuple[PrivacyCost, ...]:
        """How fast δ falls when ε rises: all these costs hold at once, it is one price in many currencies.

        Paper: SafePub §7.3, Theorem 11, Figure 10.
        """
        return tuple(self.cost(epsilon) for epsilon in epsilons)


def smallest_threshold(
    rate: SamplingRate,
    epsilon: Fraction,
    delta: Fraction,
    accounting: Accounting = Accounting.EXACT,
    k_rule: KRule = KRule.SMALLEST,
) -> int:
    """The smallest k for which sampling with β and dropping classes below k is (ε, δ)-DP.

    >>> smallest_threshold(OneMinusExp(Fraction(1)), Fraction(1), Fraction(1, 10**6))
    58
    >>> smallest_threshold(OneMinusExp(Fraction(1)), Fraction(1), Fraction(1, 10**6), Accounting.PAPER)
    74

    Paper: SafePub §4, Theorem 5 and the text after it.
    """
    accounting, k_rule = read_as(Accounting, "accounting", accounting), read_as(KRule, "k_rule", k_rule)
    check_rate(rate)
    if not 0 < delta < 1:
        raise ParameterError(
            f"sample and threshold: delta must lie strictly between 0 and 1; got {float(delta):g}. "
            "Take a value well below one over the number of records, such as 1e-6."
        )
    if Fraction(failure(rate).high) < _SELDOM:
        k = None
    elif accounting is Accounting.PAPER:
        event = bad_event(rate, epsilon)
        k = event.smallest(delta) if event.enough(delta) <= _LARGEST_K else None
    else:
        k = first_within(_curve(rate, epsilon, accounting), delta)
    if k is None:
        raise _too_large(rate, epsilon, delta)
    return k + 1 if k_rule is KRule.PAPER else k


def calibrate(
    cost: PrivacyCost,
    rate: SamplingRate | None = None,
    accounting: Accounting = Accounting.EXACT,
    k_rule: KRule = KRule.SMALLEST,
) -> SampleAndThreshold:
    """The operator for a wanted (ε, δ): β = 1 − e^−ε unless another rate is given, and the k it needs."""
    rate = OneMinusExp(cost.epsilon) if rate is None else rate
    k = smallest_threshold(rate, cost.epsilon, cost.delta, accounting, k_rule)
    return SampleAndThreshold(rate=rate, k=k, accounting=accounting)


def bad_event(rate: SamplingRate, epsilon: Fraction) -> BadEvent:
    """The event of SafePub's Theorem 3: j > γ n with γ = 1 − (1−β) e^−ε."""
    _check_epsilon(epsilon)
    if not at_most_published(rate, epsilon):
        raise ParameterError(
            f"sample and threshold: the paper's accounting needs a sampling rate of at most 1 − e^−epsilon = "
            f"{float(OneMinusExp(epsilon)):.6g} at epsilon = {float(epsilon):g}; got {float(rate):.6g}. "
            "Lower the rate, raise epsilon, or use the exact accounting, which allows any rate below 1."
        )
    return BadEvent.of(success(rate).high, (1 - failure(rate) * Interval.of(-epsilon).exp()).low)


def _curve(rate: SamplingRate, epsilon: Fraction, accounting: Accounting) -> Callable[[int], Decimal]:
    """δ as a function of k."""
    _check_epsilon(epsilon)
    return bad_event(rate, epsilon).at if accounting is Accounting.PAPER else Profile.of(rate, epsilon).at


def _check_epsilon(epsilon: Fraction) -> None:
    if epsilon <= 0:
        raise ParameterError(
            f"sample and threshold: epsilon must be positive; got {float(epsilon):g}. "
            "Sampling alone never makes two tables look exactly alike."
        )


_LARGEST_K = 10**6
"""What needs a larger k publishes next to nothing of any table, and scores of its classes no longer fit memory."""

_SELDOM = Fraction(1, 10**12)
"""A record that is absent more seldom is hidden by no class of up to 10⁶, and digits for the accounting run out."""


def _too_large(rate: SamplingRate, epsilon: Fraction, delta: Fraction) -> ParameterError:
    return ParameterError(
        f"sample and threshold: with a sampling rate of {float(rate):.9g}, epsilon = {float(epsilon):g} and delta = "
        f"{float(delta):g} take classes of more than {_LARGEST_K:,} records that look alike. Lower sampling_rate: the "
        "nearer it is to 1, the more records hide one that is absent."
    )


def first_within(curve: Callable[[int], Decimal], delta: Fraction, above: int = 0) -> int | None:
    """The smallest k > above with curve(k) ≤ δ, for a falling curve: doubled until one is found, then bisected.

    None if there is none up to a million.
    """

    def is_within(k: int) -> bool:
        return Fraction(curve(above + k)) <= delta

    high = 1
    while not is_within(high):
        if high == _LARGEST_K:
            return None
        high = min(2 * high, _LARGEST_K)
    return above + bisect_left(range(high), True, lo=high // 2 + 1, key=is_within)
