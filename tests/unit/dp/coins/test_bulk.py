"""The fast samplers, with scripted bits or along every branch. Nothing here is random, unless it says so."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from test_enclosures import Script, exactly, word

from shoal.audit import distribution
from shoal.dp.coins import bulk
from shoal.dp.coins.bits import SeededBits, octets
from shoal.dp.coins.enclosures import complement, exp_minus, logistic_minus, rational
from shoal.errors import ParameterError

BYTES = np.arange(256, dtype=np.uint8)


def probabilities():
    with mpmath.workprec(400):
        yield rational(Fraction(0)), mpmath.mpf(0)
        yield rational(Fraction(1)), mpmath.mpf(1)
        yield rational(Fraction(1, 2)), mpmath.mpf(1) / 2
        yield rational(Fraction(2, 3)), mpmath.mpf(2) / 3
        for x in (Fraction(1, 1000), Fraction("0.9"), Fraction(7), Fraction(60)):
            yield exp_minus(x), mpmath.exp(-exactly(x))
            yield complement(exp_minus(x)), -mpmath.expm1(-exactly(x))
            yield logistic_minus(x), 1 / (1 + mpmath.exp(exactly(x)))


@pytest.mark.parametrize(("p", "exact"), list(probabilities()))
def test_a_coin_is_the_comparison_of_a_uniform_number_with_p(p, exact):
    """For every first byte, and for words on both sides of the next 64 bits of p."""
    with mpmath.workprec(400):
        target = mpmath.ldexp(exact, 72)
        tie = int(mpmath.floor(target)) >> 64
        rest = int(mpmath.floor(target)) & (1 << 64) - 1
        words = sorted({0, max(rest - 1, 0), min(rest + 1, 2**64 - 1), 2**64 - 1} - {rest})
        for more in words:
            ties = range(p(8)[0], min(p(8)[1], 256))
            script = Script(BYTES.tobytes(), *(word(more) for _ in ties))
            heads = bulk.toss(256, p, script)
            expected = [(byte << 64 | more) < target if byte in ties else byte < exact * 256 for byte in range(256)]
            assert heads.tolist() == expected
            assert not script.pieces
    assert tie in range(257)


def test_a_tie_of_72_bits_goes_on_bit_by_bit():
    p = rational(Fraction(1, 3))
    third = int("01" * 32, 2)
    for last, expected in ((third - 1, True), (third + 1, False)):
        assert bulk.toss(1, p, Script(b"\x55", word(third), word(last))).tolist() == [expected]


@pytest.mark.parametrize("block", [1, 3, 4, 100])
@pytest.mark.parametrize("sizes", [[], [0], [0, 0, 0], [5], [1] * 7, [0, 3, 0, 2, 5, 0], [9, 0, 1, 4, 0, 0]])
def test_thinning_counts_the_heads_of_each_group(monkeypatch, sizes, block):
    monkeypatch.setattr(bulk, "_BLOCK", block)
    heads = []

    def toss(count, _, bits):
        heads.extend(octets(count, bits) < 150)
        return np.array(heads[len(heads) - count :])

    monkeypatch.setattr(bulk, "toss", toss)
    kept = bulk.thin(np.array(sizes, dtype=np.int64), rational(Fraction(1, 2)), SeededBits(5))
    ends = np.cumsum([0, *sizes])
    assert kept.tolist() == [sum(heads[a:b]) for a, b in itertools.pairwise(ends)]
    assert kept.dtype == np.int64


def test_all_or_nothing_is_kept_at_the_extreme_rates():
    sizes = np.array([3, 0, 10**6], dtype=np.int64)
    assert bulk.thin(sizes, rational(Fraction(1)), SeededBits(1)).tolist() == sizes.tolist()
    assert bulk.thin(sizes, rational(Fraction(0)), SeededBits(1)).tolist() == [0, 0, 0]


def test_uniform_integers_reject_words_that_would_favor_small_ones():
    limit = 2**64 - 2**64 % 6
    words = np.array([limit, 7, limit + 1, limit - 1], dtype="<u8").tobytes()
    more = np.arange(10, dtype="<u8").tobytes()
    assert bulk.below(6, 4, Script(words, more)).tolist() == [1, 5, 0, 1]
    assert bulk.below(4, 2, Script(np.array([2**64 - 1, 2], dtype="<u8").tobytes())).tolist() == [3, 2]


def test_a_permutation_is_drawn_again_when_two_words_are_equal():
    tied, untied = np.array([5, 5, 1], dtype="<u8").tobytes(), np.array([9, 3, 6], dtype="<u8").tobytes()
    assert bulk.permutation(3, Script(tied, untied)).tolist() == [1, 2, 0]
    assert bulk.permutation(0, SeededBits(1)).tolist() == []


@pytest.fixture
def by_law(monkeypatch):
    """Coins in place of bits: each toss of the bulk samplers becomes a branch with its probability."""

    def toss(count, p, coins):
        low, high = p(200)
        heads = Fraction(low + high, 2**201)
        return np.array([coins.bernoulli(heads) for _ in range(count)], dtype=np.bool_)

    monkeypatch.setattr(bulk, "toss", toss)


@pytest.mark.usefixtures("by_law")
@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(5, 3), Fraction(9)])
def test_binary_digits_make_a_geometric_number(x):
    found = distribution(lambda coins: bulk.geometric(x, 1, coins), cutoff=1e-16)
    assert found.lost < 1e-13
    for (g,), mass in found.masses.items():
        assert mass == pytest.approx(-math.expm1(-x) * math.exp(-x * g), rel=1e-12, abs=1e-15)


@pytest.mark.usefixtures("by_law")
@pytest.mark.parametrize("x", [Fraction(1), Fraction(3)])
def test_the_difference_of_two_is_discrete_laplace(x):
    found = distribution(lambda coins: bulk.discrete_laplace(x, 1, coins), cutoff=1e-13)
    assert found.lost < 1e-10
    for (n,), mass in found.masses.items():
        assert mass == pytest.approx(math.tanh(x / 2) * math.exp(-x * abs(n)), abs=1e-10)


@pytest.mark.usefixtures("by_law")
def test_thinning_is_binomial():
    found = distribution(lambda coins: bulk.thin(np.array([2, 0, 3]), complement(exp_minus(Fraction(9, 10))), coins))
    beta = -math.expm1(-0.9)
    for (first, none, second), mass in found.masses.items():
        binomial = [math.comb(n, k) * beta**k * (1 - beta) ** (n - k) for n, k in ((2, first), (3, second))]
        assert none == 0
        assert mass == pytest.approx(math.prod(binomial), rel=1e-12)


def test_noise_too_wide_for_64_bits_is_refused():
    with pytest.raises(ParameterError, match="at least 2\\^-40"):
        bulk.geometric(Fraction(1, 2**41), 1, SeededBits(1))
    assert abs(bulk.discrete_laplace(Fraction(1, 2**40), 4, SeededBits(1))).max() > 2**36


def test_a_broken_source_of_bits_does_not_loop_forever(monkeypatch):
    monkeypatch.setattr(bulk, "_MOST_ROUNDS", 100)

    class Zeros:
        seeded = True

        def take(self, count):
            return bytes(count)

    with pytest.raises(AssertionError, match="broken"):
        bulk.geometric(Fraction(1), 1, Zeros())


@pytest.mark.parametrize("variance", [Fraction(1, 10), Fraction("1234.5678901234567")])
def test_gaussian_squares_need_not_fit_64_bits(variance):
    drawn = bulk.discrete_gaussian(variance, 1_000, SeededBits(2))
    assert len(drawn) == 1_000
    assert drawn.dtype == np.int64
    assert bulk.discrete_gaussian(variance, 0, SeededBits(2)).tolist() == []


def test_a_gaussian_proposal_is_accepted_with_the_probability_of_the_paper(monkeypatch):
    """Canonne, Kamath & Steinke 2020, Alg. 3, line 8: exp(−(|y| − σ²/t)² / (2σ²))."""
    variance, scale = Fraction(17, 3), 3
    seen = {}

    def propose(x, count, _):
        assert x == Fraction(1, scale)
        return np.arange(count) - 5

    def accept(_low, _high, gaps, unit, _bits):
        seen.update({y - 5: int(gap) * unit for y, gap in enumerate(gaps)})
        return np.ones(len(gaps), dtype=np.bool_)

    monkeypatch.setattr(bulk, "discrete_laplace", propose)
    monkeypatch.setattr(bulk, "toss_between", accept)
    assert bulk.discrete_gaussian(variance, 4, SeededBits(1)).tolist() == [-5, -4, -3, -2]
    assert len(seen) > 10
    assert seen == {y: (abs(y) - variance / scale) ** 2 / (2 * variance) for y in seen}


@pytest.mark.parametrize(("weights", "expected"), [(None, 2), (np.array([1, 1, 1]), 2), (np.array([2, 3, 1]), 1)])
def test_the_first_accepted_proposal_is_chosen(monkeypatch, weights, expected):
    gaps, unit = np.array([0, 4, 9]), Fraction(1, 5)
    blocks = iter([np.zeros(11, dtype=np.bool_), np.arange(44) == 7])

    def tickets(n, count, _):
        assert n == (3 if weights is None else weights.sum())
        return np.full(count, 2)

    def accept(proposed, by, _):
        assert (proposed == gaps[expected]).all()
        assert by == unit
        return next(blocks)

    monkeypatch.setattr(bulk, "below", tickets)
    monkeypatch.setattr(bulk, "toss_exp", accept)
    assert bulk.choose_exp(gaps, unit, weights, SeededBits(1)) == expected
    assert next(blocks, None) is None
