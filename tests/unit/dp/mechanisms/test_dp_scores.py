from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.dp.mechanisms.scores import gaps_below_best, rounded
from shoal.errors import ParameterError

GRID = Fraction(1, 1024)


def differences(scores, grid=None):
    gaps, unit = gaps_below_best(scores, grid)
    return [int(gap) * unit for gap in gaps]


@settings(deadline=None, derandomize=True)
@given(st.lists(st.fractions(max_denominator=50), min_size=1, max_size=8))
def test_exact_scores_keep_their_differences(scores):
    assert differences(scores) == [max(scores) - score for score in scores]


def test_integers_in_any_shape_are_exact():
    assert differences([0, 1, 5]) == differences(np.array([0, 1, 5])) == [5, 4, 0]
    assert differences([np.int64(3), Fraction(1, 2)]) == [0, Fraction(5, 2)]


def test_differences_that_do_not_fit_64_bits_stay_exact():
    scores = [Fraction(1, 3**40), Fraction(1, 7**30), Fraction(10**20)]
    gaps, _ = gaps_below_best(scores, None)
    assert gaps.dtype == object
    assert differences(scores) == [max(scores) - score for score in scores]


def test_a_hopeless_common_denominator_is_refused_with_advice():
    primes = [n for n in range(2, 60_000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    with pytest.raises(ParameterError, match="give a grid"):
        gaps_below_best([Fraction(1, prime) for prime in primes], None)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=8), st.integers(-10, 30))
def test_rounding_moves_a_score_by_at_most_half_a_step(scores, power):
    grid = Fraction(2) ** -power
    units = rounded(np.array(scores), grid)
    for score, unit in zip(scores, units, strict=True):
        assert abs(int(unit) * grid - Fraction(score)) <= grid / 2


def test_exact_scores_are_rounded_too_when_there_is_a_grid():
    assert differences([Fraction(1, 3), Fraction(2, 3)], Fraction(1, 2)) == [0, 0]
    assert differences(np.array([0, 3]), Fraction(2)) == [4, 0]


def test_scores_beyond_all_bounds_are_clipped_not_wrapped():
    gaps, _ = gaps_below_best(np.array([-1e300, 0.0, 1e300]), GRID)
    assert gaps.tolist() == [2**61, 2**60, 0]
    assert differences(np.array([np.iinfo(np.int64).min, 0])) == [2**60, 0]


@pytest.mark.parametrize("scores", [[0.5, 1.0], np.array([0.5, 1.0]), ["a"]])
def test_floats_without_a_grid_are_refused(scores):
    with pytest.raises(ParameterError, match="together with a grid"):
        gaps_below_best(scores, None)


@pytest.mark.parametrize("scores", [np.array([np.nan, 1.0]), np.array([np.inf]), np.array([-np.inf, 0.0])])
def test_scores_must_be_finite(scores):
    with pytest.raises(ParameterError, match="finite"):
        gaps_below_best(scores, GRID)


def test_there_must_be_a_candidate():
    with pytest.raises(ParameterError, match="no candidate"):
        gaps_below_best([], None)
