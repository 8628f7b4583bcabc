import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from shoal.audit import Distribution, EnumeratingCoins, distribution
from shoal.audit.enumeration import hashable
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.errors import InfeasibleError, ParameterError

HALF = Fraction(1, 2)


def test_every_branch_is_followed_once():
    found = distribution(lambda coins: (coins.randbelow(3), coins.bernoulli(Fraction(1, 4))))
    assert found.masses == {
        (n, heads): pytest.approx((0.25 if heads else 0.75) / 3) for n in range(3) for heads in (True, False)
    }
    assert found.lost == 0


def test_decisions_may_depend_on_earlier_ones():
    def until_tails(coins):
        heads = 0
        while heads < 4 and coins.bernoulli(HALF):
            heads += 1
        return heads

    assert distribution(until_tails).masses == {0: 0.5, 1: 0.25, 2: 0.125, 3: 0.0625, 4: 0.0625}


def test_a_mechanism_without_coins_has_one_outcome():
    assert distribution(lambda _: "same").masses == {"same": 1.0}


def test_impossible_branches_are_not_visited():
    assert distribution(lambda coins: coins.bernoulli_exp(Fraction(0))).masses == {True: 1.0}
    assert distribution(lambda coins: coins.bernoulli(Fraction(0))).masses == {False: 1.0}


def test_orders_are_equally_likely():
    found = distribution(lambda coins: coins.permutation(3))
    assert found.masses == {order: pytest.approx(1 / 6) for order in itertools.permutations(range(3))}


def test_thinning_is_binomial_in_each_group():
    found = distribution(lambda coins: coins.thin(np.array([2, 0, 1]), OneMinusExp(HALF)))
    beta = -math.expm1(-0.5)
    assert found.masses[2, 0, 1] == pytest.approx(beta**3)
    assert found.masses[1, 0, 0] == pytest.approx(2 * beta * (1 - beta) ** 2)
    assert sum(found.masses.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("draw", "law"),
    [
        (lambda coins: coins.geometric(HALF), lambda g: -math.expm1(-0.5) * math.exp(-g / 2)),
        (lambda coins: coins.discrete_laplace(HALF), lambda n: math.tanh(0.25) * math.exp(-abs(n) / 2)),
        (lambda coins: coins.discrete_gaussian(Fraction(4)), lambda n: 0.1994711402 * math.exp(-(n**2) / 8)),
    ],
)
def test_endless_laws_are_cut_where_little_remains(draw, law):
    found = distribution(draw, tail=1e-10)
    assert 0 < found.lost <= 1e-10
    assert sum(found.masses.values()) + found.lost == pytest.approx(1, abs=1e-14)
    for outcome, mass in found.masses.items():
        assert mass == pytest.approx(law(outcome), rel=1e-9)


@pytest.mark.parametrize(
    ("many", "one"),
    [
        (lambda coins: coins.randbelows(3, 2), lambda coins: coins.randbelow(3)),
        (lambda coins: coins.geometrics(Fraction(3), 2), lambda coins: coins.geometric(Fraction(3))),
        (lambda coins: coins.discrete_laplaces(Fraction(3), 2), lambda coins: coins.discrete_laplace(Fraction(3))),
        (lambda coins: coins.discrete_gaussians(HALF, 2), lambda coins: coins.discrete_gaussian(HALF)),
        (lambda coins: coins.bernoulli_exps(np.array([2, 2]), HALF), lambda coins: coins.bernoulli_exp(Fraction(1))),
    ],
)
def test_arrays_are_independent_draws(many, one):
    pairs, single = distribution(many, tail=1e-6).masses, distribution(one, tail=1e-6).masses
    assert pairs == {(a, b): pytest.approx(p * q) for a, p in single.items() for b, q in single.items()}


def test_a_weighted_choice_is_one_decision():
    found = distribution(lambda coins: coins.choose_exp(np.array([0, 2]), HALF, np.array([1, 3])))
    assert found.masses[1] == pytest.approx(3 * math.exp(-1) / (1 + 3 * math.exp(-1)))


def test_loops_end_at_the_cutoff_and_what_is_cut_is_reported():
    def until_accepted(coins):
        while True:
            n = coins.randbelow(3)
            if n:
                return n

    found = distribution(until_accepted, cutoff=1e-9)
    assert found.masses[1] == pytest.approx(0.5, abs=1e-8)
    assert 0 < found.lost < 1e-8
    assert sum(found.masses.values()) + found.lost == pytest.approx(1)


def test_an_endless_branch_is_refused_with_advice():
    def forever(coins):
        while True:
            coins.randbelow(2)

    with pytest.raises(InfeasibleError, match="Give a cutoff"):
        distribution(forever)


def test_too_many_branches_are_refused():
    with pytest.raises(InfeasibleError, match="more than 100 branches"):
        distribution(lambda coins: coins.permutation(6), most=100)


def test_a_draw_with_too_many_outcomes_is_refused():
    with pytest.raises(InfeasibleError, match="cannot be enumerated"):
        distribution(lambda coins: coins.randbelow(10**9))


def test_randomness_from_elsewhere_is_noticed():
    elsewhere = random.Random(1)
    with pytest.raises(ParameterError, match="tossed differently when it was replayed"):
        distribution(lambda coins: [coins.randbelow(elsewhere.randrange(2, 50)) for _ in range(3)])


def test_branches_cannot_be_caught_by_the_mechanism():
    def swallows_errors(coins):
        try:
            while True:
                coins.bernoulli(HALF)
        except Exception:  # noqa: BLE001 - the point of the test
            return "caught"

    assert distribution(swallows_errors, cutoff=1e-3).masses == {}


def test_outputs_become_hashable():
    assert hashable([np.arange(2), {"a": [1]}]) == ((0, 1), frozenset({("a", (1,))}))
    with pytest.raises(ParameterError, match="got a set"):
        hashable({1, 2})


def test_the_coins_protect_nobody():
    assert EnumeratingCoins().seeded
    assert Distribution({}).lost == 0
