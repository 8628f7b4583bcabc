"""Every sampler follows its law and not one whose scale is 20% off, on the same draws.

False alarm: a right law is rejected with probability at most 10⁻⁶ per test. Power: each test also rejects a named wrong
law. Seeds are fixed; `SeededCoins` and `secure_coins` differ only in where the bits come from.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from fits import agree, cells, fits

from shoal.dp.coins.coins import SeededCoins, secure_coins
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.mechanisms.gaussian import DiscreteGaussian
from shoal.dp.mechanisms.laplace import DiscreteLaplace

ALPHA = 1e-6
MANY, FEW = 200_000, 6_000
OFF = Fraction(6, 5)


@pytest.fixture
def coins():
    return SeededCoins(20250101)


def laplace(x):
    return DiscreteLaplace(epsilon=x, sensitivity=1).pmf


def gaussian(variance):
    return DiscreteGaussian(rho=1 / (2 * variance), delta=Fraction(1, 2), sensitivity=1).pmf


def geometric(x):
    return lambda g: np.where(g >= 0, -math.expm1(-x) * np.exp(-float(x) * np.maximum(g, 0)), 0.0)


def binomial(size, p):
    return np.array([math.comb(size, k) * p**k * (1 - p) ** (size - k) for k in range(size + 1)])


@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(1, 40), Fraction(2)])
@pytest.mark.parametrize(
    ("verb", "law"), [("discrete_laplaces", laplace), ("geometrics", geometric)], ids=["laplace", "geometric"]
)
def test_integer_noise_in_bulk_follows_its_law_and_not_one_20_percent_narrower(coins, verb, law, x):
    drawn = getattr(coins, verb)(x, MANY)
    reach = math.ceil(20 / x)
    assert fits(*cells(drawn, law(x), reach), ALPHA)
    assert not fits(*cells(drawn, law(x * OFF), reach), ALPHA)
    assert not fits(*cells(drawn, law(x / OFF), reach), ALPHA)


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(4), Fraction("98.7")])
def test_gaussian_noise_in_bulk_follows_its_law_and_not_one_20_percent_off(coins, variance):
    drawn = coins.discrete_gaussians(variance, MANY)
    reach = math.ceil(6 * math.sqrt(variance))
    assert fits(*cells(drawn, gaussian(variance), reach), ALPHA)
    for wrong in (variance / OFF**2, variance * OFF**2):
        assert not fits(*cells(drawn, gaussian(wrong), reach), ALPHA)


@pytest.mark.parametrize(
    ("verb", "law", "parameter"),
    [
        ("geometric", geometric, Fraction(1, 2)),
        ("discrete_laplace", laplace, Fraction(1, 2)),
        ("discrete_gaussian", gaussian, Fraction(4)),
    ],
)
def test_one_draw_at_a_time_and_in_bulk_agree_in_law(coins, verb, law, parameter):
    one_by_one = [getattr(coins, verb)(parameter) for _ in range(FEW)]
    counts, probabilities = cells(one_by_one, law(parameter), reach=40)
    assert fits(counts, probabilities, ALPHA)
    in_bulk = cells(getattr(coins, verb + "s")(parameter, MANY), law(parameter), reach=40)[0]
    off = cells(getattr(coins, verb + "s")(parameter * OFF**2, MANY), law(parameter), reach=40)[0]
    assert agree(counts, in_bulk, ALPHA)
    assert not agree(counts, off, ALPHA)


@pytest.mark.parametrize("x", [Fraction(1, 5), Fraction("0.9"), Fraction(3)])
def test_bernoulli_exp_one_by_one_and_in_bulk(coins, x):
    heads = sum(coins.bernoulli_exp(x) for _ in range(FEW))
    bulk = int(coins.bernoulli_exps(np.full(MANY, 3), x / 3).sum())
    right, wrong = ([math.exp(-y), -math.expm1(-y)] for y in (x, x * OFF))
    assert fits([heads, FEW - heads], right, ALPHA)
    assert fits([bulk, MANY - bulk], right, ALPHA)
    assert not fits([bulk, MANY - bulk], wrong, ALPHA)
    assert not fits([heads, FEW - heads], wrong, ALPHA)


@pytest.mark.parametrize(
    ("rate", "wrong"),
    [(OneMinusExp(Fraction("0.9")), 0.59), (Fraction(1, 3), 0.33), (Fraction(999, 1000), 0.9983)],
)
def test_thinning_is_binomial_and_not_with_a_rate_one_percent_off(coins, rate, wrong):
    for size in (1, 7):
        kept = np.bincount(coins.thin(np.full(MANY * 7 // size, size), rate), minlength=size + 1)
        assert fits(kept, binomial(size, float(rate)), ALPHA)
        assert not fits(kept, binomial(size, wrong), ALPHA)


def test_groups_are_thinned_independently(coins):
    kept = coins.thin(np.full(2 * MANY, 3), Fraction(1, 2)).reshape(-1, 2)
    pairs = np.bincount(4 * kept[:, 0] + kept[:, 1], minlength=16)
    law = binomial(3, 0.5)
    assert fits(pairs, np.outer(law, law).ravel(), ALPHA)


def test_all_orders_are_equally_likely(coins):
    orders = np.array([coins.permutation(4) for _ in range(20_000)]) @ [64, 16, 4, 1]
    counts = np.unique(orders, return_counts=True)[1]
    assert len(counts) == 24
    assert fits(counts, np.full(24, 1 / 24), ALPHA)
    assert not fits(counts, np.array([1.2 / 24] * 12 + [0.8 / 24] * 12), ALPHA)


@pytest.mark.parametrize("n", [2, 10, 100])
def test_uniform_integers_are_uniform_one_by_one_and_in_bulk(coins, n):
    slope = np.linspace(0.8, 1.2, n) / n
    one_by_one = np.bincount([coins.randbelow(n) for _ in range(FEW)], minlength=n)
    bulk = np.bincount(coins.randbelows(n, MANY), minlength=n)
    assert fits(one_by_one, np.full(n, 1 / n), ALPHA)
    assert fits(bulk, np.full(n, 1 / n), ALPHA)
    assert not fits(bulk, slope, ALPHA)


@pytest.mark.slow
def test_the_coins_of_the_system_follow_the_same_laws():
    """Fresh randomness on each run: a false alarm in a million runs."""
    coins = secure_coins()
    assert fits(*cells(coins.discrete_laplaces(Fraction(1, 2), 5_000_000), laplace(Fraction(1, 2)), 40), ALPHA / 3)
    assert fits(*cells(coins.discrete_gaussians(Fraction(4), 2_000_000), gaussian(Fraction(4)), 12), ALPHA / 3)
    kept = np.bincount(coins.thin(np.full(2_000_000, 7), OneMinusExp(Fraction("0.9"))), minlength=8)
    assert fits(kept, binomial(7, -math.expm1(-0.9)), ALPHA / 3)
