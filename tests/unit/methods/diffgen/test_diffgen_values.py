"""DiffGen with values: what a whole run tells, what its records are made of, and how sure single columns may be."""

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_diffgen_oracles import encoded

import shoal
from shoal.audit.bill import audit_charges
from shoal.data.domain import Categorical, Grid
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.methods.diffgen import score as scoring
from shoal.methods.diffgen import values
from shoal.methods.diffgen.coarse import coarse_enough
from shoal.methods.diffgen.division import Division, division_for
from shoal.methods.diffgen.ordering import ranks
from shoal.methods.diffgen.score import Score
from shoal.methods.diffgen.trust import believed_share, believed_tables
from shoal.methods.diffgen.weighting import whole_records
from shoal.methods.marginals.class_tables import ClassTables
from shoal.methods.marginals.leaves import Leaves
from shoal.methods.marginals.purse import PurePurse
from shoal.progress import silent

COLUMNS = [
    ("A", Grid.between(0, 2), None),
    ("J", Categorical(("a", "b")), shoal.flat()),
    ("C", Categorical(("N", "Y")), None),
]
THREE = [*COLUMNS[:2], ("C", Categorical(("N", "Y", "Z")), None)]
BASE = [(0, "a", "N")] * 300 + [(1, "b", "Y")] * 200 + [(2, "b", "N")] * 100


def measured(purse, records, columns=COLUMNS, coins=None):
    return values.measured(
        encoded(records, columns), ["A", "J"], "C", purse, Fraction(1, 2), None, coins or SeededCoins(1), silent
    )


class Told(PurePurse):
    """A purse that writes down all numbers that a run is told."""

    transcript = ()
    shares = ()

    def count(self, table, share, coins, reason):
        found = super().count(table, share, coins, reason)
        type(self).transcript, type(self).shares = (*self.transcript, found), (*self.shares, share)
        return found


def replayed(told, epsilon):
    """A purse that tells the same again, and adds up how likely that was."""

    class Replayed(PurePurse):
        left: ClassVar = list(told)
        log_chance: ClassVar = 0.0

        def count(self, table, share, coins, reason):
            del coins, reason
            found, exponent = self.left.pop(0), float(epsilon * share)
            noise = np.abs(found - table)
            type(self).log_chance += noise.size * math.log(math.tanh(exponent / 2)) - exponent * int(noise.sum())
            return found

    return Replayed(epsilon, Ledger())


@pytest.mark.parametrize(
    ("columns", "more"), [(COLUMNS, (2, "a", "Y")), (THREE, (1, "a", "Z")), (THREE, (0, "a", "N"))]
)
def test_no_transcript_of_a_whole_run_is_more_likely_than_it_may_be(columns, more):
    """Number of records, class tables, and groups by a score that follows from them: the exact ratio of the chances."""
    epsilon, worst = Fraction(2), 0.0
    for seed in range(4):
        told = type("Once", (Told,), {"__slots__": ()})(epsilon, Ledger())
        seen = measured(told, [*BASE, more] if seed % 2 else BASE, columns, SeededCoins(seed))
        assert len(seen.noisy) > 1  # groups were counted
        assert sum(told.shares) == 1
        assert told.ledger.spent == PrivacyCost(epsilon)
        chances = []
        for records in (BASE, [*BASE, more]):
            again = replayed(told.transcript, epsilon)
            measured(again, records, columns)
            assert not again.left
            chances.append(again.log_chance)
        worst = max(worst, abs(chances[0] - chances[1]))
    assert 0.2 < worst <= 2 + 1e-9


def test_choices_over_scores_and_ordered_values_reveal_no_more_than_was_charged():
    """Every transcript of a choice, by a score that was told before, on small tables."""
    believed = ClassTables(
        6.0, np.array([4.0, 2.0]), (np.array([[3.0, 0], [1, 1], [0, 1]]), np.array([[3.0, 1], [1, 1]]))
    )
    score = Score.of(believed, [np.array([0, 1, 2] * 2), np.array([0, 1] * 3)])
    order = [np.arange(3), np.array([1, 0])]

    def grown(records, coins, ledger):
        leaf = [np.array([r[i] for r in records], dtype=np.int64) for i in range(2)]
        label = np.array([r[2] for r in records], dtype=np.int64)
        cut = values._cut(score, order, leaf, label, 2, np.ones(len(records), dtype=np.int64))
        values._grown(cut, Division(Fraction(1), 1, 1), Fraction(2), Fraction(1, 2), None, coins, ledger, silent)
        return tuple(tuple(axis.firsts.tolist()) for axis in cut.axes)

    few = ((0, 0, 0), (2, 1, 1))
    bill = audit_charges(grown, [((), few[:1]), (few, (*few, (1, 0, 1)))])
    assert bill.epsilon == 1
    assert 0.01 < bill.loss <= 1
    assert bill.holds


@pytest.mark.parametrize("classes", ["NY", "NYZ", "NY" + "".join(map(chr, range(200, 268)))])
@pytest.mark.parametrize("records", [0, 1, 20, 90, 400, 12_000])
def test_whatever_noise_says_all_of_the_budget_is_spent_and_no_more(records, classes):
    columns = [
        ("n", Grid.between(0, 999), None),
        ("m", Grid.between(0, 9_999, missing=True), None),
        ("J", Categorical(tuple("abc")), shoal.flat()),
        ("C", Categorical(tuple(classes)), None),
    ]
    rows = [(i % 700, i % 9_000, "abc"[i % 3], "NY"[i % 5 > 2]) for i in range(records)]
    ledger, method = Ledger(), shoal.DiffGen(epsilon=2, target="C")
    outcome = method.run(encoded(rows, columns), coins=SeededCoins(records), ledger=ledger)
    assert ledger.spent == PrivacyCost(Fraction(2))
    assert abs(outcome.published.kept - records) < 300  # noise of scale 28
    assert outcome.is_made_up


def test_records_are_scored_alike_however_many_at_a_time(monkeypatch):
    rng = np.random.default_rng(1)
    tables = tuple(rng.random((size, 3)) for size in (4, 2))
    leaf = [rng.integers(0, size, 50) for size in (4, 2)]
    score = Score.of(ClassTables(9.0, np.array([4.0, 3.0, 2.0]), tables), leaf)
    together = score.of_records(leaf)
    monkeypatch.setattr(scoring, "_AT_ONCE", 7)
    assert score.of_records(leaf).tolist() == together.tolist()
    assert score.of_records([column[:0] for column in leaf]).tolist() == []


def test_several_records_of_a_person_are_not_shown_as_values():
    with pytest.raises(SchemaError, match='leave out show = "values"'):
        shoal.DiffGen(epsilon=1, target="C", show="values").for_several(3)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=30), st.integers(2, 4))
def test_a_score_follows_from_one_record_alone_and_is_a_place_of_its_axis(records, classes):
    rng = np.random.default_rng(classes)
    tables = tuple(rng.random((size, classes)) for size in (3, 2))
    score = Score.of(
        ClassTables(1.0, tables[0].sum(axis=0), tables), [rng.integers(0, 3, 200), rng.integers(0, 2, 200)]
    )
    leaf = [np.array(column) for column in zip(*records, strict=True)]
    found = score.of_records(leaf)
    assert ((found >= 0) & (found < score.size)).all()
    for i in range(len(records)):
        assert score.of_records([column[i : i + 1] for column in leaf])[0] == found[i]
    starts = score.cut(8)
    assert starts == sorted(set(starts))
    assert all(0 < at < score.size for at in starts)


def test_named_values_are_put_in_the_order_of_their_class_shares():
    leaves = Leaves.single(encoded([("c", "N")], [("J", Categorical(tuple("abc")), shoal.flat()), COLUMNS[2]])["J"])
    table = np.array([[50.0, 50], [10, 90], [90, 10]])
    assert ranks(leaves, table, table.sum(axis=0)).tolist() in ([1, 0, 2], [1, 2, 0])


def test_too_many_named_values_are_counted_by_the_nodes_above_them():
    tree = shoal.tree({"any": {"x": ["a", "b"], "y": ["c", "d", "e"]}})
    table = encoded([("a", "N")], [("J", Categorical(tuple("abcde")), tree), COLUMNS[2]])
    assert len(coarse_enough(Leaves.single(table["J"]), 5)) == 5
    coarse = coarse_enough(Leaves.single(table["J"]), 4)
    assert coarse.of(np.arange(5)).tolist() == [0, 0, 1, 1, 1]
    assert len(coarse_enough(Leaves.single(table["J"]), 1)) == 1


def test_a_column_of_too_many_values_is_published_by_its_nodes(monkeypatch):
    monkeypatch.setattr(values, "most_leaves", lambda _: 2)
    tree = shoal.tree({"any": {"x": ["a", "b"], "y": ["c", "d", "e"]}})
    table = encoded(
        [("abcde"[i % 5], "NY"[i % 5 > 1]) for i in range(2000)], [("J", Categorical(tuple("abcde")), tree), COLUMNS[2]]
    )
    outcome = shoal.DiffGen(epsilon=4, target="C").run(table, coins=SeededCoins(1), ledger=Ledger())
    assert len(outcome.shown["J"]) == 2
    assert outcome.recoding.lookup(table["J"]).codes.tolist() == [0, 0, 1, 1, 1]
    both = dict(
        zip(
            zip(*(column.tolist() for column in outcome.published.codes), strict=True),
            outcome.published.sizes,
            strict=True,
        )
    )
    assert abs(both[0, 0] - 800) < 60  # x is N, y is Y
    assert abs(both[1, 1] - 1200) < 60


def test_what_two_columns_only_tell_together_is_found():
    """Exclusive or: single columns tell nothing, so that their score does not either; groups are chosen."""
    rng = np.random.default_rng(0)
    rows = [
        (int(a), "ab"[j], "NY"[int(a > 0) ^ j])
        for a, j in zip(rng.integers(0, 2, 20_000), rng.integers(0, 2, 20_000), strict=True)
    ]
    assert division_for(20_000 / 3).steps
    outcome = shoal.DiffGen(epsilon=1, target="C").run(encoded(rows, COLUMNS), coins=SeededCoins(1), ledger=Ledger())
    a, j, c = (column.astype(int) for column in outcome.published.codes)
    right = outcome.published.sizes[((a > 0) ^ j) == c].sum()
    assert right > 0.95 * outcome.published.kept


def test_values_are_shown_only_where_they_can_be():
    assert shoal.DiffGen(epsilon=1, target="C").shows is shoal.diffgen.Show.VALUES
    for other in (
        {"tune": (1, 2)},
        {"threshold": 3},
        {"utility": "max"},
        {"mode": "as_published", "specializations": 2},
    ):
        assert shoal.DiffGen(epsilon=1, target="C", **other).shows is shoal.diffgen.Show.GROUPS
        with pytest.raises(ParameterError, match="without tune or a threshold"):
            shoal.DiffGen(epsilon=1, target="C", show="values", **other)


def test_more_counts_by_class_than_can_be_held_are_refused_before_anything_is_spent():
    many = Categorical(tuple(map(str, range(3000))))
    table = encoded([("1", "1")], [("J", many, shoal.flat()), ("C", many, None)])
    ledger = Ledger()
    with pytest.raises(InfeasibleError, match=r"3,000 classes.*Nothing was spent"):
        shoal.DiffGen(epsilon=1, target="C").run(table, coins=SeededCoins(1), ledger=ledger)
    assert not ledger.entries


def test_a_column_is_believed_as_far_as_it_differs_beyond_its_noise():
    """Two columns of sixteen names: in one the classes differ from name to name, in the other noise alone does."""
    rng = np.random.default_rng(3)
    names = Categorical(tuple(f"{i:02}" for i in range(16)))
    table = encoded([("00", "00", "N")], [("J", names, shoal.flat()), ("K", names, shoal.flat()), COLUMNS[2]])
    leaves = [Leaves.single(table[name]) for name in "JK"]
    truth = [np.array([[90.0, 10]] * 8 + [[10, 90]] * 8), np.full((16, 2), 50.0)]
    noisy = [np.rint(one + rng.laplace(0, 20, one.shape)).astype(np.int64) for one in truth]
    found = believed_tables(noisy, leaves, [800.0, 800.0], 1600, 50.0)
    for of_column in found.tables:
        assert np.allclose(of_column.sum(axis=0), found.totals)
    tells, tells_nothing = (of_column[:, 1] / of_column.sum(axis=1) for of_column in found.tables)
    apart = [float(np.std(one / one.sum(axis=1, keepdims=True), axis=0)[1]) for one in noisy]
    assert tells[8:].min() > 0.6 > 0.4 > tells[:8].max()
    assert np.std(tells_nothing) < apart[1] / 2


def test_what_is_believed_of_a_difference_is_what_bayes_rule_says():
    """The mean over every spread of the list, by its chance: the law written out for one piece and two classes."""
    off, mass, noise = np.array([[12.0, -12.0]]), np.array([[40.0]]), np.full((1, 2), 50.0)
    chances, kept = [], []
    for spread in (0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.3):
        variance = (spread * 40) ** 2 + 50
        before = math.exp(-((math.log(spread / 0.5) / 0.8) ** 2) / 2)
        chances.append(before * math.exp(-(12**2) / variance / 2) / math.sqrt(variance))
        kept.append((spread * 40) ** 2 / variance)
    expected = sum(c * k for c, k in zip(chances, kept, strict=True)) / sum(chances)
    assert np.allclose(believed_share(off, mass, noise), expected)


@given(st.integers(2, 4), st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 1.0, 1e9]))
def test_believed_tables_are_finite_and_add_up_whatever_noise_says(classes, values, seed, variance):
    rng = np.random.default_rng(seed)
    table = encoded([(0, "N")], [("A", Grid.between(0, values - 1), None), COLUMNS[2]])
    noisy = [np.rint(rng.laplace(0, math.sqrt(variance / 2) + 1, (values, classes))).astype(np.int64)]
    found = believed_tables(noisy, [Leaves.single(table["A"])], [variance], int(rng.integers(-50, 50)), variance)
    (made,) = found.tables
    assert np.isfinite(made).all()
    assert (made >= 0).all()
    assert np.allclose(made.sum(axis=0), found.totals, atol=1e-6)


def test_groups_of_the_score_cost_a_twentieth_and_only_where_they_tell():
    """Both sides of each threshold."""
    shares = [(division_for(x).groups, division_for(x).scores) for x in (99.9, 100, 299.9, 300, 2499.9, 2500)]
    few, more, much = Fraction(1, 20), Fraction(1, 20), Fraction(3, 10)
    assert shares == [(0, 1), (few, 4), (few, 4), (more, 8), (more, 8), (much, 8)]


def test_whole_records_keep_pairs_of_columns_in_every_class() -> None:
    rng = np.random.default_rng(3)
    leaf = [rng.integers(0, size, 4000) for size in (3, 4, 5)]
    weights = rng.random((4000, 2)) * 0.25
    total = round(weights.sum())
    sizes = whole_records(weights, leaf, total)
    assert sizes.sum() == total
    assert sizes.min() >= 0
    for first, second, width in ((0, 1, 4), (0, 2, 5), (1, 2, 5)):
        cell = leaf[first] * width + leaf[second]
        for of_class, label in zip(sizes, (0, 1), strict=True):
            off = np.bincount(cell, weights=of_class) - np.bincount(cell, weights=weights[:, label])
            assert np.abs(off).max() < 4, "drawn at random it would be about the root of 50 records, 7"


def test_a_class_that_is_not_expected_gets_no_record() -> None:
    leaf = [np.array([0, 1, 1]), np.array([0, 0, 1])]
    sizes = whole_records(np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), leaf, 4)
    assert sizes.tolist() == [[1, 1, 2], [0, 0, 0]]
