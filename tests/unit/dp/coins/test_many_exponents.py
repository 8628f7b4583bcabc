"""Discrete Laplace draws with an exponent each: brackets hold, and every exponent gets its own law."""

import sys
from fractions import Fraction
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dp.coins.brackets import PRECISION, unit_brackets
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.many_exponents import _below
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.errors import ParameterError

sys.path.append(str(Path(__file__).parents[3] / "statistical"))
from fits import fits

EXPONENTS = [Fraction(1, 3), Fraction(2, 7), Fraction(5, 2), Fraction(1), Fraction(10**12 + 1, 3 * 10**12)]
"""The last one is too wide for the tables, and drawn by itself."""


@given(bottom=st.integers(1, 2**38 - 1), data=st.data())
def test_a_bracket_holds_the_exponential(bottom, data):
    top = data.draw(st.integers(0, bottom - 1))
    low, high = (int(bound[0]) for bound in unit_brackets(np.array([top]), np.array([bottom])))
    assert low <= 2**PRECISION * exp(-top / bottom) * (1 + 1e-15)
    assert high >= 2**PRECISION * exp(-top / bottom) * (1 - 1e-15)
    assert high - low <= 600


def laws(x, reach):
    middle = DiscreteLaplace(epsilon=x, sensitivity=1).pmf(np.arange(-reach, reach + 1))
    beyond = (1 - middle.sum()) / 2
    return np.concatenate([[beyond], middle, [beyond]])


def test_every_exponent_has_its_own_law_and_no_other():
    """100,000 draws of each, mixed; α = 10^−6 per exponent, and the law of another one is rejected."""
    rng = np.random.default_rng(1)
    which = rng.permutation(np.repeat(np.arange(len(EXPONENTS)), 100_000))
    drawn = SeededCoins(11).discrete_laplaces_each(EXPONENTS, which)
    reach = 12
    for i, x in enumerate(EXPONENTS):
        seen = np.bincount(np.clip(drawn[which == i], -reach - 1, reach + 1) + reach + 1, minlength=2 * reach + 3)
        keep = laws(x, reach) * 100_000 > 5
        folded = np.append(seen[keep], seen[~keep].sum())
        for j, other in enumerate(EXPONENTS):
            law = laws(other, reach)
            expected = np.append(law[keep], law[~keep].sum())
            is_same = abs(float(x) - float(other)) < 1e-9
            assert fits(folded, expected, alpha=1e-6) == is_same, (i, j)


def test_few_draws_and_none():
    coins = SeededCoins(2)
    assert len(coins.discrete_laplaces_each(EXPONENTS, np.array([0, 4, 1]))) == 3
    assert len(coins.discrete_laplaces_each([], np.zeros(0, dtype=np.int64))) == 0
    with pytest.raises(ParameterError):
        coins.discrete_laplaces_each([Fraction(0)], np.zeros(20, dtype=np.int64))


class Words:
    """Bits that spell given words, and no others."""

    seeded = True

    def __init__(self, *words):
        self.words = list(words)

    def take(self, count):
        taken, self.words = self.words[: count // 8], self.words[count // 8 :]
        return b"".join(word.to_bytes(8, "little") for word in taken)


@pytest.mark.parametrize("t", [1, 2, 3, 5, 7, 10, 2**32, 2**38 - 1])
def test_a_word_counts_below_the_largest_multiple_and_is_drawn_again_from_there_on(t):
    """So each rest is that of equally many words: 2^64 − (2^64 mod t) words count, and no other does."""
    limit = 2**64 - 2**64 % t
    assert _below(np.array([t]), Words(limit - 1)).tolist() == [t - 1]
    assert _below(np.array([t, t]), Words(0, limit - t)).tolist() == [0, 0]
    if limit < 2**64:
        bits = Words(limit, 2**64 - 1, t + 1)
        assert _below(np.array([t]), bits).tolist() == [1]
        assert bits.words == []
