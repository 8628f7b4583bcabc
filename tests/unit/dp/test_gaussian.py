import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from shoal.audit import Tally, distribution, exact_delta
from shoal.dp.coins import SeededCoins
from shoal.dp.gaussian import DiscreteGaussian, sqrt_above
from shoal.dp.guarantee import Neighbors
from shoal.errors import BudgetError, ParameterError

MILLIONTH = Fraction(1, 10**6)


def mechanism(rho=Fraction(1, 8), **more):
    return DiscreteGaussian(rho=rho, delta=MILLIONTH, **more)


def test_the_law_is_normalized():
    values = np.arange(-60, 61)
    law = mechanism().pmf(values)  # σ² = 4
    assert law.sum() == pytest.approx(1, abs=1e-14)
    assert law[60:64] == pytest.approx([0.19947, 0.17603, 0.12099, 0.06476], abs=5e-6)  # oracles of theory 7.6
    assert (law * values**2).sum() == pytest.approx(4, rel=1e-9)


def test_epsilon_is_rounded_up_and_hardly():
    for rho in (Fraction(1, 1000), Fraction(1, 3), Fraction(7)):
        with mpmath.workdps(40):
            exact = mpmath.mpf(rho.numerator) / rho.denominator
            exact += 2 * mpmath.sqrt(exact * mpmath.log(10**6))
            epsilon = mechanism(rho).cost.epsilon
            assert 0 <= mpmath.mpf(epsilon.numerator) / epsilon.denominator - exact < 1e-9


def test_the_cost_covers_what_is_revealed():
    noise = DiscreteGaussian(rho=Fraction(1, 8), delta=Fraction(1, 1000))

    def count(table, coins):
        return noise.add(np.array([len(table)]), coins, Tally(), "count")

    needed = exact_delta(count, [((), ("a",))], float(noise.cost.epsilon))
    assert 0 < needed <= noise.delta


def test_what_is_drawn_is_what_the_law_says():
    noise = mechanism(sensitivity=Fraction(2))
    found = distribution(lambda coins: noise.add(np.array([7]), coins, Tally(), "count"))
    for (value,), mass in found.masses.items():
        assert mass == pytest.approx(float(noise.pmf(np.array(value - 7))), rel=1e-9)


def test_noise_is_charged_before_it_is_drawn():
    tally = Tally()
    noise = mechanism(neighbors=Neighbors.REPLACE)
    noisy = noise.add(np.arange(6).reshape(2, 3), SeededCoins(1), tally, "cells")
    assert noisy.shape == (2, 3)
    assert tally.entries == [(noise.cost, "cells")]
    assert tally.delta == MILLIONTH

    class Empty:
        def charge(self, cost, reason):
            raise BudgetError(reason)

    with pytest.raises(BudgetError):
        noise.add(np.arange(6), object(), Empty(), "cells")


@pytest.mark.parametrize("wrong", [{"rho": 0}, {"delta": 1}, {"delta": 0}, {"sensitivity": -1}, {"rho": 0.5}])
def test_parameters_are_checked_at_once(wrong):
    with pytest.raises(ParameterError, match="DiscreteGaussian: "):
        DiscreteGaussian(**({"rho": Fraction(1), "delta": MILLIONTH} | wrong))


@pytest.mark.parametrize("number", [Fraction(0), Fraction(4), Fraction(2), Fraction(1, 3), Fraction(10**20 + 1)])
def test_the_square_root_is_never_below(number):
    root = sqrt_above(number)
    assert root**2 >= number
    assert float(root) == pytest.approx(math.sqrt(number), abs=2**-39)
