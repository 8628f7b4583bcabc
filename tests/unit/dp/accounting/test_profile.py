"""The closed form of the exact profile against the definition, and doubles that leave something out."""

from fractions import Fraction

import mpmath as mp
import pytest
from brute_threshold import exact_delta, number
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.dp.accounting.profile import Profile
from shoal.dp.coins.sampling_rate import OneMinusExp

CLOSE = 1 + mp.mpf(10) ** -9
epsilons = st.fractions(Fraction(1, 20), 3, max_denominator=1000)
rates = st.one_of(st.fractions(Fraction(1, 50), Fraction(24, 25), max_denominator=1000), epsilons.map(OneMinusExp))


def bound(profile, k):
    return mp.mpf(str(profile.at(k)))


@settings(max_examples=60, deadline=None)
@given(rate=rates, epsilon=epsilons, k=st.integers(1, 7))
def test_the_profile_is_the_largest_hockey_stick_divergence_over_all_class_sizes(rate, epsilon, k):
    out, ratio = 1 - number(rate), mp.exp(number(epsilon))
    # The worst classes have about (k−1)/γ and (k−1)/c records: few enough to look at twice as many.
    shares = [share for share in (1 - out / ratio, 1 - out * ratio) if share > mp.mpf(10) ** -30]
    assume(min(shares) > 0.2)
    truth = exact_delta(k, rate, epsilon, largest=int(2 * (k - 1) / min(shares)) + 5)
    assert truth * (1 - mp.mpf(10) ** -50) <= bound(Profile.of(rate, epsilon), k) <= truth * CLOSE


class OnlyAdding(Profile):
    """A double that forgets that a record can also be missed."""

    def _remove(self, k):
        return 0 * k


REMOVING_IS_WORSE = (Fraction("0.9128497912"), Fraction("0.0161897472"), 12)


def is_safe(profile, rate, epsilon, k, largest=60):
    claimed = mp.mpf(str(profile.at(k)))
    return exact_delta(k, rate, epsilon, largest) <= claimed


def test_a_profile_that_ignores_removal_is_caught_and_ours_is_not():
    """For β > 1 − e^−ε removing a record can be worse than adding one."""
    rate, epsilon, k = REMOVING_IS_WORSE
    assert is_safe(Profile.of(rate, epsilon), rate, epsilon, k)
    assert not is_safe(OnlyAdding.of(rate, epsilon), rate, epsilon, k)


class WrongClass(Profile):
    """A double that looks at the class size k only."""

    def _add(self, k):
        return (self.trials.success * self.trials.mass(k - 1, k - 1)).high


def test_a_profile_that_looks_at_one_class_size_only_is_caught():
    rate, epsilon = OneMinusExp(Fraction(1)), Fraction(1)
    assert is_safe(Profile.of(rate, epsilon), rate, epsilon, 10)
    assert not is_safe(WrongClass.of(rate, epsilon), rate, epsilon, 10)


@settings(max_examples=80, deadline=None)
@given(rate=rates, epsilon=epsilons, k=st.integers(1, 400))
def test_delta_never_rises_with_k(rate, epsilon, k):
    profile = Profile.of(rate, epsilon)
    assert Fraction(profile.at(k + 1)) <= Fraction(profile.at(k)) * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("digits", [6, 20, 40, 58])
def test_a_rate_a_hair_above_the_published_one_is_handled(digits):
    """c is then almost zero and the worst class for removal astronomically large."""
    epsilon = Fraction(1)
    published = OneMinusExp(epsilon)
    value = number(published)
    rate = Fraction(int(mp.floor(value * mp.mpf(10) ** digits)) + 1, 10**digits)
    above, below = Profile.of(rate, epsilon), Profile.of(published, epsilon)
    assert above.lower_cut is not None
    assert float(above.at(58)) == pytest.approx(float(below.at(58)), rel=1e-4)
    assert float(above.at(58)) == pytest.approx(9.3843e-7, rel=1e-3)


def upper_tail(k, n, beta):
    """P[Bin(n, β) ≥ k] to 60 digits, summed from its largest term."""
    term = total = mp.exp(
        mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1) + k * mp.log(beta) + (n - k) * mp.log(1 - beta)
    )
    for i in range(k, n):
        term *= mp.mpf(n - i) / (i + 1) * beta / (1 - beta)
        total += term
        if term < total * mp.mpf(10) ** -50:
            break
    return total


@pytest.mark.parametrize(
    ("rate", "epsilon", "k"),
    [(None, "0.01", 178), (None, "0.05", 186), (None, "4", 2492), ("0.5", "0.05", 2000), ("0.9", "0.1", 63928)],
)
def test_bounds_hold_where_classes_are_too_large_to_enumerate(rate, epsilon, k):
    """S(k; n) − e^ε S(k; n−1) in 60 digits, at the class sizes around the worst one."""
    epsilon = Fraction(epsilon)
    rate = OneMinusExp(epsilon) if rate is None else Fraction(rate)
    beta, ratio = number(rate), mp.exp(number(epsilon))
    worst = int((k - 1) / (1 - (1 - beta) / ratio))
    tails = {n: upper_tail(k, n, beta) if n >= k else mp.mpf(0) for n in range(max(worst - 3, k - 1), worst + 5)}
    truth = max(tails[n] - ratio * tails[n - 1] for n in tails if n - 1 in tails)
    assert truth <= bound(Profile.of(rate, epsilon), k) <= truth * CLOSE
