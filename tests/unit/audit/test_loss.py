"""Losses, and the numbers of `oracles/diffgen_exact_loss.py` and theory 7.6 found again by enumeration."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shoal.audit import (
    Distribution,
    add_remove_neighbors,
    exact_delta,
    exact_epsilon,
    hockey_stick,
    max_log_ratio,
    replace_neighbors,
)
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.errors import ParameterError

FAIR, SKEWED = Distribution({"a": 0.5, "b": 0.5}), Distribution({"a": 0.2, "b": 0.8})


def test_the_ratio_is_taken_over_the_worst_outcome():
    assert max_log_ratio(FAIR, SKEWED) == pytest.approx(math.log(2.5))
    assert max_log_ratio(SKEWED, FAIR) == pytest.approx(math.log(1.6))


def test_an_outcome_that_one_table_cannot_have_is_an_infinite_loss():
    assert max_log_ratio(FAIR, Distribution({"a": 1.0})) == math.inf
    assert hockey_stick(FAIR, Distribution({"a": 1.0}), epsilon=5) == 0.5


def test_what_was_lost_is_never_held_against_a_mechanism():
    assert max_log_ratio(FAIR, Distribution({"a": 0.9}, lost=0.1)) == pytest.approx(math.log(5))


def test_what_was_lost_is_never_counted_in_favor_of_a_delta():
    assert hockey_stick(Distribution({"a": 0.9}, lost=0.1), Distribution({"a": 1.0}), epsilon=0) == pytest.approx(0.1)


@pytest.mark.parametrize("epsilon", [0, 0.1, 0.5, 2])
def test_the_hockey_stick_is_the_largest_excess_over_all_events(epsilon):
    excess = [
        sum(FAIR.masses[o] for o in event) - math.exp(epsilon) * sum(SKEWED.masses[o] for o in event)
        for event in ("", "a", "b", "ab")
    ]
    assert hockey_stick(FAIR, SKEWED, epsilon) == pytest.approx(max(excess))


def randomized_response(table, coins):
    return [(bit + coins.bernoulli(Fraction(1, 4))) % 2 for bit in table]


def test_randomized_response_loses_the_log_odds():
    loss = exact_epsilon(randomized_response, replace_neighbors((0, 1), size=3))
    assert loss.epsilon == pytest.approx(math.log(3))
    assert loss.lost == 0
    assert {loss.here, loss.there} <= {(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)}
    assert exact_delta(randomized_response, replace_neighbors((0, 1), size=3), math.log(3)) == pytest.approx(
        0, abs=1e-15
    )
    assert exact_delta(randomized_response, replace_neighbors((0, 1), size=1), 0.0) == pytest.approx(0.5)


def test_tables_that_cannot_be_looked_up_are_enumerated_again():
    loss = exact_epsilon(randomized_response, (([0], [bit]) for bit in (0, 1)))
    assert loss.epsilon == pytest.approx(math.log(3))


def test_an_audit_of_nothing_is_refused():
    with pytest.raises(ParameterError, match="at least one pair"):
        exact_epsilon(randomized_response, [])


def test_sampling_and_suppressing_hides_small_groups_up_to_delta():
    """SafePub's operator on one class: β = 1 − e^−ε, shown from k = 2 on; theory SP-5 by brute force."""
    beta = OneMinusExp(Fraction(1))

    def operator(table, coins):
        (size,) = coins.thin(np.array([len(table)]), beta)
        return int(size) if size >= 2 else 0

    rate = float(beta)
    needed = exact_delta(operator, [((), ("a",)), (("a",), ("a", "a")), (("a",) * 2, ("a",) * 3)], epsilon=1.0)
    laws = [{k: math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)} for n in range(4)]
    shown = [{0: law[0] + law.get(1, 0), **{k: p for k, p in law.items() if k >= 2}} for law in laws]
    expected = max(
        sum(max(0, here.get(o, 0) - math.e * there.get(o, 0)) for o in range(4))
        for n in range(3)
        for here, there in ((shown[n], shown[n + 1]), (shown[n + 1], shown[n]))
    )
    assert needed == pytest.approx(expected)
    assert needed > 0.3


class ToyDiffGen:
    """The selection phase of DiffGen on a toy domain, as a mechanism over coins (oracles/diffgen_exact_loss.py).

    A number with grid {0…3}, a category with two values, two classes, two specializations, score Max.
    """

    def __init__(self, eta, *, last_split=True):
        self.choice = ExponentialMechanism(epsilon=eta, score_range=Fraction(1))
        self.last_split = last_split

    def __call__(self, table, coins):
        splits = {(0, 4): self.split(table, 0, 4, coins)}
        category, transcript = True, [splits[0, 4]]
        for step in (1, 2):
            candidates = [("A", low, high, at) for (low, high), at in splits.items() if at is not None]
            candidates += [("J",)] if category else []
            if not candidates:
                break
            scores = [self.score(table, candidate) for candidate in candidates]
            chosen = candidates[self.choice.select(scores, coins)]
            transcript.append(chosen)
            if chosen == ("J",):
                category = False
                continue
            _, low, high, at = chosen
            del splits[low, high]
            if step < 2 or self.last_split:
                for part in ((low, at), (at, high)):
                    splits[part] = self.split(table, *part, coins)
                    transcript.append(splits[part])
        return transcript

    def split(self, table, low, high, coins):
        places = range(low + 1, high)
        if not places:
            return None
        return places[self.choice.select([self.score(table, ("A", low, high, at)) for at in places], coins)]

    def score(self, table, candidate):
        if candidate == ("J",):
            return sum(self.majority(r for r in table if r[1] == value) for value in (0, 1))
        _, low, high, at = candidate
        return sum(self.majority(r for r in table if a <= r[0] < b) for a, b in ((low, at), (at, high)))

    @staticmethod
    def majority(records):
        classes = [record[2] for record in records]
        return max(classes.count(0), classes.count(1))


ADDED = (((0, 0, 0), (0, 0, 0), (2, 1, 1)), ((0, 0, 0), (0, 0, 0), (2, 1, 1), (1, 0, 0)))
REPLACED = (((0, 0, 0), (1, 1, 1), (1, 1, 1)), ((1, 1, 1), (1, 1, 1), (2, 1, 0)))


@pytest.mark.parametrize(
    ("eta", "last_split", "pair", "expected"),
    [
        (Fraction("0.05"), True, ADDED, 0.1105),
        (Fraction("0.1"), True, ADDED, 0.2254),
        (Fraction("0.1"), False, ADDED, 0.2254),
        (Fraction("0.05"), True, REPLACED, 0.1688),
    ],
    ids=["published", "monotone", "monotone, no last split", "published, replace-one"],
)
def test_the_worst_pairs_of_the_toy_diffgen_lose_what_the_oracle_says(eta, last_split, pair, expected):
    found = exact_epsilon(ToyDiffGen(eta, last_split=last_split), [pair])
    assert found.epsilon == pytest.approx(expected, abs=5e-5)
    assert found.lost == 0


def test_small_tables_lose_less_than_the_phase_may_spend():
    records = [(number, category, label) for number in (0, 3) for category in (0, 1) for label in (0, 1)]
    loss = exact_epsilon(ToyDiffGen(Fraction("0.1")), add_remove_neighbors(records, most=2))
    assert 0.1 < loss.epsilon <= 0.2254
