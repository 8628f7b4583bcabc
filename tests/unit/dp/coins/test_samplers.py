"""The scalar samplers, by following every branch they can take. Nothing here is random."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shoal.audit import distribution
from shoal.dp.coins import samplers


def law_of(sampler, *arguments, cutoff=0.0):
    found = distribution(lambda coins: sampler(*arguments, coins), cutoff=cutoff)
    assert sum(found.masses.values()) + found.lost == pytest.approx(1, abs=1e-12)
    return found


class AgainError(Exception):
    """A sampler that rejects its first proposal and would start all over."""


def law_of_one_attempt(monkeypatch, sampler, parameter, proposal):
    """What comes out if the first proposal is accepted: all attempts are alike, so this is the law of the sampler.

    The proposal is drawn by its law, which has its own test: enumerating its loops too would take forever.
    """

    def attempt(coins):
        proposals = []

        def propose(x, _):
            if proposals:
                raise AgainError
            proposals.append(getattr(coins, proposal)(x))
            return proposals[0]

        monkeypatch.setattr(samplers, proposal, propose)
        try:
            return sampler(parameter, coins)
        except AgainError:
            return AgainError

    found = dict(distribution(attempt).masses)
    accepted = 1 - found.pop(AgainError)
    return {outcome: mass / accepted for outcome, mass in found.items()}


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1), Fraction(2, 7)])
def test_bernoulli(p):
    assert law_of(samplers.bernoulli, p).masses.get(True, 0) == pytest.approx(float(p), abs=1e-15)


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(7, 3)])
def test_bernoulli_exp_made_of_integers_only(x):
    """Canonne, Kamath & Steinke 2020, Alg. 1."""
    found = law_of(samplers.bernoulli_exp, x, cutoff=1e-10)
    assert found.masses[True] <= math.exp(-x) + 1e-15
    assert found.masses[True] >= math.exp(-x) - found.lost - 1e-15
    assert found.lost < 1e-6


@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(2, 3), Fraction(5)])
def test_geometric(x):
    """Alg. 2, lines 2-10."""
    found = law_of(samplers.geometric, x, cutoff=1e-10)
    for g, mass in found.masses.items():
        exact = -math.expm1(-x) * math.exp(-x * g)
        assert exact - found.lost - 1e-15 <= mass <= exact + 1e-15
    assert found.lost < 1e-6


@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(3, 2)])
def test_discrete_laplace(monkeypatch, x):
    """Alg. 2."""
    for n, mass in law_of_one_attempt(monkeypatch, samplers.discrete_laplace, x, "geometric").items():
        assert mass == pytest.approx(math.tanh(x / 2) * math.exp(-x * abs(n)), rel=1e-9)


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(4), Fraction(50, 3)])
def test_discrete_gaussian(monkeypatch, variance):
    """Alg. 3."""
    total = np.exp(-(np.arange(-200, 201) ** 2) / (2 * float(variance))).sum()
    for n, mass in law_of_one_attempt(monkeypatch, samplers.discrete_gaussian, variance, "discrete_laplace").items():
        assert mass == pytest.approx(math.exp(-(n**2) / (2 * variance)) / total, rel=1e-9)
