"""Expected scores: the tables by definition, and the one claim everything rests on: a record moves no score too far.

`docs/proofs/safepub.md`, sections 2 and 3.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import prod

import mpmath as mp
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import RANGED, examples, model_on, nodes_of, samples, table_of

from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
from shoal.errors import ParameterError
from shoal.methods.safepub.expected_scores import SurvivalTable, expected_score
from shoal.quality import (
    CellModel,
    Classification,
    Discernibility,
    Granularity,
    GroupSize,
    Intensity,
    Loss,
    NonUniformEntropy,
)

PUBLISHED = 1 - float(np.exp(-0.9))
"""The sampling rate of the paper's default, 1 − e^−0.9."""
RATES = (1e-3, 0.05, 0.3, PUBLISHED, 0.9, 0.99, 0.999)
RISING = tuple(kind for kind in RANGED if kind not in ("entropy", "discernibility"))
"""Models whose score never falls when a record is added."""
QUASI = Role.QUASI_IDENTIFIER


# The tables


def below(n, rate, k):
    """P[X < k] and E[X; X < k] for X ~ Bin(n, β), term by term in 60 digits."""
    with mp.workdps(60):
        beta = mp.mpf(rate)
        mass = (1 - beta) ** n
        total = weighted = mp.mpf(0)
        for j in range(min(k, n + 1)):
            total, weighted = total + mass, weighted + j * mass
            mass *= mp.mpf(n - j) / (j + 1) * beta / (1 - beta)
        return total, weighted


def published_records(n, rate, k):
    """E[X; X ≥ k]."""
    return float(n * mp.mpf(rate) - below(n, rate, k)[1])


def published_classes(n, rate, k):
    """P[X ≥ k]."""
    return float(1 - below(n, rate, k)[0])


def interesting(table, rate, k):
    """Class sizes where a table could go wrong."""
    last = len(table.values) - 1
    near = {0, 1, 2, k - 1, k, k + 1, 2 * k, round(k / rate), round((k - 1) / rate) + 1, round(1.3 * k / rate)}
    return sorted(n for n in near | {last - 1, last, last + 1, last + 2, 3 * last} if n >= 0)


@pytest.mark.parametrize("k", [1, 2, 3, 10, 44, 300])
@pytest.mark.parametrize("rate", RATES)
def test_a_table_holds_what_a_class_publishes_on_average(rate, k):
    """E[X; X ≥ k] and P[X ≥ k] by definition, up to half a unit, also beyond the end of the table."""
    for table, truth in (
        (SurvivalTable.records(rate, k), published_records),
        (SurvivalTable.classes(rate, k), published_classes),
    ):
        last = len(table.values) - 1
        for n in interesting(table, rate, k):
            found = int(table.at(np.array([n]))[0]) * table.unit
            beyond = max(n - last, 0)  # the slope is rounded once, and used so often
            assert found == pytest.approx(truth(n, rate, k), abs=(0.51 + 0.5 * beyond) * table.unit, rel=1e-9)


@pytest.mark.parametrize("k", [1, 2, 44, 300])
@pytest.mark.parametrize("rate", RATES)
def test_a_unit_is_fine_enough_for_the_largest_step_and_for_the_slope(rate, k):
    """2^16 units in the largest step; what lies beyond the end of the table is off by less than one part in 100."""
    for table, slope in ((SurvivalTable.records(rate, k), rate), (SurvivalTable.classes(rate, k), 0.0)):
        assert 2**16 - 1 <= table.largest_step <= 2**16 + 1
        assert table.slope * table.unit == pytest.approx(slope, rel=0.01)


def test_one_record_more_is_worth_a_few_published_records_and_not_k():
    """At ε = 1, δ = 1e-5 (k = 44): 2.75 records instead of 44, and a 17th of a class instead of a whole one."""
    records, classes = SurvivalTable.records(PUBLISHED, 44), SurvivalTable.classes(PUBLISHED, 44)
    assert records.largest_step * records.unit == pytest.approx(2.7503, abs=1e-3)
    assert classes.largest_step * classes.unit == pytest.approx(0.0571, abs=1e-3)


@given(rate=st.floats(0.002, 0.9999), k=st.integers(1, 400), beyond=st.integers(0, 10**12))
@examples(60)
def test_a_larger_class_is_worth_no_less_and_at_most_one_step_more(rate, k, beyond):
    for table in (SurvivalTable.records(rate, k), SurvivalTable.classes(rate, k)):
        sizes = np.arange(len(table.values) + 3)
        steps = np.diff(table.at(np.append(sizes, [beyond, beyond + 1])))
        assert table.values[0] == 0
        assert steps[: len(sizes) - 1].min() >= 0
        assert steps[: len(sizes) - 1].max() == table.largest_step
        assert 0 <= steps[-1] <= table.largest_step


def test_rounding_cannot_make_a_table_fall():
    table = SurvivalTable.of(np.array([0.0, 1.0, 1.0 - 1e-16, 0.9, 2.0]), 0.0)
    assert (np.diff(table.values) >= 0).all()
    assert table.largest_step == np.diff(table.values).max()


# One record more


def moves(model, sample, rate, k, more, nodes):
    """The range a score claims, and how far each node moves when a record is added."""
    here, there = (expected_score(model, sample.encoded(rows), rate, k) for rows in (sample.rows, more))
    assert here.range == there.range
    return here.range, [there.of(node) - here.of(node) for node in nodes]


@pytest.mark.parametrize("kind", RANGED)
@given(data=st.data())
@examples(70)
def test_adding_any_record_moves_the_score_of_every_scheme_by_something_between_0_and_the_range(kind, data):
    """Every model, every node of the lattice, any neighbor of a small table, the empty one among them."""
    quasi = (2, 3) if kind == "classification" else (1, 3)
    shape = {"quasi": quasi, "sensitive": (0, 0), "records": (0, 14), "max_leaves": 4, "max_height": 2}
    sample = data.draw(samples(**shape))
    model = data.draw(model_on(sample, kind))
    rate, k = data.draw(st.sampled_from(RATES[1:])), data.draw(st.integers(1, 6))
    added = tuple(data.draw(st.sampled_from(sorted(paths))) for paths in sample.paths)
    claimed, moved = moves(model, sample, rate, k, (*sample.rows, added), sample.nodes)
    assert claimed > 0
    assert max(moved) - min(moved) <= claimed
    if kind in RISING:
        assert min(moved) >= 0
        assert max(moved) <= claimed


BINARY = table_of({"a": (QUASI, ["0", "1"]), "b": (QUASI, ["0", "1"])}, [])


def steepest(table):
    """The class size at which one record more is worth most."""
    return int(np.argmax(np.diff(table.values)))


@pytest.mark.parametrize("k", [1, 2, 7])
@pytest.mark.parametrize("model", [Loss(), Granularity({"a": 3, "b": 0.5}), GroupSize(), Classification("b")], ids=str)
def test_the_range_is_attained_and_so_cannot_be_smaller(model, k):
    survival = (SurvivalTable.classes if isinstance(model, GroupSize) else SurvivalTable.records)(0.6, k)
    sample = table_of({"a": (QUASI, ["0", "1"]), "b": (QUASI, ["0", "1"])}, [("0", "0")] * steepest(survival))
    claimed, moved = moves(model, sample, 0.6, k, (*sample.rows, ("0", "0")), [(0, 0)])
    assert moved == [claimed]


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1.0, 1e9, 1e300])
def test_only_the_proportions_of_the_weights_matter(scale):
    """Weights far from 1 once left no unit for a score, or wrapped it around; either voids the range."""
    table = BINARY.encoded([("0", "0")] * 5 + [("1", "0")] * 4)
    plain = expected_score(Loss({"a": 3, "b": 1}), table, 0.6, 3)
    scaled = expected_score(Loss({"a": 3 * scale, "b": scale}), table, 0.6, 3)
    nodes = list(product((0, 1), repeat=2))
    assert scaled.range == pytest.approx(plain.range, rel=1e-3)
    assert [scaled.of(node) for node in nodes] == pytest.approx([plain.of(node) for node in nodes], rel=1e-3)


class OverpricedRoot(CellModel):
    """A cell model that breaks its promise: its root costs more than a suppressed cell."""

    def costs(self, hierarchy):
        return np.where(hierarchy.leaf_count > 1, 5.0, -1.0)


def test_a_cell_is_never_worth_less_than_nothing_nor_more_than_an_original_one():
    sample = table_of({"a": (QUASI, ["0", "1"]), "b": (QUASI, ["0", "1"])}, [("0", "0")] * 4)
    for node in product((0, 1), repeat=2):
        claimed, (moved,) = moves(OverpricedRoot(), sample, 0.6, 2, (*sample.rows, ("0", "0")), [node])
        assert 0 <= moved <= claimed


# Large tables


def counted(cells):
    """A table of two binary columns from its four counts."""
    codes = [np.array(column, dtype=np.uint8) for column in ([0, 0, 1, 1], [0, 1, 0, 1])]
    sizes = np.array(cells, dtype=np.int64)
    return EncodedTable(BINARY.attributes, Counts(("a", "b"), tuple(codes), (2, 2), sizes))


@pytest.mark.parametrize("records", [10**9, 2**40, 2**50])
@pytest.mark.parametrize(
    "model",
    [
        Loss(),
        Loss({"a": 1e12}),
        Granularity(),
        Intensity(),
        GroupSize(),
        Classification("b"),
        Discernibility(),
        NonUniformEntropy(),
    ],
    ids=str,
)
def test_scores_of_enormous_tables_do_not_wrap_around(model, records):
    """10^9 records is what we promise; beyond 63 bits, sums go on in Python's integers."""
    cells = [records, records // 3, records // 7, 3]
    for node in product((0, 1), repeat=2):
        fewer = expected_score(model, counted(cells), 0.999, 5)
        for i in range(4):
            more = expected_score(model, counted([n + (i == j) for j, n in enumerate(cells)]), 0.999, 5)
            moved = more.of(node) - fewer.of(node)
            if isinstance(model, Discernibility | NonUniformEntropy):
                assert abs(moved) <= fewer.range
            else:
                assert 0 <= moved <= fewer.range


@pytest.mark.parametrize("records", [10**9, 2**50])
def test_the_score_of_an_enormous_table_is_what_integers_of_any_length_give(records):
    cells = [records, records // 3, records // 7, 3]
    survival, cell = SurvivalTable.records(0.999, 5), 2**10
    last = len(survival.values) - 1
    values = [int(survival.values[min(n, last)]) + max(n - last, 0) * survival.slope for n in cells]
    worth = [x * 2 * cell for x in values]  # nothing generalized: both cells are worth 1
    assert expected_score(Loss(), counted(cells), 0.999, 5).of((0, 0)) == sum(worth)
    assert (sum(worth) >= 2**63) == (records == 2**50)


# The expectation by its definition


def by_definition(sample, model, node, rate, k):
    """What a sample publishes at a node, on average over all samples: every subset of the records."""
    target = sample.names.index(model.target) if isinstance(model, Classification) else None
    average, majorities, largest = 0.0, defaultdict(float), 0.0
    keys = naive.recoded(sample, node)
    for kept in product((False, True), repeat=len(sample.rows)):
        p = prod(rate if drawn else 1 - rate for drawn in kept)
        drawn = naive.grouped(key if stays else None for key, stays in zip(keys, kept, strict=True))
        shown = {key: rows for key, rows in drawn.items() if key is not None and len(rows) >= k}
        if isinstance(model, GroupSize):
            average += p * len(shown)
        elif target is not None:
            best = defaultdict(int)
            for key, rows in shown.items():
                features = tuple(v for i, v in enumerate(key) if i != target)
                majorities[features, key[target]] += p * len(rows)
                best[features] = max(best[features], len(rows))
            largest += p * sum(best.values())
        else:
            weights = naive.weights_of(sample, model)
            for row in (sample.rows[i] for rows in shown.values() for i in rows):
                for i, level, weight in zip(sample.quasi, node, weights, strict=True):
                    price = naive.cell_cost(model, sample.paths[i], row[i], level)
                    average += p * weight / max(weights) * (1 - price)
    if target is None:
        return average
    found = defaultdict(float)
    for (features, _), expected in majorities.items():
        found[features] = max(found[features], expected)
    assert sum(found.values()) <= largest + 1e-9  # the majority of expectations, not the expected majority
    return sum(found.values())


@pytest.mark.parametrize("kind", RISING)
@given(data=st.data())
@examples(12)
def test_a_score_is_the_expectation_over_all_samples_of_what_is_published(kind, data):
    """Up to units. For a classification, the majority of expected counts: a lower bound of the expected majority."""
    quasi = (2, 2) if kind == "classification" else (1, 2)
    shape = {"quasi": quasi, "sensitive": (0, 0), "records": (1, 3), "max_leaves": 3, "max_height": 2}
    sample = data.draw(samples(**shape))
    model, node = data.draw(model_on(sample, kind)), data.draw(nodes_of(sample))
    rate, k = data.draw(st.sampled_from((0.3, 0.6, 0.95))), data.draw(st.integers(1, 4))
    score = expected_score(model, sample.table, rate, k).of(node)
    if isinstance(model, GroupSize):
        found = score * SurvivalTable.classes(rate, k).unit
    else:
        found = score * SurvivalTable.records(rate, k).unit / (2**10 if isinstance(model, CellModel) else 1)
    rounding = len(sample.rows) * len(node) * 2**-10
    assert found == pytest.approx(by_definition(sample, model, node, rate, k), abs=rounding)


# Discernibility and entropy


def spread(worths, total):
    """Σ K − ⌊Σ K² / M⌋ in Python's integers."""
    worths = list(worths)
    return sum(worths) - (sum(k * k for k in worths) // total if total else 0)


@pytest.mark.parametrize("kind", ["discernibility", "entropy"])
@given(data=st.data())
@examples(40)
def test_a_spread_is_what_its_formula_says(kind, data):
    """docs/proofs/safepub.md, section 3, by dictionaries."""
    sample = data.draw(samples(quasi=(1, 3), sensitive=(0, 0), records=(0, 14), max_leaves=4, max_height=2))
    model, node = data.draw(model_on(sample, kind)), data.draw(nodes_of(sample))
    rate, k = data.draw(st.sampled_from(RATES[1:])), data.draw(st.integers(1, 4))
    survival = SurvivalTable.records(rate, k, 2**8)
    classes = {key: int(survival.at(np.array([len(r)]))[0]) for key, r in naive.classes(sample, node).items()}
    total = survival.per_record * len(sample.rows)
    if kind == "discernibility":
        expected = spread(classes.values(), total)
    else:
        weights = naive.weights_of(sample, model)
        expected = 0
        for i, weight in enumerate(weights):
            columns = defaultdict(int)
            for key, worth in classes.items():
                columns[key[i]] += worth
            if node[i] == sample.table.quasi_identifiers[i].hierarchy.height:
                columns.clear()  # stars
            expected += round(weight / max(weights) * 2**10) * spread(columns.values(), total)
    assert expected_score(model, sample.table, rate, k).of(node) == expected


@pytest.mark.parametrize("kind", ["discernibility", "entropy"])
@given(data=st.data())
@examples(70)
def test_one_record_moves_a_spread_up_by_a_step_and_a_record_and_down_by_a_step_at_most(kind, data):
    """docs/proofs/safepub.md, Lemma 3: each end of the interval, and not only its width."""
    sample = data.draw(samples(quasi=(1, 3), sensitive=(0, 0), records=(0, 14), max_leaves=4, max_height=2))
    model = data.draw(model_on(sample, kind))
    rate, k = data.draw(st.sampled_from(RATES[1:])), data.draw(st.integers(1, 6))
    added = tuple(data.draw(st.sampled_from(sorted(paths))) for paths in sample.paths)
    claimed, moved = moves(model, sample, rate, k, (*sample.rows, added), sample.nodes)
    survival = SurvivalTable.records(rate, k, 2**8)
    step, scale = survival.largest_step, claimed // (2 * survival.largest_step + survival.per_record)
    assert -step * scale <= min(moved)
    assert max(moved) <= (step + survival.per_record) * scale


# The rest


@given(data=st.data())
@examples(30)
def test_the_order_in_which_schemes_are_scored_does_not_matter(data):
    """Scores share work between neighbors; what they share must not show."""
    sample = data.draw(samples(quasi=(2, 4), sensitive=(0, 0), records=(0, 20)))
    model = data.draw(model_on(sample, data.draw(st.sampled_from(RANGED))))
    shared = expected_score(model, sample.table, 0.6, 3)
    for node in data.draw(st.lists(nodes_of(sample), min_size=2, max_size=12)):
        assert shared.of(node) == expected_score(model, sample.table, 0.6, 3).of(node)


class Own:
    """A model that somebody brings along."""


def test_models_without_an_expectation_say_so():
    assert expected_score(Own(), BINARY.encoded([("0", "0")]), 0.6, 3) is None


@pytest.mark.parametrize("columns", [("a",), ("b",)])
def test_a_classification_needs_its_target_and_something_to_tell_it_from(columns):
    sample = table_of({name: (QUASI, ["0", "1"]) for name in columns}, [])
    with pytest.raises(ParameterError, match="target 'b'"):
        expected_score(Classification("b"), sample.encoded([]), 0.6, 3)


def test_scores_are_whole_numbers_of_python():
    """So that no later sum can wrap, and that a difference of scores is exact."""
    table = BINARY.encoded([("0", "0")] * 9)
    for model in (Loss(), GroupSize(), Classification("b")):
        score = expected_score(model, table, 0.6, 3)
        assert type(score.of((0, 0))) is int
        assert type(score.range) is int
        assert Fraction(score.range) > 0
