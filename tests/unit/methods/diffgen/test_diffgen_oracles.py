"""DiffGen on the paper's Table 1: scores, split distribution and budgets as computed by hand (theory 7.2)."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import shoal
from shoal.audit.enumeration import distribution
from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.kernels.grouping import narrowest
from shoal.methods.diffgen.growth import grow_as_published
from shoal.methods.diffgen.room import recommended_specializations
from shoal.progress import silent
from shoal.search.top_down.cut import GrowingCut
from shoal.search.top_down.value_scores import ValueScores, information_gain, largest_classes

TABLE_1 = [
    ("Engineer", 34, "Y"), ("Lawyer", 50, "N"), ("Engineer", 38, "N"), ("Lawyer", 33, "Y"),
    ("Dancer", 20, "Y"), ("Writer", 37, "N"), ("Writer", 32, "Y"), ("Dancer", 25, "N"),
]  # fmt: skip
JOBS = {"Any_Job": {"Professional": ["Engineer", "Lawyer"], "Artist": ["Dancer", "Writer"]}}


def encoded(records, columns):
    """A table of records from (name, domain, taxonomy) triples; numbers are counted from the start of their grid."""
    attributes, codes = [], []
    for i, (name, domain, tree) in enumerate(columns):
        attribute = settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=tree), domain)
        values = [record[i] for record in records]
        known = {value: code for code, value in enumerate(getattr(attribute.domain, "values", ()))}
        column = [known[value] if known else value - domain.lower for value in values]
        codes.append(np.array(column, dtype=narrowest(attribute.domain.size)))
        attributes.append(attribute)
    names, sizes = [a.name for a in attributes], [a.domain.size for a in attributes]
    return EncodedTable(tuple(attributes), Counts.of(names, codes, sizes))


def table_1():
    tree = shoal.tree(JOBS)
    return encoded(
        TABLE_1,
        [("Job", tree.leaves(), tree), ("Age", Grid.between(18, 64), None), ("Class", Categorical(("N", "Y")), None)],
    )


@pytest.fixture
def cut():
    return GrowingCut(table_1(), ["Job", "Age"], "Class")


def score_at(candidates, point):
    inside = (candidates.start <= point) & (point < candidates.start + candidates.width)
    return candidates.score[np.flatnonzero(inside)[0]]


def test_the_counts_of_table_1c_and_1d_are_the_groups_of_two_cuts(cut):
    cut.specialize(1, 0, 40 - 18)
    cut.specialize(0, 0, -1)
    assert sorted(cut.counts().sum(axis=1).tolist()) == [1, 3, 4]  # Professional 3, 1; Artist 4, 0
    assert cut.partitions == 4
    cut.specialize(0, 0, -1)
    cut.specialize(0, 2, -1)
    assert sorted(cut.counts().sum(axis=1).tolist()) == [1, 1, 2, 2, 2]  # three of the eight groups are empty
    assert cut.partitions == 8


def test_max_and_information_gain_of_table_1(cut):
    most, gain = ValueScores(cut, largest_classes), ValueScores(cut, information_gain)
    assert most.of(0, 0).score.tolist() == [4]
    assert gain.of(0, 0).score == pytest.approx([0.0])
    assert score_at(most.of(1, 0), 40 - 18) == 5
    assert score_at(gain.of(1, 0), 40 - 18) == pytest.approx(0.137925, abs=1e-6)
    cut.specialize(0, 0, -1)
    assert [most.of(0, value).score.tolist() for value in (0, 1)] == [[2], [2]]
    assert [float(gain.of(0, value).score[0]) for value in (0, 1)] == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize(
    ("exponent", "law"),
    [
        (0.05, [0.041136, 0.108114, 0.143977, 0.021623, 0.022731, 0.071691, 0.022731, 0.259473, 0.308523]),
        (0.1, [0.039694, 0.109672, 0.138929, 0.021934, 0.024241, 0.080372, 0.024241, 0.263212, 0.297705]),
    ],
)
def test_the_split_of_age_has_the_distribution_computed_by_hand(cut, exponent, law):
    """Continuous lengths in the theory; on the grid 19…64 the last interval has 14 points instead of length 15."""
    runs = ValueScores(cut, largest_classes).of(1, 0)
    assert (runs.start + 18).tolist() == [19, 21, 26, 33, 34, 35, 38, 39, 51]
    assert runs.width.tolist() == [2, 5, 7, 1, 1, 3, 1, 12, 14]
    assert runs.score.tolist() == [4, 5, 4, 5, 6, 7, 6, 5, 4]
    epsilon = Fraction(str(exponent))
    choice = ExponentialMechanism(epsilon=epsilon, score_range=Fraction(1))
    lengths = np.append(runs.width[:-1], 15)
    assert choice.probabilities(runs.score, lengths) == pytest.approx(law, abs=1e-6)


def test_the_first_choice_of_a_candidate_has_the_distribution_computed_by_hand():
    for epsilon_range, law in ((2, [0.487503, 0.512497]), (1, [0.475021, 0.524979])):
        choice = ExponentialMechanism(epsilon=Fraction(1, 10), score_range=Fraction(epsilon_range))
        assert choice.probabilities([4, 5]) == pytest.approx(law, abs=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "h", "numbers", "each"),
    [(1, 2, 1, 0.1), (1, 10, 6, 0.019231), (1, 15, 6, 0.013889), (0.1, 4, 6, 0.003571)],
)
def test_the_published_budget_of_one_choice(epsilon, h, numbers, each, monkeypatch):
    """Algorithm 1, line 3."""
    found = []
    monkeypatch.setattr("shoal.methods.diffgen.method.grow_as_published", lambda *given: found.append(given[3]))
    columns = [(f"n{i}", Grid.between(0, 3), None) for i in range(numbers)]
    table = encoded([(0,) * numbers + ("N",)], [*columns, ("Class", Categorical(("N", "Y")), None)])
    method = shoal.DiffGen(epsilon=epsilon, target="Class", specializations=h, mode=shoal.Mode.AS_PUBLISHED)
    method.run(table, coins=shoal.dp.coins.coins.SeededCoins(1), ledger=shoal.dp.ledger.ledger.Ledger())
    assert float(found[0].epsilon) == pytest.approx(each, abs=5e-7)
    assert found[0].exponent == found[0].epsilon / 2


# An independent enumeration of Algorithm 1 on a toy domain, after theory 3a: A in {0,1,2,3}, J in {a, b}, h = 2.


def _max(parts):
    return sum(max(sum(1 for r in part if r[2] == y) for y in "NY") for part in parts)


def _split(records, low, high, s):
    inside = [r for r in records if low <= r[0] < high]
    return _max([[r for r in inside if r[0] < s], [r for r in inside if r[0] >= s]])


def _job(records):
    return _max([[r for r in records if r[1] == job] for job in "ab"])


def by_hand(records, eta):
    """Cut -> probability: the firsts of A and of J."""
    law = defaultdict(float)

    def drawn(intervals):
        options = []
        for low, high in intervals:
            weights = {s: math.exp(eta * _split(records, low, high, s)) for s in range(low + 1, high)}
            options.append([(s, w / sum(weights.values())) for s, w in weights.items()] or [(None, 1.0)])
        for chosen in itertools.product(*options):
            split = dict(zip(intervals, (s for s, _ in chosen), strict=True))
            yield split, math.prod(p for _, p in chosen)

    def go(left, splits, job, p):
        ways = [(i, s) for i, s in splits.items() if s is not None] + ([("J", None)] if job else [])
        if not left or not ways:
            law[tuple(sorted(low for low, _ in splits)), (0,) if job else (0, 1)] += p
            return
        weights = [math.exp(eta * (_job(records) if i == "J" else _split(records, *i, s))) for i, s in ways]
        for (i, s), w in zip(ways, weights, strict=True):
            if i == "J":
                go(left - 1, splits, False, p * w / sum(weights))
            else:
                rest = {k: v for k, v in splits.items() if k != i}
                for new, q in drawn([(i[0], s), (s, i[1])]):
                    go(left - 1, rest | new, job, p * w / sum(weights) * q)

    for new, q in drawn([(0, 4)]):
        go(2, new, True, q)
    return law


@pytest.mark.parametrize("records", [(), ((0, "a", "N"), (3, "b", "Y")), ((1, "a", "Y"), (1, "b", "N"), (2, "b", "N"))])
def test_the_published_algorithm_has_the_law_enumerated_by_hand(records):
    columns = [
        ("A", Grid.between(0, 3), None),
        ("J", Categorical(("a", "b")), shoal.flat()),
        ("C", Categorical(("N", "Y")), None),
    ]
    eta = Fraction(3, 4)
    choice = ExponentialMechanism(epsilon=2 * eta, score_range=Fraction(2))

    def ours(coins):
        cut = GrowingCut(encoded(records, columns), ["A", "J"], "C")
        grow_as_published(cut, ValueScores(cut, largest_classes), 2, choice, coins, silent)
        return tuple(tuple(axis.firsts.tolist()) for axis in cut.axes)

    law, expected = distribution(ours).masses, by_hand(records, float(eta))
    assert law.keys() == expected.keys()
    for outcome, p in expected.items():
        assert law[outcome] == pytest.approx(p, rel=1e-9)


def test_the_recommended_number_of_specializations_is_public_and_bounded():
    assert [recommended_specializations(Fraction(e), 30_162) for e in ("0.1", "0.25", "0.5", "1")] == [3, 5, 7, 10]
    assert recommended_specializations(Fraction(1, 1000), 5) == 1
    assert recommended_specializations(Fraction(5), 10**9) == 20
    assert shoal.DiffGen.recommended_specializations("0.5", 30_162) == 7
