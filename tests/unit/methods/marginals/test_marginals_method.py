"""Marginals: what is published fits the original, whatever the columns are, and bad requests are told why."""

import math
import warnings
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.methods.marginals.advice import expected_worth
from shoal.methods.marginals.balancing import fitted, margin, projected
from shoal.methods.marginals.class_tables import ClassTables
from shoal.methods.marginals.groups.boxes import Boxes, consistent, divided
from shoal.methods.marginals.groups.choosing import Choosing
from shoal.methods.marginals.groups.company import company_of
from shoal.methods.marginals.groups.cuts import cut_into, rooms_of
from shoal.methods.marginals.groups.group import Group
from shoal.methods.marginals.purse import ConcentratedPurse
from shoal.methods.marginals.refining import refined
from shoal.methods.marginals.schema import MOST_THREES, groups_asked
from shoal.methods.marginals.support import drawn_support
from shoal.methods.marginals.weights.raking import effective, raked, whole_numbers
from shoal.methods.marginals.weights.rounding import balanced_numbers

NAMES = ("u", "v", "w")


def frame(records, seed=1):
    """v follows u, paid follows v and n."""
    rng = np.random.default_rng(seed)
    u = rng.integers(0, 3, records)
    v = np.where(rng.random(records) < 0.8, u, rng.integers(0, 3, records))
    n = rng.gamma(2, 4000, records).astype(int)
    paid = (v + (n > 9000) + rng.random(records)) > 2
    return pa.table(
        {
            "u": [NAMES[i] for i in u],
            "v": [NAMES[i] for i in v],
            "n": pa.array([None if i % 10 == 0 else int(x) for i, x in enumerate(n)]),
            "paid": ["yes" if x else "no" for x in paid],
        }
    )


def schema():
    made = shoal.Schema(person="row")
    made = made.with_column("u", role="quasi-identifier", domain=list(NAMES))
    made = made.with_column("v", role="quasi-identifier", domain=list(NAMES))
    made = made.with_column("n", role="quasi-identifier", domain=(0, 99_999), missing=True)
    return made.with_column("paid", role="sensitive", domain=["no", "yes"])


def release(records=4000, seed=5, **said):
    return shoal.Marginals(**{"epsilon": 8} | said).anonymize(frame(records), schema(), coins=SeededCoins(seed))


def shares(table, *names):
    found = Counter(zip(*(table[name].to_pylist() for name in names), strict=True))
    return {key: count / table.num_rows for key, count in found.items()}


def distance(first, second):
    return sum(abs(first.get(key, 0) - second.get(key, 0)) for key in first.keys() | second.keys()) / 2


@pytest.mark.parametrize("said", [{"target": "paid"}, {}, {"target": "paid", "delta": 0.1, "epsilon": 4}])
def test_counts_of_one_and_two_columns_are_nearly_those_of_the_original(said):
    original, published = frame(4000), release(**said).data
    assert abs(published.num_rows - 4000) < 60
    for names in (("u",), ("paid",), ("u", "v"), ("v", "paid")):
        assert distance(shares(original, *names), shares(published, *names)) < 0.04
    assert published.schema.field("n").type == pa.int64()
    missing = published["n"].null_count / published.num_rows
    assert missing == pytest.approx(0.1, abs=0.02)
    means = [np.mean(table["n"].drop_null().to_numpy()) for table in (original, published)]
    assert means[1] == pytest.approx(means[0], rel=0.1)


@pytest.mark.parametrize(("columns", "delta", "gaussian"), [(10, 1e-6, False), (11, 1e-6, True), (4, 0.1, True)])
def test_gaussian_noise_is_used_where_public_numbers_say_that_it_is_less(columns, delta, gaussian):
    ledger = Ledger()
    purse = shoal.Marginals(epsilon=1, delta=delta).purse(columns, ledger)
    assert isinstance(purse, ConcentratedPurse) == gaussian
    paid = PrivacyCost.of(1, delta) if gaussian else PrivacyCost.of(0)  # ε alone is paid as it is spent
    assert ledger.spent == paid


def test_a_pair_that_depends_beyond_the_class_is_found():
    outcome = release(target="paid").outcome
    assert ["u", "v", "n"] in outcome.search["columns counted together"]
    assert 0 < outcome.search["effective share of the drawn records"] <= 1
    assert release(target="paid", workload=(("u", "paid"),)).outcome.search["columns counted together"] == []
    asked = release(target="paid", workload=(("u", "v"),)).outcome.search["columns counted together"]
    assert asked == [["u", "v"]]


def test_columns_are_counted_by_threes_and_pairs_that_are_in_none_by_themselves():
    names = ["a", "b", "c", "d"]
    assert groups_asked(names, ()) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert groups_asked(names[:2], ()) == [(0, 1)]
    assert groups_asked(names, [("a", "b"), ("b", "c", "d")]) == [(1, 2, 3), (0, 1)]
    assert groups_asked(names, [("a", "x")]) == []
    some, many = ([str(i) for i in range(number)] for number in (19, 20))
    assert {len(group) for group in groups_asked(some, ())} == {3}
    assert math.comb(19, 3) <= MOST_THREES < math.comb(20, 3)
    assert groups_asked(many, ()) == list(combinations(range(20), 2))  # by pairs, where threes would be too many


def test_a_column_that_matters_more_gets_less_noise():
    def error(weights):
        found = []
        for seed in range(5):
            made = release(1500, seed, epsilon=1, weights=weights)
            found.append(distance(shares(frame(1500), "u"), shares(made.data, "u")))
        return np.mean(found)

    assert error({"u": 20.0}) < error({"u": 0.05}) / 2


def test_intervals_are_published_as_such_and_new_records_can_be_recoded():
    made = release(target="paid", numbers="intervals")
    written = {text for text in made.data["n"].to_pylist() if text}
    assert any("-" in text for text in written)
    recoded = made.recoding.apply(frame(4000))["n"].to_pylist()
    assert sum(text in written for text in recoded) > 3000


@pytest.mark.parametrize(("records", "epsilon"), [(0, 0.01), (0, 1.0), (1, 0.3)])
def test_an_empty_table_and_one_of_a_record_work_like_others(records, epsilon):
    is_empty, types = [], release(3, 1).data.schema.types
    for seed in range(5):
        made = release(records, seed, epsilon=epsilon, target="paid")
        assert made.data.column_names == ["u", "v", "n", "paid"]
        assert made.data.schema.types == types
        is_empty.append(made.data.num_rows == 0)
        assert made.certificate.records == made.data.num_rows
    assert any(is_empty)  # noise below 1 leaves nothing, and is no error


def test_one_column_and_columns_of_one_value_are_no_trouble():
    said = shoal.Schema(person="row").with_column("a", role="quasi-identifier", domain=["x"])
    method = shoal.Marginals(epsilon=1)
    table = pa.table({"a": ["x"] * 500})
    assert set(method.anonymize(table, said, coins=SeededCoins(1)).data["a"].to_pylist()) == {"x"}
    said = said.with_column("b", role="sensitive", domain=["no", "yes"])
    table = pa.table({"a": ["x"] * 500, "b": ["no", "yes"] * 250})
    made = shoal.Marginals(epsilon=5, target="b").anonymize(table, said, coins=SeededCoins(1)).data
    assert shares(made, "b")[("no",)] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("said", "sentence"),
    {
        "'n', which is not among": ({"target": "m"}, "the target is 'm', which is not among the published columns"),
        "numbers": ({"target": "n"}, "a class must have named values"),
        "workload": ({"workload": (("u", "x"),)}, "the workload asks about 'x'"),
        "weight": ({"weights": {"x": 1.0}}, "a weight is given for 'x'"),
    }.values(),
    ids=["target", "numbers", "workload", "weight"],
)
def test_columns_that_are_not_there_are_refused_before_a_record_is_read(said, sentence):
    with pytest.raises(shoal.SchemaError, match=sentence):
        release(10, **said)


@pytest.mark.parametrize("said", [{"epsilon": 0}, {"delta": 2}, {"weights": {"u": 0.0}}, {"numbers": "no"}])
def test_parameters_without_a_meaning_are_refused(said):
    with pytest.raises(shoal.ParameterError):
        shoal.Marginals(**{"epsilon": 1} | said)


def test_several_records_of_a_person_are_refused_and_one_of_each_is_taken():
    said = schema().with_column("who", role="identifier").with_person("who")
    table = frame(300).append_column("who", pa.array([str(i // 3) for i in range(300)]))
    made = shoal.Marginals(epsilon=5).anonymize(table, said, coins=SeededCoins(1))
    assert 70 < made.data.num_rows < 130


def test_what_to_expect_is_told_from_public_numbers():
    assert "nothing of use" in expected_worth(0.1, 700, 21)
    assert "through the target alone" in expected_worth(0.1, 30_000, 15)
    assert "pairs" in expected_worth(1, 30_000, 9)
    assert shoal.Marginals(epsilon=1).expected_worth(9) is None
    assert "pairs" in shoal.Marginals(epsilon=1, expected_records=30_000).expected_worth(9)


def test_noise_that_drowns_everything_is_warned_of_by_public_numbers():
    with pytest.warns(shoal.SmallBudgetWarning, match="expect nothing of use"):
        release(50, epsilon=0.1, expected_records=50)
    with warnings.catch_warnings():
        warnings.simplefilter("error", shoal.SmallBudgetWarning)
        release(50, epsilon=0.1, expected_records=5000)
        release(50, epsilon=0.1)


# What noisy numbers become


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=8), st.floats(0, 1e5))
def test_projected_numbers_are_the_nearest_of_their_total(values, total):
    found = projected(np.array(values), total)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(total, abs=1e-6)
    moved = np.array(values) - found
    there = found > 1e-9
    if there.any():  # all that is there moved by one number, what is not lies below it
        assert moved[there] == pytest.approx(moved[there][0], abs=1e-6)
        assert (moved[~there] <= moved[there][0] + 1e-6).all()


@given(st.lists(st.integers(1, 6), min_size=2, max_size=3), st.integers(0, 1000))
def test_a_fitted_table_has_its_margins(shape, seed):
    rng = np.random.default_rng(seed)
    truth = rng.gamma(0.5, 50, shape)
    margins = [margin(truth, axis) for axis in range(len(shape))]
    found = fitted(np.maximum(truth + rng.normal(0, 5, shape), 0), margins)  # with zeros it takes long
    assert margin(found, len(shape) - 1) == pytest.approx(margins[-1], rel=1e-6, abs=1e-6)
    found = fitted(truth * rng.uniform(0.5, 1.5, shape), margins)
    for axis, wanted in enumerate(margins):
        assert margin(found, axis) == pytest.approx(wanted, rel=0.2, abs=1)


class Column:
    def __init__(self, ordered):
        self.ordered = ordered


@given(st.lists(st.floats(0, 1e4), min_size=2, max_size=20), st.integers(2, 20), st.booleans())
def test_a_cut_has_as_many_pieces_as_asked_for_and_neighbors_stay_together(masses, pieces, ordered):
    found = cut_into(Column(ordered), np.array(masses), min(pieces, len(masses)))
    assert sorted(set(found.tolist())) == list(range(min(pieces, len(masses))))
    if ordered:
        assert (np.diff(found) >= 0).all()
    elif pieces < len(masses):
        rest = found == pieces - 1
        assert min(np.array(masses)[~rest]) >= max(np.array(masses)[rest])


@given(st.floats(8, 1e6), st.lists(st.integers(1, 500), min_size=2, max_size=3))
def test_room_is_divided_between_columns_and_hardly_exceeded(cells, leaves):
    found = rooms_of(cells, leaves)
    assert all(1 <= room <= most for room, most in zip(found, leaves, strict=True))
    assert math.prod(found) <= cells * (1 + 1e-6)
    if math.prod(leaves) > cells:  # one piece more of the longest, and there would be too many
        longest = int(np.argmax(leaves))
        assert math.prod(found) / found[longest] * (found[longest] + 1) > cells * (1 - 1e-6)


@settings(deadline=None)
@given(st.integers(2, 5), st.integers(0, 1000))
def test_what_is_added_up_in_cells_is_what_a_list_of_cells_says(columns, seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(size) for size in rng.integers(1, 5, columns))
    leaf = [rng.integers(0, 6, 50) for _ in range(6)]
    pieces = tuple(rng.integers(0, size, 6) for size in shape)
    group = Group(tuple(sorted(rng.choice(6, columns, replace=False).tolist())), pieces, shape)
    sizes, weights = rng.integers(0, 9, 50), rng.random(50)
    cells = group.cells_of(leaf)
    assert group.counts(leaf, sizes).tolist() == np.bincount(cells, sizes, group.cells).reshape(shape).tolist()
    assert group.sums(leaf, weights).ravel() == pytest.approx(np.bincount(cells, weights, group.cells))


def test_a_three_takes_along_columns_of_few_leaves_that_were_asked_about():
    leaves = [9, 9, 9, 5, 2, 6, 3]
    everything = [tuple(range(7))]
    assert company_of((0, 1, 2), leaves, everything) == (0, 1, 2, 4, 6)  # two, of the fewest leaves
    assert company_of((0, 1, 4), leaves, everything) == (0, 1, 3, 4, 6)
    assert company_of((0, 1, 2), [9, 9, 9, 6], everything) == (0, 1, 2)
    assert company_of((0, 1), leaves, everything) == (0, 1)
    assert company_of((0, 1, 2), leaves, [(0, 1, 2, 3), (4, 5, 6)]) == (0, 1, 2, 3)
    assert company_of((0, 1, 2), leaves, [(0, 1, 2, 4), (0, 1, 2, 6)]) == (0, 1, 2, 4)  # nobody asked for 4 and 6


@pytest.mark.parametrize(
    ("cells", "together", "boxes"), [(299, 3, 299), (300, 4, 225), (2000, 4, 1500), (2001, 3, 2001)]
)
def test_columns_are_taken_along_where_boxes_are_enough(cells, together, boxes):
    leaves, asked = [np.arange(size) for size in (9, 9, 9, 2)], [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    choosing = Choosing(None, leaves, [], np.zeros(0), asked, [], cells, 1.0)
    columns, number = choosing._together((0, 1, 2))
    assert (len(columns), number) == (together, boxes)
    alone = Choosing(None, leaves[:3], [], np.zeros(0), [(0, 1, 2)], [], cells, 1.0)
    assert alone._together((0, 1, 2)) == ((0, 1, 2), cells)


def single_cells(group):
    """A group of which every cell is a box."""
    return Boxes(group, np.arange(group.cells), np.ones(group.shape))


def test_a_table_of_three_columns_gets_the_margins_of_its_class_tables():
    rng = np.random.default_rng(3)
    truth = rng.gamma(2, 20, (3, 4, 2))
    tables = tuple(margin(truth, axis)[:, None] for axis in range(3))
    believed = ClassTables(float(truth.sum()), np.array([truth.sum()]), tables)
    group = Group((0, 1, 2), (np.arange(3), np.arange(4), np.arange(2)), (3, 4, 2))
    noisy = np.rint(truth + rng.normal(0, 15, truth.shape)).astype(np.int64).ravel()
    found = consistent(single_cells(group), noisy, believed)
    assert (found >= 0).all()
    for axis in range(3):
        assert margin(found, axis) == pytest.approx(margin(truth, axis), rel=1e-3)


def test_the_third_of_three_columns_is_drawn_from_both_others():
    """Parity: pairs tell nothing, and all three together everything."""
    tables = tuple(np.full((2, 1), 50.0) for _ in range(3))
    believed = ClassTables(100.0, np.array([100.0]), tables)
    group = Group((0, 1, 2), (np.arange(2),) * 3, (2, 2, 2))
    parity = np.array([[[25.0, 0], [0, 25]], [[0, 25], [25, 0]]])
    _, leaf = drawn_support(believed, [group], [parity], 1000)
    assert (leaf[0] ^ leaf[1] == leaf[2]).mean() > 0.99
    assert np.bincount(leaf[2]) == pytest.approx(500, abs=20)


def test_margins_of_groups_make_single_columns_more_certain():
    rng, errors = np.random.default_rng(0), np.zeros(2)
    for _ in range(40):
        truth = rng.gamma(2, 50, (6, 8))
        total = truth.sum()
        noisy = [truth.sum(axis=1) + rng.normal(0, 30, 6), truth.sum(axis=0) + rng.normal(0, 30, 8)]
        tables = tuple(projected(mass, total)[:, None] for mass in noisy)
        believed = ClassTables(total, np.array([total]), tables)
        group = Group((0, 1), (np.arange(6), np.array([0, 0, 1, 1, 2, 2, 3, 3])), (6, 4))
        counted = truth @ np.repeat(np.eye(4), 2, axis=0) + rng.normal(0, 8, (6, 4))
        found = refined(believed, [900.0, 900.0], [single_cells(group)], [counted.ravel()], 64.0)
        assert found.masses(0).sum() == pytest.approx(total)
        for i, tables_of in enumerate((believed, found)):
            errors[i] += np.abs(tables_of.masses(0) - truth.sum(axis=1)).sum()
            errors[i] += np.abs(tables_of.masses(1) - truth.sum(axis=0)).sum()
    assert errors[1] < 0.8 * errors[0]


@settings(deadline=None)
@given(st.lists(st.integers(1, 6), min_size=2, max_size=3), st.integers(1, 60), st.integers(0, 1000))
def test_boxes_are_as_many_as_asked_for_and_blocks_of_cells(shape, number, seed):
    rng = np.random.default_rng(seed)
    expected = rng.gamma(0.5, 50, shape) + 1e-9
    ordered = [bool(one) for one in rng.integers(0, 2, len(shape))]
    box = divided(expected, ordered, number)
    assert sorted(set(box.tolist())) == list(range(min(number, expected.size)))
    sizes = np.bincount(box)
    for one in range(len(sizes)):
        places = np.nonzero((box == one).reshape(shape))
        sides = [np.unique(at) for at in places]
        assert math.prod(len(side) for side in sides) == sizes[one]  # nothing of a block is elsewhere
        for side, in_order in zip(sides, ordered, strict=True):
            assert not in_order or len(side) == side[-1] - side[0] + 1


def test_where_shares_of_boxes_are_a_guess_their_margins_tell_less():
    """Boxes that divide the first column only tell about the second what was expected before."""
    group = Group((0, 1), (np.arange(2), np.arange(2)), (2, 2))
    boxes = Boxes(group, np.array([0, 0, 1, 1]), np.full((2, 2), 0.5))
    told = np.array([60.0, 40.0])
    assert boxes.spread_out(told).tolist() == [[30, 30], [20, 20]]
    assert boxes.variances(0, 4.0, told) == pytest.approx([4, 4])
    assert (boxes.variances(1, 4.0, told) > 30).all()
    leaf = [np.array([0, 1, 1]), np.array([1, 0, 1])]
    assert boxes.of(leaf).tolist() == [0, 1, 1]
    assert boxes.counts(leaf, np.array([5, 2, 1])).tolist() == [5, 3]


@settings(deadline=None)
@given(st.integers(0, 1000))
def test_raked_weights_fit_tables_that_agree_and_round_to_their_total(seed):
    rng = np.random.default_rng(seed)
    cells = [rng.integers(0, size, 300) for size in (3, 4, 5)]
    truth = rng.gamma(2, 1, 300)
    tables = [(of, np.bincount(of, weights=truth, minlength=of.max() + 1)) for of in cells]
    found = raked(np.ones(300), float(truth.sum()), tables)
    for of, wanted in tables:
        assert np.bincount(of, weights=found) == pytest.approx(wanted, rel=1e-3)
    assert 0 < effective(found) <= 1 + 1e-12
    total = int(rng.integers(0, 2000))
    whole = whole_numbers(found, total)
    assert whole.sum() == total
    assert (whole >= 0).all()
    ends = np.cumsum(found) * total / found.sum()
    assert (np.abs(np.cumsum(whole) - ends) <= 0.5 + 1e-6).all()


@settings(deadline=None)
@given(st.integers(0, 1000), st.integers(1, 4))
def test_whole_numbers_of_records_keep_what_pairs_of_columns_add_up_to(seed, columns):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 4, 400) for _ in range(columns)]
    weights = rng.gamma(2, 0.2, 400)
    total = int(rng.integers(0, 600))
    found = balanced_numbers(codes, weights, total)
    assert found.sum() == total
    assert (found >= 0).all()
    wanted = weights * total / weights.sum()
    assert (np.abs(found - wanted) < 2).all()
    for first, second in combinations(codes, 2):
        off = np.bincount(first * 4 + second, weights=found - wanted, minlength=16)
        assert (np.abs(off) < 4).all()


def test_many_cells_are_rounded_by_weights_alone():
    codes = [np.array([0, 5000]), np.array([5000, 0])]
    assert balanced_numbers(codes, np.array([1.0, 3.0]), 4).tolist() == [1, 3]
    assert balanced_numbers([np.array([0, 1])], np.array([1.0, 3.0]), 8).tolist() == [2, 6]


def test_noisy_tables_that_contradict_each_other_each_have_their_say():
    """Two counts of one thing, the second four times as uncertain: between them, and nearer to the first."""
    cells = np.repeat([0, 1], 50)
    noisy = [(cells, np.array([800.0, 200.0]), 100.0), (cells, np.array([600.0, 400.0]), 400.0)]
    weights = raked(np.ones(100), 1000.0, [], sweeps=200, noisy=noisy)
    assert np.bincount(cells, weights=weights) == pytest.approx([760, 240], abs=6)
    weights = raked(np.ones(100), 1000.0, [(cells, np.array([500.0, 500.0]))], noisy=noisy)
    assert np.bincount(cells, weights=weights) == pytest.approx([500, 500])  # what is known well is fitted exactly
    empty = [(cells, np.array([1000.0, -1e9]), 1e-30)] * 60
    assert np.isfinite(raked(np.ones(100), 1000.0, [], noisy=empty)).all()


def test_cells_that_many_tables_expect_empty_leave_weights_finite():
    cells = np.array([0, 0, 1, 1])
    empty = [(cells, np.array([10.0, 1e-300]))] * 60
    weights = raked(np.ones(4), 10.0, [*empty, (cells, np.array([9.0, 1.0]))])
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(10)
