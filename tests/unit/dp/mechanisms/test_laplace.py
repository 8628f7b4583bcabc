import math
from fractions import Fraction

import numpy as np
import pytest

from shoal.audit import distribution, exact_epsilon
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Entry, Ledger
from shoal.dp.mechanisms.laplace import LARGEST, DiscreteLaplace
from shoal.errors import BudgetError, ParameterError

HALF = Fraction(1, 2)
WIDE = np.arange(-400, 401)


class Empty:
    """A ledger with nothing in it."""

    def charge(self, _, reason):
        raise BudgetError(reason)


class Untouchable:
    """Coins that must not be tossed."""

    def __getattr__(self, name):
        pytest.fail(f"{name} was tossed")


def test_the_law_has_the_numbers_of_theory_7_6():
    noise = DiscreteLaplace(epsilon=HALF, sensitivity=1)
    assert noise.pmf(np.arange(5)) == pytest.approx([0.244919, 0.148551, 0.090101, 0.054649, 0.033146], abs=5e-7)
    assert noise.variance == pytest.approx(7.835396, abs=5e-7)


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(HALF, 1), (Fraction(1), Fraction(2)), (Fraction(3), 1)])
def test_law_distribution_function_and_variance_belong_together(epsilon, sensitivity):
    noise = DiscreteLaplace(epsilon=epsilon, sensitivity=sensitivity)
    law = noise.pmf(WIDE)
    assert law.sum() == pytest.approx(1, abs=1e-13)
    assert noise.cdf(WIDE) == pytest.approx(np.cumsum(law), abs=1e-13)
    assert noise.variance == pytest.approx((law * WIDE**2).sum(), rel=1e-12)


@pytest.mark.parametrize("sensitivity", [1, 2, Fraction(3)])
def test_moving_the_answer_by_the_sensitivity_costs_exactly_epsilon(sensitivity):
    noise = DiscreteLaplace(epsilon=HALF, sensitivity=sensitivity)
    ratios = np.log(noise.pmf(WIDE) / noise.pmf(WIDE - int(sensitivity)))
    assert np.abs(ratios).max() == pytest.approx(0.5, abs=1e-12)


def test_a_histogram_with_noise_on_every_cell_costs_epsilon():
    noise = DiscreteLaplace(epsilon=Fraction(1), sensitivity=1)

    def histogram(table, coins):
        return noise.add(np.array([table.count("a"), table.count("b")]), coins, Ledger(), "cells")

    pairs = [((), ("a",)), (("a",), ("a", "b"))]
    assert exact_epsilon(histogram, pairs, tail=1e-9).epsilon == pytest.approx(1, abs=1e-6)


def test_what_is_drawn_is_what_the_law_says():
    noise = DiscreteLaplace(epsilon=Fraction(1), sensitivity=2)
    found = distribution(lambda coins: noise.add(np.array([7]), coins, Ledger(), "count"))
    for (value,), mass in found.masses.items():
        assert mass == pytest.approx(float(noise.pmf(np.array(value - 7))), rel=1e-12)


def test_noise_is_charged_with_its_reason_and_relation():
    ledger = Ledger(neighbors=Neighbors.REPLACE)
    noise = DiscreteLaplace(epsilon=HALF, sensitivity=1, neighbors=Neighbors.REPLACE)
    noise.add(np.arange(3), SeededCoins(1), ledger, "cells")
    assert ledger.entries == (Entry(PrivacyCost(HALF, Fraction(0), Neighbors.REPLACE), "cells"),)


def test_a_refused_charge_tosses_no_coin():
    with pytest.raises(BudgetError, match="cells"):
        DiscreteLaplace(epsilon=HALF, sensitivity=1).add(np.arange(3), Untouchable(), Empty(), "cells")


def test_the_values_keep_their_shape_and_are_not_changed():
    values = np.arange(6).reshape(2, 3)
    noisy = DiscreteLaplace(epsilon=Fraction(1, 100), sensitivity=1).add(values, SeededCoins(1), Ledger(), "cells")
    assert noisy.shape == (2, 3)
    assert values.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert noisy.tolist() != values.tolist()


def test_extreme_values_do_not_wrap_around():
    values = np.array([np.iinfo(np.int64).max, np.iinfo(np.int64).min])
    noisy = DiscreteLaplace(epsilon=Fraction(1), sensitivity=1).add(values, SeededCoins(1), Ledger(), "cells")
    assert abs(int(noisy[0]) - LARGEST) < 100
    assert abs(int(noisy[1]) + LARGEST) < 100


def test_floats_are_refused_before_anything_is_charged():
    with pytest.raises(ParameterError, match="noise is added to integers; got an array of float64"):
        DiscreteLaplace(epsilon=HALF, sensitivity=1).add(np.array([1.5]), Untouchable(), Empty(), "cells")


@pytest.mark.parametrize("wrong", [{"epsilon": Fraction(0)}, {"epsilon": 0.5}, {"epsilon": HALF, "sensitivity": 0}])
def test_parameters_are_checked_at_once(wrong):
    with pytest.raises(ParameterError, match="DiscreteLaplace: "):
        DiscreteLaplace(**({"sensitivity": 1} | wrong))


def test_the_tail_is_exponential():
    noise = DiscreteLaplace(epsilon=Fraction(1), sensitivity=1)
    assert float(noise.cdf(np.array(-30))) == pytest.approx(math.exp(-30) / (1 + math.exp(-1)), rel=1e-12)
