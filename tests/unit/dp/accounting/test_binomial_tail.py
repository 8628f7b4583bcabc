"""Binomial masses and tails against 60-digit arithmetic: never too small, and hardly too large."""

import math
from fractions import Fraction

import mpmath as mp
import pytest
from brute_threshold import law, number
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.dp.accounting.binomial_tail import Trials, log_factorial
from shoal.dp.coins.sampling_rate import OneMinusExp, failure, success

WIDTH = mp.mpf(10) ** -15


def trials(rate):
    return Trials.of(success(rate), failure(rate))


@pytest.mark.parametrize("m", [0, 1, 2, 10, 127, 128, 129, 1000, 10**6, 10**12, 10**20])
def test_log_factorial_encloses_the_truth(m):
    enclosed, truth = log_factorial(m), mp.loggamma(mp.mpf(m) + 1)
    low, high = mp.mpf(str(enclosed.low)), mp.mpf(str(enclosed.high))
    assert low - mp.mpf(10) ** -55 * truth <= truth <= high + mp.mpf(10) ** -55 * truth
    assert high - low <= mp.mpf(10) ** -27 + mp.mpf(10) ** -50 * truth


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 300), data=st.data(), rate=st.fractions(Fraction(1, 1000), Fraction(999, 1000)))
def test_mass_and_tail_bound_the_truth_closely(n, data, rate):
    j = data.draw(st.integers(0, n))
    masses = law(n, number(rate))
    mass = trials(rate).mass(j, n)
    assert mp.mpf(str(mass.low)) <= masses[j] <= mp.mpf(str(mass.high)) <= masses[j] * (1 + WIDTH)
    truth = mp.fsum(masses[j:])
    assert truth * (1 - mp.mpf(10) ** -55) <= mp.mpf(str(trials(rate).tail(j, n))) <= truth * (1 + WIDTH)
    ratio = truth / masses[j]
    lower, upper = (trials(rate).tail_over_mass(j, n, up=up) for up in (False, True))
    assert number(lower) <= ratio * (1 + mp.mpf(10) ** -55)
    assert ratio * (1 - mp.mpf(10) ** -55) <= number(upper)


@pytest.mark.parametrize(
    ("n", "j", "rate"),
    [
        (8939, 178, OneMinusExp(Fraction(1, 100))),
        (6191231, 5578269, Fraction(9, 10)),
        (1000991031, 10**9, Fraction(999, 1000)),
        (2492, 2492, OneMinusExp(Fraction(4))),
    ],
)
def test_large_numbers_of_trials_lose_no_accuracy(n, j, rate):
    beta = number(rate)
    mass = mp.exp(
        mp.loggamma(n + 1) - mp.loggamma(j + 1) - mp.loggamma(n - j + 1) + j * mp.log(beta) + (n - j) * mp.log(1 - beta)
    )
    term, total = mp.mpf(1), mp.mpf(1)
    for i in range(j, n):
        term *= mp.mpf(n - i) / (i + 1) * beta / (1 - beta)
        total += term
        if term < mp.mpf(10) ** -45:
            break
    truth = mass * total
    assert truth * (1 - mp.mpf(10) ** -30) <= mp.mpf(str(trials(rate).tail(j, n))) <= truth * (1 + WIDTH)


def test_swapping_success_and_failure_turns_lower_tails_into_upper_tails():
    rate, n, j = Fraction(3, 10), 40, 7
    below = mp.fsum(law(n, number(rate))[: j + 1])
    assert float(trials(rate).swapped.tail(n - j, n)) == pytest.approx(float(below), rel=1e-12)
    assert math.isclose(float(trials(rate).swapped.swapped.tail(j, n)), float(trials(rate).tail(j, n)))
