import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from shoal.audit import clopper_pearson
from shoal.audit.confidence import upper_tail
from shoal.errors import ParameterError


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
@pytest.mark.parametrize(
    ("successes", "trials"), [(0, 10), (1, 1), (5, 100), (50, 100), (99, 100), (100, 100), (37, 10_000), (500, 1_000)]
)
def test_each_bound_misses_with_probability_alpha_and_hardly_less(successes, trials, alpha):
    low, high = clopper_pearson(successes, trials, alpha)
    with mpmath.workdps(40):
        if successes:
            tail = mpmath.betainc(successes, trials - successes + 1, 0, low, regularized=True)
            assert alpha * (1 - 1e-4) < tail < alpha
        else:
            assert low == 0
        if successes < trials:
            tail = mpmath.betainc(successes + 1, trials - successes, high, 1, regularized=True)
            assert alpha * (1 - 1e-4) < tail < alpha
        else:
            assert high == 1


def test_the_bounds_hold_as_often_as_stated():
    """Exactly: the chance of a miss, summed over all counts, for a grid of probabilities."""
    trials, alpha = 40, 0.05
    bounds = [clopper_pearson(k, trials, alpha) for k in range(trials + 1)]
    for p in np.linspace(0.01, 0.99, 99):
        law = [math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]
        assert sum(mass for mass, (low, _) in zip(law, bounds, strict=True) if low > p) <= alpha
        assert sum(mass for mass, (_, high) in zip(law, bounds, strict=True) if high < p) <= alpha


@pytest.mark.parametrize("wrong", [(-1, 10, 0.1), (11, 10, 0.1), (0, 0, 0.1), (1, 10, 0.0), (1, 10, 1.0)])
def test_nonsense_is_refused(wrong):
    with pytest.raises(ParameterError, match="clopper_pearson: "):
        clopper_pearson(*wrong)


def test_upper_tails_of_binomials_on_both_sides_of_the_mean():
    for trials in (0, 1, 7, 60):
        for p in (Fraction(0), Fraction(1, 50), Fraction(1, 2), Fraction(9, 10), Fraction(1)):
            terms = [math.comb(trials, j) * p**j * (1 - p) ** (trials - j) for j in range(trials + 1)]
            for successes in range(-1, trials + 2):
                exact = float(sum(terms[max(successes, 0) :]))
                assert upper_tail(successes, trials, float(p)) == pytest.approx(exact, rel=1e-9, abs=1e-12)
