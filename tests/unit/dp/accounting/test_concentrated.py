"""zCDP: divergences of real mechanisms, the conversion against exact hockey sticks, safe rounding."""

import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.dp.accounting.concentrated import ConcentratedCost, compose, largest_rho, tighter
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.errors import BudgetError, ParameterError

mp.mp.dps = 80
ORDERS = (1.0001, 1.1, 1.5, 2, 3, 5, 10, 50, 1000)


def renyi(p, q, order):
    return float(mp.log(mp.fsum(mp.mpf(a) ** order * mp.mpf(b) ** (1 - order) for a, b in zip(p, q, strict=True)))) / (
        order - 1
    )


def obeys(p, q, rho):
    return all(renyi(p, q, order) <= rho * order + 1e-12 for order in ORDERS)


def randomized_response(epsilon):
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    return (keep, 1 - keep), (1 - keep, keep)


def exponential_mechanism(scores, eta):
    weights = [math.exp(eta * score) for score in scores]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("epsilon", ["0.1", "1", "2"])
def test_a_pure_mechanism_obeys_half_its_square_and_not_an_eighth(epsilon):
    """Randomized response is the worst ε-DP pair; a bounded-range ρ for it is the double that must be caught."""
    p, q = randomized_response(float(epsilon))
    cost = PrivacyCost.of(epsilon)
    assert obeys(p, q, float(ConcentratedCost.of_pure(cost).rho))
    assert not obeys(p, q, float(ConcentratedCost.of_bounded_range(cost).rho))


@given(
    st.lists(st.integers(0, 5), min_size=2, max_size=6),
    st.lists(st.integers(0, 1), min_size=6, max_size=6),
    st.sampled_from([0.1, 0.5, 1.0, 2.0]),
)
def test_the_exponential_mechanism_obeys_an_eighth_of_its_square(scores, moves, epsilon):
    """Every score moves by 0 or 1, so R = 1 and η = ε (theory X-6)."""
    p = exponential_mechanism(scores, epsilon)
    q = exponential_mechanism([s + m for s, m in zip(scores, moves, strict=False)], epsilon)
    rho = float(ConcentratedCost.of_bounded_range(PrivacyCost.of(epsilon)).rho)
    assert obeys(p, q, rho)
    assert obeys(q, p, rho)


@pytest.mark.parametrize(("steps", "epsilon"), [(10, 0.3), (50, 0.1), (200, 0.05)])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-9"])
def test_many_randomized_responses_stay_within_the_converted_cost(steps, epsilon, delta):
    """Exact hockey-stick divergence of the composition, at the ε that is charged for it."""
    charged = compose([ConcentratedCost.of_pure(PrivacyCost.of(epsilon))] * steps).at(Fraction(delta))
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    law = [math.comb(steps, j) * keep**j * (1 - keep) ** (steps - j) for j in range(steps + 1)]
    reached = sum(max(a - math.exp(float(charged.epsilon)) * b, 0) for a, b in zip(law, law[::-1], strict=True))
    assert reached <= float(delta)


@settings(max_examples=80, deadline=None)
@given(st.fractions(Fraction(1, 10**6), 3, max_denominator=10**6), st.integers(1, 20))
def test_the_price_is_valid_rounded_up_and_no_worse_than_the_simple_one(rho, exponent):
    delta = Fraction(1, 10**exponent)
    epsilon = ConcentratedCost(rho).at(delta).epsilon
    simple = float(rho) + 2 * math.sqrt(float(rho) * exponent * math.log(10))
    assert float(epsilon) <= simple * (1 + 1e-9)
    # Some order must prove it: inf over α of e^((α−1)(αρ−ε)) (1−1/α)^(α−1)/α ≤ δ, on a grid around the best order.
    r, e = mp.mpf(rho.numerator) / rho.denominator, mp.mpf(epsilon.numerator) / epsilon.denominator
    log_delta = lambda x: x * ((1 + x) * r - e + mp.log(x / (1 + x))) - mp.log(1 + x)  # noqa: E731  x = α − 1
    x = mp.sqrt(exponent * mp.log(10) / r)
    for factor in (2, mp.mpf("1.2"), mp.mpf("1.02"), mp.mpf("1.002"), mp.mpf("1.0002")):
        x = min((x * factor**i for i in range(-11, 12)), key=log_delta)
    assert log_delta(x) <= -exponent * mp.log(10) + mp.mpf("1e-5")


@settings(max_examples=30, deadline=None)
@given(st.fractions(Fraction(1, 1000), 5, max_denominator=1000), st.integers(2, 15))
def test_the_largest_rho_costs_no_more_than_the_budget_and_uses_it_up(epsilon, exponent):
    budget = PrivacyCost(epsilon, Fraction(1, 10**exponent))
    found = largest_rho(budget)
    assert found.at(budget.delta).epsilon <= epsilon
    assert ConcentratedCost(found.rho * Fraction(10001, 10000)).at(budget.delta).epsilon > epsilon


def test_300_exponential_steps_of_the_theory():
    """theory 2d: 2.03e-3 each for ε = 0.1, δ = 1e-7 by the simple conversion, 3.3e-4 by plain addition; we get more."""
    step = math.sqrt(8 * float(largest_rho(PrivacyCost.of("0.1", "1e-7")).rho) / 300)
    assert 2.031e-3 < step < 2.8e-3
    several = [PrivacyCost.of("0.00203")] * 300
    assert tighter(several, Fraction("1e-7"), bounded_range=True).epsilon < Fraction("0.1")
    assert tighter(several, Fraction("1e-7")).epsilon < Fraction("0.609")


def test_few_steps_are_cheaper_added_up():
    assert tighter([PrivacyCost.of(1)] * 2, Fraction("1e-9")) == PrivacyCost.of(2)


def test_nothing_costs_nothing():
    assert ConcentratedCost(Fraction(0)).at(Fraction("1e-6")) == PrivacyCost(Fraction(0))
    assert largest_rho(PrivacyCost.of(0, "1e-6")) == ConcentratedCost(Fraction(0))


def test_what_cannot_be_is_refused_with_a_reason():
    with pytest.raises(ParameterError, match="only a pure cost converts"):
        ConcentratedCost.of_pure(PrivacyCost.of(1, "1e-6"))
    with pytest.raises(ParameterError, match="rho >= 0"):
        ConcentratedCost(Fraction(-1))
    for delta in (0, 1):
        with pytest.raises(ParameterError, match=f"strictly between 0 and 1; got {delta}"):
            ConcentratedCost(Fraction(1)).at(Fraction(delta))
    with pytest.raises(BudgetError, match="one neighboring relation"):
        compose([ConcentratedCost(Fraction(1)), ConcentratedCost(Fraction(1), Neighbors.REPLACE)])


def test_a_large_delta_leaves_room_for_a_large_rho():
    budget = PrivacyCost.of("0.01", "0.9")
    assert largest_rho(budget).at(budget.delta).epsilon <= budget.epsilon


def test_the_exact_price_has_the_last_word(monkeypatch):
    """Should floating point find ρ too cheap, ρ shrinks until the exact price fits."""
    from shoal.dp.accounting import concentrated

    honest = concentrated._price
    monkeypatch.setattr(concentrated, "_price", lambda rho, log: honest(rho, log) * (1 - 1e-8))
    budget = PrivacyCost.of(1, "1e-6")
    assert largest_rho(budget).at(budget.delta).epsilon <= 1
