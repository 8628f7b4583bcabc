import math
from fractions import Fraction

import numpy as np
import pytest

from shoal.audit import distribution, exact_delta
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Entry, Ledger
from shoal.dp.mechanisms.gaussian import DiscreteGaussian
from shoal.errors import BudgetError, ParameterError

MILLIONTH = Fraction(1, 10**6)


def mechanism(rho=Fraction(1, 8), sensitivity=1, **more):
    return DiscreteGaussian(rho=rho, delta=MILLIONTH, sensitivity=sensitivity, **more)


def test_the_law_is_normalized():
    values = np.arange(-60, 61)
    law = mechanism().pmf(values)  # σ² = 4
    assert law.sum() == pytest.approx(1, abs=1e-14)
    assert law[60:64] == pytest.approx([0.19947, 0.17603, 0.12099, 0.06476], abs=5e-6)  # oracles of theory 7.6
    assert (law * values**2).sum() == pytest.approx(4, rel=1e-9)


@pytest.mark.parametrize("variance", [Fraction(1, 5), Fraction(49), Fraction(51), Fraction(10**6)])
def test_wide_and_narrow_laws_are_normalized_too(variance):
    values = np.arange(-20_000, 20_001)
    assert mechanism(1 / (2 * variance)).pmf(values).sum() == pytest.approx(1, abs=1e-12)


def test_the_cost_is_no_more_than_the_simple_conversion():
    for rho in (Fraction(1, 1000), Fraction(1, 3), Fraction(7)):
        cost = mechanism(rho, neighbors=Neighbors.REPLACE).cost
        assert float(rho) < cost.epsilon <= float(rho) + 2 * math.sqrt(rho * math.log(10**6))
        assert (cost.delta, cost.neighbors) == (MILLIONTH, Neighbors.REPLACE)
    assert mechanism().concentrated.rho == Fraction(1, 8)


def test_the_cost_covers_what_is_revealed():
    noise = DiscreteGaussian(rho=Fraction(1, 8), delta=Fraction(1, 1000), sensitivity=1)

    def count(table, coins):
        return noise.add(np.array([len(table)]), coins, Ledger(), "count")

    needed = exact_delta(count, [((), ("a",))], float(noise.cost.epsilon))
    assert 0 < needed <= noise.delta


def test_what_is_drawn_is_what_the_law_says():
    noise = mechanism(sensitivity=Fraction(2))
    found = distribution(lambda coins: noise.add(np.array([7]), coins, Ledger(), "count"))
    for (value,), mass in found.masses.items():
        assert mass == pytest.approx(float(noise.pmf(np.array(value - 7))), rel=1e-9)


def test_noise_is_charged_before_it_is_drawn():
    ledger = Ledger(neighbors=Neighbors.REPLACE)
    noise = mechanism(neighbors=Neighbors.REPLACE)
    noisy = noise.add(np.arange(6).reshape(2, 3), SeededCoins(1), ledger, "cells")
    assert noisy.shape == (2, 3)
    assert ledger.entries == (Entry(noise.cost, "cells"),)
    assert ledger.spent.delta == MILLIONTH

    class Empty:
        def charge(self, _, reason):
            raise BudgetError(reason)

    with pytest.raises(BudgetError):
        noise.add(np.arange(6), object(), Empty(), "cells")


@pytest.mark.parametrize("wrong", [{"rho": 0}, {"delta": 1}, {"delta": 0}, {"sensitivity": -1}, {"rho": 0.5}])
def test_parameters_are_checked_at_once(wrong):
    with pytest.raises(ParameterError, match="DiscreteGaussian: "):
        DiscreteGaussian(**({"rho": Fraction(1), "delta": MILLIONTH, "sensitivity": 1} | wrong))
