"""Private selection draws from its law, on paths that enumeration does not take: bulk tosses of bits."""

from fractions import Fraction

import numpy as np
import pytest
from fits import fits

from shoal.dp.coins.coins import SeededCoins
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip

ALPHA = 1e-6
BOTH = [PermuteAndFlip, ExponentialMechanism]


def selection(kind, epsilon):
    return kind(epsilon=Fraction(epsilon), score_range=Fraction(2))


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("scores", "draws"),
    [
        (np.array([0, 1, 2, 5]), 6_000),
        (np.array([0, 1, 2, 5, 0, 3, 4, 1]), 6_000),
        ([Fraction(1, 3), Fraction(12, 5), Fraction(1, 9**30), Fraction(5), 0, 1, 2], 3_000),
    ],
    ids=["few", "integers", "long fractions"],
)
def test_select_follows_its_probabilities_and_not_those_of_an_epsilon_20_percent_off(kind, scores, draws):
    coins = SeededCoins(7)
    right = selection(kind, 1)
    drawn = np.bincount([right.select(scores, coins) for _ in range(draws)], minlength=len(scores))
    assert fits(drawn, right.probabilities(scores), ALPHA)
    for wrong in (Fraction(6, 5), Fraction(4, 5)):
        assert not fits(drawn, selection(kind, wrong).probabilities(scores), ALPHA)


@pytest.mark.parametrize("kind", BOTH)
def test_each_law_is_told_from_the_other(kind):
    coins, scores = SeededCoins(8), np.array([0, 1, 2, 5])
    drawn = np.bincount([selection(kind, 1).select(scores, coins) for _ in range(6_000)], minlength=4)
    (other,) = set(BOTH) - {kind}
    assert not fits(drawn, selection(other, 1).probabilities(scores), ALPHA)


@pytest.mark.parametrize("kind", BOTH)
def test_three_hundred_candidates_with_scores_on_a_grid(kind):
    coins, scores = SeededCoins(9), np.random.default_rng(1).random(300) * 9
    right, wrong = (
        kind(epsilon=epsilon, score_range=Fraction(2), grid=Fraction(1, 1024))
        for epsilon in (Fraction(1), Fraction(6, 5))
    )
    drawn = np.bincount([right.select(scores, coins) for _ in range(6_000)], minlength=300)
    order = np.argsort(scores)  # neighbors in score share a cell, else every cell is sparse
    by_score = [block.sum() for block in np.array_split(drawn[order], 20)]
    right_law, wrong_law = (
        [block.sum() for block in np.array_split(kind_.probabilities(scores)[order], 20)] for kind_ in (right, wrong)
    )
    assert fits(by_score, right_law, ALPHA)
    assert not fits(by_score, wrong_law, ALPHA)


def test_weights_are_followed():
    coins, scores, weights = SeededCoins(10), np.array([3, 0, 1]), np.array([1, 50, 7])
    choice = selection(ExponentialMechanism, 1)
    drawn = np.bincount([choice.select(scores, coins, weights) for _ in range(6_000)], minlength=3)
    assert fits(drawn, choice.probabilities(scores, weights), ALPHA)
    assert not fits(drawn, choice.probabilities(scores), ALPHA)
