"""Noise on every cell, drawn lazily: the same law as noise on each; binomial draws; tails without rounding."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit.bill import audit_charges, charges_first
from shoal.audit.enumeration import distribution
from shoal.audit.laws import binomial_law
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.tail import LogisticTail, Tail
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.cells import noisy_cells
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.dp.mechanisms.rounded_laplace import RoundedLaplace
from shoal.errors import ParameterError

NOISE = DiscreteLaplace(epsilon=Fraction(3), sensitivity=1)
ROUNDED = RoundedLaplace(epsilon=Fraction(3), sensitivity=1)
TAIL, CUTOFF = 1e-4, 1e-5
"""What enumerations leave out."""


def held(records, cells):
    """The cells that hold records, in order, and how many each holds."""
    counts = Counter(records)
    keys = sorted(counts)
    del cells
    return np.array(keys, dtype=np.int64), np.array([counts[key] for key in keys], dtype=np.int64)


def published(records, coins, ledger, cells=2, noise=NOISE, least=1, dense=0):
    keys, sizes = held(records, cells)
    return noisy_cells(keys, sizes, cells, noise, coins, ledger, "noise", least=least, dense=dense)


@pytest.mark.parametrize("noise", [NOISE, ROUNDED])
@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("records", [(), (0,), (0, 0, 1)])
def test_lazy_draws_have_the_law_of_noise_on_every_cell(noise, least, records):
    laws = [
        distribution(
            lambda coins, dense=dense: published(records, coins, Ledger(), noise=noise, least=least, dense=dense),
            tail=TAIL,
            cutoff=CUTOFF,
        )
        for dense in (0, 10)
    ]
    lazy, dense = laws
    assert abs(math.fsum(lazy.masses.values()) - 1) < 5e-3
    for outcome in lazy.masses.keys() | dense.masses.keys():
        here, there = (law.masses.get(outcome, 0.0) for law in laws)
        assert abs(here - there) < 3e-4


def test_what_is_charged_covers_what_all_cells_together_reveal():
    pairs = [((), (0,)), ((0,), (0, 1))]
    bill = audit_charges(published, pairs, tail=TAIL, cutoff=CUTOFF)
    assert bill.epsilon == 3
    assert 2 < bill.loss <= 3 + 1e-6  # a lower bound, for unlikely branches are not followed
    assert charges_first(published, (0,))


def test_publishing_only_cells_that_hold_records_is_found_out():
    """Theory DG-2: without its record a group is never listed."""

    def broken(records, coins, ledger):
        keys, sizes = held(records, 3)
        ledger.charge(NOISE.cost, "noise")
        return keys, sizes + NOISE.draw(len(keys), coins)

    bill = audit_charges(broken, [((), (0,))], tail=1e-7)
    assert math.isinf(bill.loss)
    assert not bill.holds


def test_an_empty_group_is_published_as_often_as_the_theory_says():
    """Theory DG-5: 0.378 with the discrete noise of the counts at epsilon = 1, 0.389 as published."""
    for noise, share in ((DiscreteLaplace, 0.378), (RoundedLaplace, 0.389)):
        tail = noise(epsilon=Fraction(1, 2), sensitivity=1).tail(1)
        assert float(tail) == pytest.approx(share, abs=5e-4)


@pytest.mark.parametrize("noise", [NOISE, ROUNDED])
def test_the_tail_is_the_sum_of_the_law_beyond(noise):
    for least in (1, 2, 5):
        assert float(noise.tail(least)) == pytest.approx(noise.pmf(np.arange(least, 200)).sum(), rel=1e-12)


def test_rounded_noise_has_the_law_of_laplace_noise_rounded():
    law = distribution(lambda coins: int(ROUNDED.draw(1, coins)[0]), tail=1e-12)
    values = np.arange(-6, 7)
    cdf = [0.5 * math.exp(3 * x) if x < 0 else 1 - 0.5 * math.exp(-3 * x) for x in np.arange(-6.5, 7)]
    assert ROUNDED.pmf(values) == pytest.approx(np.diff(cdf), rel=1e-9)
    assert [law.masses[int(v)] for v in values] == pytest.approx(ROUNDED.pmf(values), rel=1e-9)


def test_rounded_noise_is_added_for_its_price():
    bill = audit_charges(
        lambda records, coins, ledger: ROUNDED.add(np.array([len(records)]), coins, ledger, "noise"), [((), (0,))]
    )
    assert bill.epsilon == 3
    assert bill.loss <= 3 + 1e-9
    assert bill.loss > 2.9


@given(
    st.fractions(min_value=0, max_value=1, max_denominator=50),
    st.fractions(min_value=0, max_value=5, max_denominator=50),
    st.integers(1, 200),
)
def test_tails_are_enclosed_as_closely_as_asked(share, exponent, bits):
    for chance in (Tail(share, exponent), LogisticTail(exponent, exponent)):
        low, high = chance.enclosure()(bits)
        assert low <= high <= low + 4
        assert low / 2**bits - 1e-12 <= float(chance) <= high / 2**bits + 1e-12


@pytest.mark.parametrize("chance", [Tail(Fraction(1, 3), Fraction(0)), Tail(Fraction(1), Fraction(0)), NOISE.tail(1)])
@pytest.mark.parametrize("n", [0, 1, 5, 64, 200])
def test_binomial_draws_follow_their_law(chance, n):
    """Chi-square at 10^-6; the mean of a chance 20% larger would be six standard errors away for n = 200."""
    coins = SeededCoins(11)
    drawn = np.bincount([coins.binomial(n, chance) for _ in range(1500)], minlength=n + 1)
    law = np.array(binomial_law(n, float(chance)))
    expected = 1500 * law
    often = expected > 8
    statistic = ((drawn[often] - expected[often]) ** 2 / expected[often]).sum()
    assert statistic < 40 + 3 * often.sum()
    assert drawn[~often].sum() <= 1500 * law[~often].sum() + 40


def test_a_large_binomial_is_where_it_should_be():
    """Within six standard deviations: false alarm below 10^-8."""
    n, p = 50_000_000, float(NOISE.tail(3))
    drawn = SeededCoins(5).binomial(n, NOISE.tail(3))
    assert abs(drawn - n * p) < 6 * math.sqrt(n * p)


def test_many_empty_cells_are_drawn_without_replacement_and_never_where_records_are():
    keys = np.arange(0, 3000, 3)
    found, counts = noisy_cells(
        keys, np.full(1000, 10_000), 3000, NOISE, SeededCoins(3), Ledger(), "noise", least=1, dense=0
    )
    assert len(np.unique(found)) == len(found)
    assert (np.diff(found) > 0).all()
    assert (counts[found % 3 == 0] > 9000).all()
    assert (counts[found % 3 > 0] < 100).all()


def test_a_threshold_below_one_is_refused():
    with pytest.raises(ParameterError, match="threshold"):
        published((), SeededCoins(1), Ledger(), least=0)
