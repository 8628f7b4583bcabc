"""Composition and sampling: exact on toy mechanisms, safe in rounding, refusing what is not proved."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dp.accounting.composition import amplify, inner_budget, parallel, sequential
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors, attributes
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.errors import BudgetError, ParameterError

mp.mp.dps = 80
ALMOST = 1 - mp.mpf(10) ** -70
costs = st.builds(
    PrivacyCost,
    st.fractions(0, 5, max_denominator=10**6),
    st.fractions(0, Fraction(1, 100), max_denominator=10**9),
)
rates = st.one_of(
    st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000),
    st.fractions(Fraction(1, 100), 4, max_denominator=100).map(OneMinusExp),
)


def real(x):
    if isinstance(x, OneMinusExp):
        return -mp.expm1(-real(x.epsilon))
    return mp.mpf(x.numerator) / x.denominator


@given(st.lists(costs, min_size=1, max_size=8))
def test_sequential_adds_and_parallel_takes_the_dearest(several):
    together, apart = sequential(several), parallel(several)
    assert together.epsilon == sum(cost.epsilon for cost in several)
    assert together.delta == sum(cost.delta for cost in several)
    assert apart.epsilon == max(cost.epsilon for cost in several)
    assert apart.delta == max(cost.delta for cost in several)
    assert apart.within(together)


def test_parallel_is_refused_where_one_change_touches_two_parts():
    with pytest.raises(BudgetError, match="one replacement can change two parts"):
        parallel([PrivacyCost.of(1, neighbors=Neighbors.REPLACE)])
    assert parallel([PrivacyCost.of(1, neighbors=attributes("age"))]).epsilon == 1


def test_relations_do_not_mix_and_deltas_stay_below_one():
    with pytest.raises(BudgetError, match="one neighboring relation"):
        sequential([PrivacyCost.of(1), PrivacyCost.of(1, neighbors=Neighbors.REPLACE)])
    with pytest.raises(BudgetError, match="no cost at all"):
        sequential([])
    with pytest.raises(BudgetError, match="nothing is promised"):
        sequential([PrivacyCost.of(1, "0.6")] * 2)


@given(costs, rates)
def test_amplification_is_rounded_up_and_hardly(cost, rate):
    cheaper = amplify(cost, rate)
    truth = mp.log1p(real(rate) * mp.expm1(real(cost.epsilon)))
    assert truth * ALMOST <= real(cheaper.epsilon) <= truth * (1 + mp.mpf(10) ** -10)
    share = real(rate) * real(cost.delta)
    assert share * ALMOST <= real(cheaper.delta) <= share * (1 + mp.mpf(10) ** -10)


@given(costs, rates)
def test_inner_budget_is_rounded_down_and_spends_no_more_than_allowed(cost, rate):
    inner = inner_budget(cost, rate)
    truth = mp.log1p(mp.expm1(real(cost.epsilon)) / real(rate))
    assert truth * (1 - mp.mpf(10) ** -10) <= real(inner.epsilon) * ALMOST <= truth
    assert mp.log1p(real(rate) * mp.expm1(real(inner.epsilon))) <= real(cost.epsilon) * (1 + mp.mpf(10) ** -50)
    assert real(inner.delta) * real(rate) <= real(cost.delta) * (1 + mp.mpf(10) ** -50)


def test_amplification_numbers_of_the_theory():
    """theory SP-4, 2d, `accounting.py`: 0.0605 and 0.163 at β = 0.593."""
    rate = OneMinusExp(Fraction("0.9"))
    assert float(amplify(PrivacyCost.of("0.1"), rate).epsilon) == pytest.approx(0.06054, abs=5e-6)
    assert float(inner_budget(PrivacyCost.of("0.1"), rate).epsilon) == pytest.approx(0.16316, abs=5e-6)
    rate = OneMinusExp(Fraction(1))
    assert float(amplify(PrivacyCost.of("0.1"), rate).epsilon) == pytest.approx(0.06436, abs=5e-6)
    assert float(inner_budget(PrivacyCost.of("0.1"), rate).epsilon) == pytest.approx(0.15390, abs=5e-6)


def noisy_or(sample, epsilon):
    """An ε-DP mechanism on sets: randomized response on whether the set is non-empty."""
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    return {1: keep if sample else 1 - keep, 0: 1 - keep if sample else keep}


def sampled_law(table, beta, epsilon):
    law = {0: 0.0, 1: 0.0}
    for kept in itertools.product((0, 1), repeat=len(table)):
        weight = math.prod(beta if k else 1 - beta for k in kept)
        for outcome, mass in noisy_or([r for r, k in zip(table, kept, strict=True) if k], epsilon).items():
            law[outcome] += weight * mass
    return law


def loss(beta, epsilon):
    """The largest log-ratio of the mechanism on a Poisson sample, over neighboring tables of up to three records."""
    laws = [sampled_law(range(n), beta, epsilon) for n in range(4)]
    pairs = [(laws[n], laws[n + 1]) for n in range(3)]
    return max(abs(math.log(a[o] / b[o])) for a, b in pairs for o in (0, 1))


@pytest.mark.parametrize("beta", ["0.1", "0.5", "0.9"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_a_mechanism_on_a_sample_costs_what_amplify_says_and_a_linear_rule_is_caught(beta, epsilon):
    reached = loss(float(beta), float(epsilon))
    assert reached <= float(amplify(PrivacyCost.of(epsilon), Fraction(beta)).epsilon) + 1e-12
    linear = float(beta) * float(epsilon)
    assert reached > linear  # the double "ε times β" claims less than is lost


def test_amplification_is_refused_where_it_is_not_proved():
    with pytest.raises(BudgetError, match="proved here for 'add/remove one record' only"):
        amplify(PrivacyCost.of(1, neighbors=Neighbors.REPLACE), Fraction(1, 2))
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        inner_budget(PrivacyCost.of(1), Fraction(0))


def test_deltas_that_add_up_to_exactly_one_promise_nothing():
    half = PrivacyCost.of(1, "0.5")
    with pytest.raises(BudgetError, match="add up to 1;"):
        sequential([half, half])


def test_a_sample_may_spend_more_delta_as_well():
    inner = inner_budget(PrivacyCost.of("0.1", "1e-6"), Fraction(1, 2))
    assert float(inner.delta) == pytest.approx(2e-6, rel=1e-9)
    assert amplify(inner, Fraction(1, 2)).delta <= Fraction(1, 10**6)
