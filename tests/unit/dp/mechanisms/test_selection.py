import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit import distribution, exact_epsilon
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Entry, Ledger
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from shoal.errors import BudgetError, ParameterError

BOTH = [PermuteAndFlip, ExponentialMechanism]
ONE = Fraction(1)


def with_exponent(kind, eta):
    return kind(epsilon=Fraction(eta), score_range=ONE)


def subsets_law(accepted):
    """Permute-and-flip by inclusion and exclusion over all subsets, in fractions (oracles/samplers.py)."""
    law = []
    for i, p in enumerate(accepted):
        others = accepted[:i] + accepted[i + 1 :]
        total = Fraction(0)
        for size in range(len(others) + 1):
            for subset in itertools.combinations(others, size):
                total += Fraction((-1) ** size, size + 1) * math.prod(subset)
        law.append(p * total)
    return law


@pytest.mark.parametrize(
    ("kind", "eta", "expected"),
    [
        (ExponentialMechanism, Fraction(1, 2), [0.056982, 0.093947, 0.154892, 0.694179]),
        (PermuteAndFlip, Fraction(1, 2), [0.036345, 0.060990, 0.103686, 0.798979]),
        (ExponentialMechanism, ONE, [0.006269, 0.017040, 0.046320, 0.930370]),
        (PermuteAndFlip, ONE, [0.003293, 0.008986, 0.024686, 0.963035]),
    ],
)
def test_the_laws_have_the_numbers_of_theory_7_6(kind, eta, expected):
    assert with_exponent(kind, eta).probabilities([0, 1, 2, 5]) == pytest.approx(expected, abs=5e-7)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.lists(st.fractions(0, 30, max_denominator=20), min_size=1, max_size=8))
def test_permute_and_flip_agrees_with_the_sum_over_all_subsets(scores):
    law = with_exponent(PermuteAndFlip, 1).probabilities(scores)
    exact = subsets_law([Fraction(math.exp(float(score - max(scores)))) for score in scores])
    assert law == pytest.approx([float(p) for p in exact], abs=1e-13, rel=1e-11)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.data(), st.lists(st.integers(0, 6), min_size=1, max_size=4))
def test_where_some_scores_are_only_bounded_the_law_is_that_of_the_true_ones(data, scores):
    choice, best = with_exponent(PermuteAndFlip, Fraction(1, 2)), max(scores)
    bounds = [data.draw(st.integers(score, best)) for score in scores]
    is_exact = np.array([score == best or data.draw(st.booleans()) for score in scores])
    told = np.where(is_exact, scores, bounds)
    known = distribution(lambda coins: choice.select(scores, coins), cutoff=1e-12)
    found = distribution(lambda coins: choice.select_near(told, is_exact, scores.__getitem__, coins), cutoff=1e-12)
    for i in range(len(scores)):
        assert float(found.masses.get(i, 0)) == pytest.approx(float(known.masses.get(i, 0)), abs=1e-9)


def test_what_is_far_below_the_best_is_not_looked_at_and_the_draws_are_the_same():
    choice = PermuteAndFlip(epsilon=Fraction(1, 3), score_range=Fraction(7))
    assert choice.far * choice.exponent >= 45 > (choice.far - 1) * choice.exponent
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.integers(90_000, 100_000, 500), rng.integers(0, 90_000, 500)])
    is_far = scores < scores.max() - choice.far
    told = np.where(is_far, scores.max() - choice.far - 1, scores)
    for seed in range(200):
        near = choice.select_near(told, ~is_far, {}.__getitem__, SeededCoins(seed))
        assert near == choice.select(scores, SeededCoins(seed))


@pytest.mark.parametrize("candidates", [1, 2, 50, 400, 5_000])
@pytest.mark.parametrize("scale", [0.0, 0.01, 1.0, 30.0])
def test_laws_of_many_candidates_are_distributions(candidates, scale):
    scores = (np.random.default_rng(candidates).random(candidates) * scale * 1000).astype(np.int64)
    for kind in BOTH:
        law = kind(epsilon=ONE, score_range=Fraction(1000)).probabilities(scores)
        assert law.min() >= 0
        assert law.sum() == pytest.approx(1, abs=1e-12)


def test_permute_and_flip_with_hundreds_of_candidates_is_right_to_twelve_digits():
    """Two values only: m tied at the top and n − m accepted with probability p have a law in one binomial sum."""
    top, rest, eta = 7, 393, Fraction(1, 3)
    p = math.exp(-10 / 3)
    scores = np.array([10] * top + [0] * rest)
    law = with_exponent(PermuteAndFlip, eta).probabilities(scores)
    binomial = [math.comb(rest, j) * p**j * (1 - p) ** (rest - j) for j in range(rest + 1)]
    best = math.fsum(mass / (top + j) for j, mass in enumerate(binomial))
    assert law[:top] == pytest.approx(best, abs=1e-13)
    assert law[top:] == pytest.approx((1 - top * best) / rest, abs=1e-13)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("scores", [[3], [0, 0], [0, 1, 2, 5], [Fraction(1, 3), 2, Fraction(7, 5), 2]])
def test_select_follows_its_law_on_every_branch(kind, scores):
    choice = with_exponent(kind, Fraction(2, 3))
    found = distribution(lambda coins: choice.select(scores, coins))
    assert found.lost == 0
    law = choice.probabilities(scores)
    assert [found.masses[i] for i in range(len(scores))] == pytest.approx(law.tolist(), abs=1e-14)


def test_the_random_order_of_the_paper_has_the_same_law():
    """McKenna & Sheldon 2020, Alg. 1: visit in random order, accept, stop."""
    scores, choice = [0, 1, 3], with_exponent(PermuteAndFlip, Fraction(2, 3))

    def as_published(coins):
        for i in coins.permutation(len(scores)):
            if coins.bernoulli_exp(choice.exponent * (max(scores) - scores[i])):
                return int(i)
        raise AssertionError

    found = distribution(as_published)
    assert [found.masses[i] for i in range(3)] == pytest.approx(choice.probabilities(scores).tolist(), abs=1e-14)


def test_weights_count_as_copies():
    scores, weights = [0, 2, 1], np.array([3, 1, 2])
    choice = with_exponent(ExponentialMechanism, 1)
    law = choice.probabilities(scores, weights)
    copies = choice.probabilities(np.repeat(scores, weights))
    assert law == pytest.approx([copies[:3].sum(), copies[3], copies[4:].sum()], abs=1e-15)
    found = distribution(lambda coins: choice.select(scores, coins, weights))
    assert [found.masses[i] for i in range(3)] == pytest.approx(law.tolist(), abs=1e-15)
    assert choice.choose(scores, SeededCoins(1), Ledger(), "split", weights) in {0, 1, 2}


def worst_loss(kind, eta, moves):
    """Over all scores 0…4 of three candidates and all moves of them."""
    choice = with_exponent(kind, eta)
    law = {s: np.log(choice.probabilities(np.array(s))) for s in itertools.product(range(-1, 6), repeat=3)}
    return max(
        np.abs(law[s] - law[tuple(a + b for a, b in zip(s, d, strict=True))]).max()
        for s in itertools.product(range(5), repeat=3)
        for d in itertools.product(moves, repeat=3)
    )


@pytest.mark.parametrize(
    ("kind", "one_sided", "two_sided", "double"),
    [(ExponentialMechanism, 0.9942, 0.9591, 1.9921), (PermuteAndFlip, 1.0000, 1.0000, 2.0000)],
)
def test_the_range_exponent_costs_epsilon_and_no_more(kind, one_sided, two_sided, double):
    """Theory X-6. With moves in {−1, 0, 1} the range is 2; the exponent of one-sided scores then costs twice."""
    assert worst_loss(kind, 1, (0, 1)) == pytest.approx(one_sided, abs=5e-5)
    assert worst_loss(kind, Fraction(1, 2), (-1, 0, 1)) == pytest.approx(two_sided, abs=5e-5)
    assert worst_loss(kind, 1, (-1, 0, 1)) == pytest.approx(double, abs=5e-5)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(data=st.data(), kind=st.sampled_from(BOTH))
def test_scores_that_move_within_the_range_cost_at_most_epsilon(data, kind):
    low, width = data.draw(st.fractions(-3, 3, max_denominator=8)), data.draw(st.fractions("1/8", 4, max_denominator=8))
    scores = data.draw(st.lists(st.fractions(-5, 5, max_denominator=8), min_size=2, max_size=6))
    moves = [low + width * data.draw(st.fractions(0, 1, max_denominator=8)) for _ in scores]
    choice = kind(epsilon=Fraction(3, 2), score_range=width)
    here, there = (choice.probabilities(s) for s in (scores, [a + b for a, b in zip(scores, moves, strict=True)]))
    assert np.abs(np.log(here) - np.log(there)).max() <= 1.5 + 1e-9


@settings(deadline=None, max_examples=60, derandomize=True)
@given(data=st.data(), kind=st.sampled_from(BOTH))
def test_rounding_to_a_grid_is_paid_for(data, kind):
    """Theory X-4 and X-6: floats that move within [0, R] cost ε once 2w is added to R."""
    grid, width = Fraction(1, 4), Fraction(1, 2)
    floats = st.floats(-4, 4, allow_subnormal=False)
    scores = np.array(data.draw(st.lists(floats, min_size=2, max_size=5)))
    moved = scores + np.array([data.draw(st.floats(0, 0.5)) for _ in scores])
    moved = np.minimum(moved, scores + 0.5)  # the sum itself was rounded
    choice = kind(epsilon=ONE, score_range=width + Fraction(1, 2**40), grid=grid)
    here, there = (choice.probabilities(s) for s in (scores, moved))
    assert np.abs(np.log(here) - np.log(there)).max() <= 1 + 1e-9


@pytest.mark.parametrize("kind", BOTH)
def test_a_grid_that_is_not_paid_for_is_caught(kind):
    """Two scores that move by 0.02 land on grid points a whole step apart, in opposite directions."""
    tables = {"here": np.array([0.49, 0.51]), "there": np.array([0.51, 0.49])}
    honest = kind(epsilon=ONE, score_range=Fraction("0.04"), grid=ONE)
    unpaid = kind(epsilon=ONE, score_range=Fraction("0.04"))

    def rounds_without_paying(table, coins):
        return unpaid.select(np.rint(tables[table]).astype(np.int64), coins)

    pair = [("here", "there")]
    assert exact_epsilon(lambda table, coins: honest.select(tables[table], coins), pair).epsilon <= 1
    assert exact_epsilon(rounds_without_paying, pair).epsilon > 20


@settings(deadline=None, derandomize=True)
@given(st.lists(st.fractions(0, 8, max_denominator=4), min_size=1, max_size=6))
def test_permute_and_flip_never_expects_a_worse_score(scores):
    """McKenna & Sheldon 2020."""
    values = np.array([float(score) for score in scores])
    flip, exponential = (with_exponent(kind, 1).probabilities(scores) @ values for kind in BOTH)
    assert flip >= exponential - 1e-12


@pytest.mark.parametrize("kind", BOTH)
def test_choosing_charges_first(kind):
    ledger = Ledger(neighbors=Neighbors.REPLACE)
    choice = kind(epsilon=Fraction(1, 2), score_range=ONE, neighbors=Neighbors.REPLACE)
    assert choice.choose([0, 50], SeededCoins(1), ledger, "scheme") == 1
    assert ledger.entries == (Entry(PrivacyCost(Fraction(1, 2), neighbors=Neighbors.REPLACE), "scheme"),)

    class Empty:
        def charge(self, _, reason):
            raise BudgetError(reason)

    with pytest.raises(BudgetError, match="scheme"):
        choice.choose([0, 50], object(), Empty(), "scheme")


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    "wrong",
    [{"epsilon": 0.1}, {"score_range": 0}, {"grid": Fraction(1, 10)}, {"grid": 0}, {"grid": Fraction(3, 4)}],
)
def test_parameters_are_checked_at_once(kind, wrong):
    with pytest.raises(ParameterError, match=f"{kind.__name__}: "):
        kind(**({"epsilon": ONE, "score_range": ONE} | wrong))


@pytest.mark.parametrize("kind", BOTH)
def test_the_grid_is_charged_twice_its_width(kind):
    assert kind(epsilon=3, score_range=1).exponent == 3
    assert kind(epsilon=3, score_range=1, grid=Fraction(1, 4)).exponent == 2


@pytest.mark.parametrize("kind", BOTH)
def test_a_hundred_thousand_candidates_are_no_trouble(kind):
    scores = np.linspace(0, 1, 100_000)
    choice = kind(epsilon=ONE, score_range=Fraction(1, 1000), grid=Fraction(1, 2**20))
    assert all(choice.select(scores, SeededCoins(seed)) > 95_000 for seed in range(5))
