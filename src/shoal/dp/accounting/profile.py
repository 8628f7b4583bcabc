"""The exact privacy profile of sampling and thresholding, in closed form.

A class of n records is sampled to Bin(n, β) and shown if the count is at least k. With S(k; n) = P[Bin(n, β) ≥ k] the
two hockey-stick divergences at ε, maximal over all class sizes n, are

    add:     S(k; n) − e^ε S(k; n−1)                  at n = max(k, ⌈(k−1)/γ⌉),  γ = 1 − (1−β) e^−ε
    remove:  e^ε S(k; n) − S(k; n−1) − (e^ε − 1)      at n = max(k, ⌈(k−1)/c⌉),  c = 1 − (1−β) e^ε, zero if c ≤ 0

so no scan over n is needed. Derivation: `docs/proofs/threshold.md`, sections 4 and 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from shoal.dp.accounting.binomial_tail import Trials
from shoal.dp.accounting.interval import Interval
from shoal.dp.coins.sampling_rate import SamplingRate, at_most_published, failure, success


@dataclass(frozen=True, slots=True)
class Profile:
    """δ as a function of k, for one sampling rate and one ε.

    Guarantee: sampling, generalizing by a fixed scheme and dropping classes below k is (ε, at(k))-DP under add/remove,
        and (ε, δ')-DP for no smaller δ' than at(k), up to a rounding of less than one part in 10⁹.
    Paper: theory SP-5; closed form in `docs/proofs/threshold.md`.
    """

    trials: Trials
    ratio: Interval
    """e^ε."""
    gamma: Interval
    lower_cut: Interval | None
    """c, or nothing when β ≤ 1 − e^−ε and the remove direction costs no δ."""

    @classmethod
    def of(cls, rate: SamplingRate, epsilon: Fraction) -> Profile:
        """The profile for a checked rate and a positive ε."""
        rest, ratio = failure(rate), Interval.of(epsilon).exp()
        cut = None if at_most_published(rate, epsilon) else 1 - rest * ratio
        return cls(Trials.of(success(rate), rest), ratio, 1 - rest / ratio, cut)

    def at(self, k: int) -> Decimal:
        """No less than δ(ε) for the threshold k."""
        return max(self._add(k), self._remove(k))

    def _add(self, k: int) -> Decimal:
        """S(k; n) − e^ε S(k; n−1) = f(k−1; n−1) · (β − (e^ε − 1) · S(k; n−1)/f(k−1; n−1))."""
        values = []
        for n in range(_size(k, self.gamma.high), _size(k, self.gamma.low) + 1):
            beyond = self.trials.tail_over_mass(k - 1, n - 1, up=False) - 1
            values.append(self.trials.mass(k - 1, n - 1) * (self.trials.success - (self.ratio - 1) * beyond))
        return max(value.high for value in values)

    def _remove(self, k: int) -> Decimal:
        """F(k−1; n−1) − e^ε F(k−1; n) = f(k−1; n−1) · (e^ε β − (e^ε − 1) · F(k−1; n−1)/f(k−1; n−1))."""
        if self.lower_cut is None:
            return Decimal(0)
        n, failures = _size(k, self.lower_cut.high), self.trials.swapped
        if self.lower_cut.low <= 0 or _size(k, self.lower_cut.low) != n:
            # c is too close to zero to name the worst n, but for that n and all larger ones δ ≤ F(k−1; n−1).
            return failures.tail(n - k, n - 1)
        below = failures.tail_over_mass(n - k, n - 1, up=False)
        return (self.trials.mass(k - 1, n - 1) * (self.ratio * self.trials.success - (self.ratio - 1) * below)).high


def _size(k: int, share: Decimal) -> int:
    """The class size at which the k-th record is worst: max(k, ⌈(k−1)/share⌉)."""
    return max(k, math.ceil((k - 1) / Fraction(share)))
