"""Enclosures contain the truth and are narrow."""

import decimal
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dp.accounting.interval import Interval

mp.mp.dps = 80
rationals = st.fractions(min_value=-50, max_value=50, max_denominator=10**9)
positive = st.fractions(min_value=Fraction(1, 10**12), max_value=10**12, max_denominator=10**12)


def encloses(interval, truth):
    low, high = mp.mpf(str(interval.low)), mp.mpf(str(interval.high))
    return low <= truth <= high and high - low <= mp.mpf("1e-55") * max(1, abs(truth))


@given(rationals)
def test_exp_encloses_the_truth_in_sixty_places(x):
    assert encloses(Interval.of(x).exp(), mp.exp(mp.mpf(x.numerator) / x.denominator))


@given(positive)
def test_ln_encloses_the_truth_in_sixty_places(x):
    assert encloses(Interval.of(x).ln(), mp.log(mp.mpf(x.numerator) / x.denominator))


@given(rationals, rationals, positive)
def test_the_four_operations_enclose_the_truth(x, y, z):
    a, b, c = (Interval.of(value) for value in (x, y, z))
    assert (a + b).contains(x + y)
    assert (a - b).contains(x - y)
    assert (a * b).contains(x * y)
    assert (a / c).contains(x / z)
    assert (1 - a).contains(1 - x)
    assert (1 / c).contains(1 / z)
    assert (-a).contains(-x)


@given(rationals)
def test_short_rationals_bound_the_truth_on_the_promised_side(x):
    interval = Interval.of(x)
    assert interval.lower() <= x <= interval.upper()
    assert interval.upper() - interval.lower() <= abs(x) * Fraction(2, 10**11)


def test_the_caller_s_decimal_context_changes_nothing():
    expected = Interval.of(Fraction(1, 3)).exp()
    with decimal.localcontext() as context:
        context.prec = 3
        context.traps[decimal.Inexact] = True
        context.rounding = decimal.ROUND_UP
        assert Interval.of(Fraction(1, 3)).exp() == expected
        assert (-Interval.of(Fraction(1, 3))).contains(Fraction(-1, 3))


def test_division_by_an_interval_that_may_hold_zero_is_a_bug():
    with pytest.raises(AssertionError):
        Interval.of(1) / Interval.of(0)
