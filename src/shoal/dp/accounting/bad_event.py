"""The chance that a class is shown with more records than privacy allows: SafePub's δ, evaluated quickly.

d(k) = max over n of P[Bin(n, β) ≥ k and > γ n]. For a fixed count j the chance P[Bin(n, β) ≥ j] grows with n, so only
the largest n below j/γ matters, and d(k) = max over j ≥ k of A(j) = P[Bin(n_j, β) ≥ j], n_j = ⌈j/γ⌉ − 1. Where n_j − j
does not change, A falls, so only the first j of such a run matters; the Chernoff bound e^(−n KL(γ‖β)) ends the scan.
Derivation: `docs/proofs/threshold.md`, section 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from shoal.dp.accounting.binomial_tail import Trials
from shoal.dp.accounting.interval import Interval


@dataclass(frozen=True, slots=True)
class BadEvent:
    """A class whose sampled share exceeds γ although each record enters with chance β < γ.

    Built from an upper bound on β and a lower bound on γ: both enlarge the event, so every chance is an upper bound.

    Paper: SafePub §4, Eq. (2) and Theorem 4.
    """

    trials: Trials
    gamma: Fraction
    exponent: Interval
    """KL(γ‖β), the rate at which the chance falls with n (Chernoff)."""

    @classmethod
    def of(cls, beta: Decimal, gamma: Decimal) -> BadEvent:
        """The event for an upper bound on β and a lower bound on γ, β < γ."""
        assert 0 < beta < gamma < 1
        rate, cut = Fraction(beta), Fraction(gamma)
        trials = Trials.of(Interval.of(rate), Interval.of(1 - rate))
        share, rest = Interval.of(cut), Interval.of(1 - cut)
        exponent = share * (share.ln() - trials.log_success) + rest * (rest.ln() - trials.log_failure)
        return cls(trials, cut, exponent)

    def at(self, k: int) -> Decimal:
        """d(k): no less than the chance that a class of any size is shown, with k or more records, and exceeds γ."""
        best, j = Decimal(0), k
        while (self.exponent * -self._size(j)).exp().high > best:
            n = self._size(j)
            best = max(best, self.trials.tail(j, n))
            j = self._first(n - j + 1)
        return best

    def enough(self, delta: Fraction) -> int:
        """A k that is large enough by Chernoff's bound: from here on n_k KL ≥ ln(1/δ)."""
        sizes = -Interval.of(delta).ln() / self.exponent
        return math.ceil(Fraction(sizes.high) * self.gamma) + 1

    def smallest(self, delta: Fraction) -> int:
        """The smallest k with d(k) ≤ δ: one more than the last j with A(j) > δ, looked for from above."""
        j = self.enough(delta)
        while j > 1:
            slack = self._size(j - 1) - (j - 1)
            first = self._first(slack)
            if self._exceeds(first, delta):
                return self._last_exceeding(first, j, delta) + 1
            j = first
        return 1

    def _last_exceeding(self, low: int, high: int, delta: Fraction) -> int:
        """The last j in a run with A(j) > δ; A falls from `low`, where it exceeds, to `high`, behind the run."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._exceeds(middle, delta) else (low, middle)
        return low

    def _exceeds(self, j: int, delta: Fraction) -> bool:
        return Fraction(self.trials.tail(j, self._size(j))) > delta

    def _size(self, j: int) -> int:
        """The largest class in which j records are more than a share γ: n_j = ⌈j/γ⌉ − 1."""
        return (j * self.gamma.denominator - 1) // self.gamma.numerator

    def _first(self, slack: int) -> int:
        """The first j with n_j − j ≥ slack: the least j > γ (j + slack)."""
        gamma = self.gamma
        return slack * gamma.numerator // (gamma.denominator - gamma.numerator) + 1
