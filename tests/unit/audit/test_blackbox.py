import math
from fractions import Fraction

import numpy as np
import pytest

from shoal.audit import estimate_epsilon
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.errors import ParameterError

PAIR = [((), ("a",))]


def response(p):
    """Randomized response of whether anybody is there: loses ln((1 − p) / p)."""
    return lambda table, coins: bool(table) != coins.bernoulli(p)


def noisy_count(epsilon):
    return lambda table, coins: len(table) + coins.discrete_laplace(Fraction(epsilon))


def test_the_bound_is_below_the_truth_and_close_to_it():
    found = estimate_epsilon(response(Fraction(1, 4)), PAIR, SeededCoins(1))
    assert 0.9 * math.log(3) < found.epsilon < math.log(3)
    assert not found.refutes(math.log(3))
    assert found.refutes(0.9 * math.log(3))


def test_numbers_are_compared_by_thresholds():
    found = estimate_epsilon(noisy_count(1), PAIR, SeededCoins(2), runs=8_000)
    assert 0.75 < found.epsilon < 1
    assert len(found.event) > 1


def test_the_stated_confidence_holds():
    """The bound exceeds the true ε in at most a share α of audits; α = 0.2 here so that it could be seen."""
    truth, audits, alpha = math.log(3), 200, 0.2
    misses = sum(
        estimate_epsilon(response(Fraction(1, 4)), PAIR, SeededCoins(seed), runs=200, alpha=alpha).epsilon > truth
        for seed in range(audits)
    )
    assert misses <= audits * alpha


def test_a_mechanism_that_says_nothing_is_not_accused():
    found = estimate_epsilon(lambda _, coins: coins.randbelow(50), PAIR, SeededCoins(3), runs=4_000)
    assert found.epsilon == 0
    assert not found.refutes(0)


def test_an_infinite_loss_is_bounded_only_by_the_runs():
    few, many = (
        estimate_epsilon(lambda table, _: bool(table), PAIR, SeededCoins(4), runs=runs).epsilon
        for runs in (200, 20_000)
    )
    assert 1.5 < few < many
    assert many > 6


def test_delta_is_granted():
    """Sampling alone: seen with probability β, never invented. δ = β, whatever ε is."""
    rate = OneMinusExp(Fraction(1, 10))

    def sample(table, coins):
        return coins.thin(np.array([len(table)]), rate)

    assert estimate_epsilon(sample, PAIR, SeededCoins(5), runs=4_000).refutes(1)
    assert not estimate_epsilon(sample, PAIR, SeededCoins(5), runs=4_000, delta=0.0952).refutes(0)


def test_the_worst_of_several_pairs_is_measured():
    def leaks_on_b(table, coins):
        return coins.bernoulli(Fraction(1, 10) if "b" in table else Fraction(1, 2))

    found = estimate_epsilon(leaks_on_b, [((), ("a",)), (("a",), ("a", "b"))], SeededCoins(6), runs=4_000)
    assert {found.here, found.there} == {("a",), ("a", "b")}
    assert found.refutes(0.5)
    assert found.runs == 2_000
    assert sum(found.hits) > 0


def test_a_statistic_finds_what_rare_outputs_hide():
    def verbose(table, coins):
        return (bool(table) != coins.bernoulli(Fraction(1, 4)), coins.randbelow(10**9))

    blind = estimate_epsilon(verbose, PAIR, SeededCoins(7), runs=4_000)
    seeing = estimate_epsilon(verbose, PAIR, SeededCoins(7), runs=4_000, statistic=lambda output: output[0])
    assert not blind.refutes(0)
    assert seeing.refutes(0.8)


def test_a_seed_repeats_the_audit():
    one, again = (estimate_epsilon(noisy_count(1), PAIR, SeededCoins(8), runs=1_000) for _ in range(2))
    assert one == again


@pytest.mark.parametrize("wrong", [{"runs": 1}, {"alpha": 0}, {"delta": 1}])
def test_nonsense_is_refused(wrong):
    with pytest.raises(ParameterError, match="estimate_epsilon: needs"):
        estimate_epsilon(noisy_count(1), PAIR, SeededCoins(1), **wrong)


def test_an_audit_of_nothing_is_refused():
    with pytest.raises(ParameterError, match="at least one pair"):
        estimate_epsilon(noisy_count(1), [], SeededCoins(1))
