"""The best of a random number of runs costs twice what one run does, and no less."""

import math
from fractions import Fraction

import pytest

from shoal.audit.bill import charges_first
from shoal.audit.enumeration import distribution
from shoal.audit.loss import exact_epsilon
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.best_of_runs import BestOfRuns
from shoal.errors import ParameterError

EACH = Fraction(1, 2)
TUNED = BestOfRuns(epsilon=2 * EACH, decay=Fraction(1))


def run(records, coins):
    """Randomized response about one record, ε = 1/2; its answer is its score."""
    p = 1 / (1 + math.exp(-float(EACH)))
    answer = int(coins.bernoulli(Fraction(p)) if records else not coins.bernoulli(Fraction(p)))
    return answer, answer


def tuned(records, coins, ledger=None):
    return TUNED.choose(lambda coins: run(records, coins), coins, ledger or Ledger(), "tuning")


def test_the_number_of_runs_is_logarithmic():
    law = distribution(TUNED.runs, tail=1e-6, cutoff=1e-7).masses
    weights = {k: math.exp(-k) / k for k in range(1, 40)}
    for k in range(1, 6):
        assert law[k] == pytest.approx(weights[k] / sum(weights.values()), rel=5e-3)


def test_the_best_of_the_runs_costs_at_most_twice_one_run_and_more_than_one():
    loss = exact_epsilon(tuned, [((), (0,))], tail=1e-4, cutoff=1e-6)
    assert float(EACH) + 0.03 < loss.epsilon <= 2 * float(EACH)
    assert TUNED.cost.epsilon == 2 * EACH
    assert TUNED.each == EACH


def test_the_best_of_a_fixed_number_of_runs_is_found_out():
    def broken(records, coins):
        return max(run(records, coins)[0] for _ in range(8))

    assert exact_epsilon(broken, [((), (0,))]).epsilon > 2 * float(EACH)


def test_nothing_is_tossed_before_it_is_paid_for():
    assert charges_first(tuned, (0,))


def test_of_equal_scores_the_first_is_kept():
    seen = []

    def same(coins):
        seen.append(coins.randbelow(1000))
        return len(seen), 0

    assert BestOfRuns(epsilon=Fraction(1)).choose(same, SeededCoins(2), Ledger(), "tuning") == 1
    assert len(seen) >= 1


def test_parameters_are_exact_and_positive():
    with pytest.raises(ParameterError):
        BestOfRuns(epsilon=0.5)
    with pytest.raises(ParameterError):
        BestOfRuns(epsilon=Fraction(1), decay=Fraction(0))
