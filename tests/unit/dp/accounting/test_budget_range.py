"""Which ε and δ mean something: by their numbers alone."""

import math
import time
from fractions import Fraction

import pytest

from shoal.dp.accounting.budget_range import (
    LARGEST_EPSILON,
    SMALLEST_DELTA,
    SMALLEST_EPSILON,
    require_delta,
    require_epsilon,
)
from shoal.dp.accounting.concentrated import ConcentratedCost, largest_rho
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.threshold import Accounting, smallest_threshold
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.errors import ParameterError


@pytest.mark.parametrize("epsilon", [SMALLEST_EPSILON, LARGEST_EPSILON, "1e-9", 1e4, 1, "0.1"])
def test_an_epsilon_within_its_range_is_taken(epsilon):
    require_epsilon(epsilon)


@pytest.mark.parametrize(
    ("epsilon", "why"),
    [
        (0, "above 0; got 0"),
        (-1, "above 0; got -1"),
        ("0.99e-9", "between 1e-09 and 10000; got '0.99e-9': with less, noise drowns"),
        ("10000.01", "between 1e-09 and 10000; got '10000.01': with more, nothing would be hidden"),
        (1e300, "nothing would be hidden"),
        (math.nan, "not a finite number"),
    ],
)
def test_an_epsilon_outside_is_refused_with_the_reason(epsilon, why):
    with pytest.raises(ParameterError, match=why):
        require_epsilon(epsilon)


@pytest.mark.parametrize(("delta", "or_zero"), [(SMALLEST_DELTA, False), (0, True), ("0.999", False), ("1e-100", True)])
def test_a_delta_within_its_range_is_taken(delta, or_zero):
    require_delta(delta, or_zero=or_zero)


@pytest.mark.parametrize(
    ("delta", "or_zero", "why"),
    [
        (0, False, "above 0 and below 1; got 0"),
        (1, False, "above 0 and below 1; got 1"),
        (1, True, "0 or more and below 1; got 1"),
        ("-0.1", True, "0 or more and below 1"),
        ("1e-101", True, "1e-100 or more, or 0; got '1e-101'"),
        ("1e-101", False, "1e-100 or more; got '1e-101'"),
    ],
)
def test_a_delta_outside_is_refused_with_the_reason(delta, or_zero, why):
    with pytest.raises(ParameterError, match=why):
        require_delta(delta, or_zero=or_zero)


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("epsilon", [15, 20, 27, 28, 1000, 10_000])
def test_a_rate_so_near_to_one_that_no_class_is_large_enough_is_refused_at_once(accounting, epsilon):
    began = time.monotonic()
    with pytest.raises(ParameterError, match="classes of more than 1,000,000 records"):
        smallest_threshold(OneMinusExp(Fraction(epsilon)), Fraction(epsilon), Fraction(1, 10**6), accounting)
    assert time.monotonic() - began < 20


def test_the_largest_k_that_is_taken_is_found():
    rate = OneMinusExp(Fraction(9))
    assert smallest_threshold(rate, Fraction(9), Fraction(1, 10**50)) == 932_845
    with pytest.raises(ParameterError, match="more than 1,000,000 records"):
        smallest_threshold(rate, Fraction(9), Fraction(1, 10**60))


@pytest.mark.parametrize("slope", [1, 700, 800, 10_000])
def test_the_tail_of_narrow_noise_is_a_number(slope):
    tail = float(DiscreteLaplace(epsilon=Fraction(slope), sensitivity=1).tail(1))
    assert tail == pytest.approx(math.exp(-slope) / (1 + math.exp(-slope)), rel=1e-12)


@pytest.mark.parametrize("delta", ["1e-100", "1e-5", "0.999999"])
@pytest.mark.parametrize("epsilon", ["1e-9", "1e-3", "10000"])
def test_rho_is_the_largest_also_at_the_ends_of_the_range(epsilon, delta):
    cost = PrivacyCost.of(epsilon, delta)
    rho = largest_rho(cost).rho
    assert ConcentratedCost(rho).at(cost.delta).epsilon <= cost.epsilon
    assert ConcentratedCost(rho * Fraction(1001, 1000)).at(cost.delta).epsilon > cost.epsilon
