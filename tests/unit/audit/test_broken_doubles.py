"""Deliberately broken mechanisms: both audits must reject them and accept the honest ones beside them."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from shoal.audit import (
    add_remove_neighbors,
    audit_charges,
    charges_first,
    estimate_epsilon,
    exact_epsilon,
    replace_neighbors,
)
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip

ONE = Fraction(1)
NEIGHBORS = list(add_remove_neighbors("ab", most=2))
CLAIM = PrivacyCost(ONE)


def sizes(table):
    return np.array([table.count("a"), table.count("b")])


def honest_noise(table, coins, ledger):
    return DiscreteLaplace(epsilon=ONE, sensitivity=1).add(sizes(table)[:1], coins, ledger, "how many a")


def noise_20_percent_too_small(table, coins, ledger):
    ledger.charge(CLAIM, "how many a")
    return sizes(table)[:1] + coins.discrete_laplaces(ONE * Fraction(5, 4), 1)


def noise_nobody_paid_for(table, coins, _):
    return sizes(table)[:1] + coins.discrete_laplaces(ONE, 1)


def noise_paid_for_afterwards(table, coins, ledger):
    noisy = sizes(table)[:1] + coins.discrete_laplaces(ONE, 1)
    ledger.charge(CLAIM, "how many a")
    return noisy


def noise_only_where_there_is_somebody(table, coins, ledger):
    """Noise on non-empty cells only (theory DG-5): an empty cell gives itself away."""
    ledger.charge(CLAIM, "how many a")
    return [int(n + coins.discrete_laplace(ONE)) if n else None for n in sizes(table)[:1]]


def honest_choice(kind):
    return lambda table, coins, ledger: kind(epsilon=ONE, score_range=ONE).choose(
        sizes(table), coins, ledger, "which is more frequent"
    )


def double_exponent(kind):
    """Twice the exponent that the range allows: the exponent of one-sided scores, doubled once more."""

    def choose(table, coins, ledger):
        ledger.charge(CLAIM, "which is more frequent")
        return kind(epsilon=2 * ONE, score_range=ONE).select(sizes(table), coins)

    return choose


def one_sided_exponent_for_two_sided_scores(kind):
    """Score a − b moves up and down: its range is 2, and ε / Δ with Δ = 1 is the exponent of one-sided scores."""

    def choose(table, coins, ledger):
        a, b = sizes(table)
        return kind(epsilon=ONE, score_range=ONE).choose([int(a - b), int(b - a)], coins, ledger, "sign")

    return choose


def two_sided_exponent_for_two_sided_scores(kind):
    def choose(table, coins, ledger):
        a, b = sizes(table)
        return kind(epsilon=ONE, score_range=2 * ONE).choose([int(a - b), int(b - a)], coins, ledger, "sign")

    return choose


def published_exponent_for_one_sided_scores(kind):
    """ε / (2Δ) where ε / Δ would do: wasteful, not wrong (theory X-6)."""
    return lambda table, coins, ledger: kind(epsilon=ONE, score_range=2 * ONE).choose(
        sizes(table), coins, ledger, "which is more frequent"
    )


def best_true_score(table, _, ledger):
    """Looks private, is not: charges for a choice and takes the maximum (theory SP-3)."""
    ledger.charge(CLAIM, "which is more frequent")
    return int(np.argmax(sizes(table)))


@dataclass(frozen=True)
class Case:
    name: str
    mechanism: Callable[..., object]
    runs: int = 8_000


HONEST = [
    Case("noise", honest_noise),
    Case("permute and flip", honest_choice(PermuteAndFlip)),
    Case("exponential mechanism", honest_choice(ExponentialMechanism)),
    Case("range 2, permute and flip", two_sided_exponent_for_two_sided_scores(PermuteAndFlip)),
    Case("range 2, exponential mechanism", two_sided_exponent_for_two_sided_scores(ExponentialMechanism)),
    Case("published exponent", published_exponent_for_one_sided_scores(PermuteAndFlip)),
]
BROKEN = [
    Case("noise 20% too small", noise_20_percent_too_small, runs=16_000),
    Case("noise on non-empty cells only", noise_only_where_there_is_somebody),
    Case("double exponent, permute and flip", double_exponent(PermuteAndFlip)),
    Case("double exponent, exponential mechanism", double_exponent(ExponentialMechanism)),
    Case("one-sided exponent, permute and flip", one_sided_exponent_for_two_sided_scores(PermuteAndFlip)),
    Case("one-sided exponent, exponential mechanism", one_sided_exponent_for_two_sided_scores(ExponentialMechanism)),
    Case("best true score", best_true_score),
]


def by_name(case):
    return case.name


@pytest.mark.parametrize("case", HONEST, ids=by_name)
def test_the_exact_audit_accepts_what_is_honest(case):
    bill = audit_charges(case.mechanism, NEIGHBORS)
    assert bill.holds
    assert bill.epsilon == 1
    assert 0.4 < bill.loss <= 1 + 1e-9


@pytest.mark.parametrize("case", BROKEN, ids=by_name)
def test_the_exact_audit_rejects_what_is_broken(case):
    bill = audit_charges(case.mechanism, NEIGHBORS)
    assert not bill.holds
    assert bill.loss > 1.19
    assert bill.needed_delta > 0.01


@pytest.mark.parametrize("mechanism", [noise_nobody_paid_for], ids=["nobody paid"])
def test_a_forgotten_charge_is_rejected(mechanism):
    bill = audit_charges(mechanism, NEIGHBORS)
    assert bill.epsilon == 0
    assert not bill.holds
    assert not charges_first(mechanism, ("a",))


def test_a_charge_after_the_toss_is_rejected():
    assert audit_charges(noise_paid_for_afterwards, NEIGHBORS).holds
    assert not charges_first(noise_paid_for_afterwards, ("a",))


@pytest.mark.parametrize("case", HONEST, ids=by_name)
def test_honest_mechanisms_charge_before_they_toss(case):
    assert charges_first(case.mechanism, ("a", "b"))


class Unlimited:
    """A ledger for thousands of runs: it lets everything pass."""

    def charge(self, *_):
        pass


def unpaid(mechanism):
    return lambda table, coins: mechanism(table, coins, Unlimited())


def worst_pair(mechanism):
    loss = exact_epsilon(unpaid(mechanism), NEIGHBORS)
    return loss.here, loss.there


@pytest.mark.parametrize("case", HONEST, ids=by_name)
def test_the_black_box_does_not_accuse_what_is_honest(case):
    """α = 10⁻⁶ each."""
    pair = worst_pair(case.mechanism)
    assert not estimate_epsilon(unpaid(case.mechanism), [pair], SeededCoins(1), runs=2_000).refutes(1)


SEVERAL = [pytest.param(case, marks=pytest.mark.slow if "exponential" in case.name else ()) for case in BROKEN]
"""One of each kind; the others are with the long tests."""


@pytest.mark.parametrize("case", SEVERAL, ids=[case.name for case in BROKEN])
def test_the_black_box_refutes_what_is_broken(case):
    """α = 10⁻⁶ each; the pair is the worst the exact audit found, as an attacker would choose it."""
    pair = worst_pair(case.mechanism)
    assert estimate_epsilon(unpaid(case.mechanism), [pair], SeededCoins(2), runs=case.runs).refutes(1)


def test_delta_pays_for_rare_events_only_as_far_as_it_reaches():
    def shows_everything_sometimes(table, coins, ledger):
        ledger.charge(PrivacyCost(ONE, Fraction(1, 100)), "gamble")
        return table if coins.bernoulli(Fraction(1, 100)) else None

    def twice_as_often(table, coins, ledger):
        ledger.charge(PrivacyCost(ONE, Fraction(1, 100)), "gamble")
        return table if coins.bernoulli(Fraction(2, 100)) else None

    assert audit_charges(shows_everything_sometimes, NEIGHBORS).holds
    assert not audit_charges(twice_as_often, NEIGHBORS).holds


def test_disjoint_parts_are_paid_for_once():
    def noise_on_every_part(table, coins, ledger):
        with ledger.parallel("cells") as parts:
            return [
                DiscreteLaplace(epsilon=4 * ONE, sensitivity=1).add(cell, coins, parts.part(name), "count")
                for name, cell in zip("ab", np.split(sizes(table), 2), strict=True)
            ]

    bill = audit_charges(noise_on_every_part, [((), ("a",))], tail=1e-10)
    assert bill.epsilon == 4
    assert bill.holds


def test_a_relation_other_than_the_usual_is_audited_under_its_name():
    def replace_one(table, coins, ledger):
        noise = DiscreteLaplace(epsilon=ONE, sensitivity=1, neighbors=Neighbors.REPLACE)
        return noise.add(sizes(table)[:1], coins, ledger, "how many a")

    pairs = list(replace_neighbors("ab", size=2))
    assert audit_charges(replace_one, pairs, relation=Neighbors.REPLACE).holds
    assert charges_first(replace_one, ("a", "a"), relation=Neighbors.REPLACE)
