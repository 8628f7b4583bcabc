"""DiffGen as its users meet it: what is published, what a new record becomes, what is refused and in which words."""

import cases
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_diffgen_oracles import encoded

import shoal
from shoal.data.domain import Categorical, Grid
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.methods.diffgen.counts import agreement, balanced
from shoal.methods.diffgen.room import MOST_CELLS, MOST_ROWS, has_room, require_room
from shoal.search.top_down.cut import GrowingCut


def people(records=4000):
    """The class hangs on the hours and a little on the trade."""
    rng = np.random.default_rng(0)
    hours, trade = rng.integers(1, 81, records), rng.integers(0, 4, records)
    rich = rng.random(records) < np.where(hours > 45, 0.85, 0.1) + 0.03 * trade
    return pa.table(
        {
            "hours": hours,
            "trade": np.array(["bakery", "smithy", "bank", "school"])[trade].tolist(),
            "income": np.where(rich, "high", "low").tolist(),
        }
    )


def schema(**more):
    trades = shoal.tree({"any": {"craft": ["bakery", "smithy"], "service": ["bank", "school"]}})
    said = shoal.Schema(person="row").with_column("hours", role="quasi-identifier", domain=(1, 80), **more)
    said = said.with_column("trade", role="quasi-identifier", hierarchy=trades)
    return said.with_column("income", role="sensitive", domain=["low", "high"])


@pytest.fixture(scope="module")
def release():
    return shoal.DiffGen(epsilon=1, target="income", show="groups").anonymize(people(), schema(), coins=SeededCoins(4))


def test_the_split_that_tells_the_classes_apart_is_found_without_a_hierarchy(release):
    spans = {text for text in release.data["hours"].to_pylist() if text != "*"}
    borders = {int(text.split("-")[0]) for text in spans} - {1}
    assert any(abs(border - 46) <= 2 for border in borders)


def test_noise_is_small_and_the_number_of_records_about_right(release):
    assert abs(release.data.num_rows - 4000) < 500
    assert release.facts.records == 4000


def test_groups_are_the_distinct_records_with_their_counts(release):
    groups = release.groups
    assert groups.column_names == ["hours", "trade", "income", "count"]
    assert sum(groups["count"].to_pylist()) == release.data.num_rows
    rows = list(zip(*(release.data[name].to_pylist() for name in ("hours", "trade", "income")), strict=True))
    for *record, count in zip(*(groups[name].to_pylist() for name in groups.column_names), strict=True):
        assert rows.count(tuple(record)) == count


def test_the_released_cut_applies_to_new_records_value_by_value(release):
    other = pa.table({"hours": [1, 80, 60], "trade": ["bank", "school", "bakery"], "income": ["low", "high", "low"]})
    applied = release.recoding.apply(other)
    assert applied["income"].to_pylist() == ["low", "high", "low"]
    spans = applied["hours"].to_pylist()
    assert spans[0].startswith("1-")
    assert spans[1].endswith("80")
    assert set(spans) <= set(release.data["hours"].to_pylist())


def test_all_groups_can_be_published_also_those_nobody_is_in():
    few = pa.table({"hours": [5, 70], "trade": ["bank", "bank"], "income": ["low", "high"]})
    method = shoal.DiffGen(epsilon=1, target="income", mode=shoal.Mode.AS_PUBLISHED, specializations=2)
    seen = {
        trade
        for seed in range(5)
        for trade in method.anonymize(few, schema(), coins=SeededCoins(seed)).data["trade"].to_pylist()
    }
    assert seen & {"craft", "bakery", "smithy"}


def test_a_threshold_leaves_small_groups_out():
    method = shoal.DiffGen(epsilon=1, target="income", mode=shoal.Mode.AS_PUBLISHED, specializations=3, threshold=30)
    counts = method.anonymize(people(), schema(), coins=SeededCoins(1)).groups["count"].to_pylist()
    assert min(counts) >= 30


def test_an_empty_table_is_a_table_like_any_other():
    nothing = people(0)
    method = shoal.DiffGen(epsilon=1, target="income", mode=shoal.Mode.AS_PUBLISHED, specializations=3)
    assert 0 < method.anonymize(nothing, schema(), coins=SeededCoins(1)).data.num_rows < 200
    method = shoal.DiffGen(epsilon=5, target="income", threshold=50)
    release = method.anonymize(nothing, schema(), coins=SeededCoins(1))
    assert release.data.num_rows == release.certificate.records == 0
    assert "noisy counts reach 50" in release.needs


def test_a_missing_number_is_a_value_of_its_own_where_it_is_declared():
    some = people().slice(0, 1500)
    hours = [None if i % 3 == 0 else value for i, value in enumerate(some["hours"].to_pylist())]
    income = ["high" if value is None else "low" for value in hours]
    gaps = some.set_column(0, "hours", pa.array(hours, pa.int64())).set_column(2, "income", pa.array(income))
    made = shoal.DiffGen(epsilon=2, target="income").anonymize(gaps, schema(missing=True), coins=SeededCoins(2))
    shown = set(made.data["hours"].to_pylist())
    assert None in shown or "missing" in shown
    assert made.data.num_rows > 1300


def test_records_with_an_undeclared_value_are_left_out_and_numbers_are_clamped():
    some = people().slice(0, 1500)
    odd = pa.table(
        {
            "hours": [*some["hours"].to_pylist(), *[500] * 1000],
            "trade": [*some["trade"].to_pylist(), *["bank"] * 500, *["circus"] * 500],
            "income": [*some["income"].to_pylist(), *["high"] * 1000],
        }
    )
    made = shoal.DiffGen(epsilon=2, target="income").anonymize(odd, schema(), coins=SeededCoins(2))
    assert abs(made.data.num_rows - 2000) < 150
    assert not any("circus" in (trade or "") for trade in made.data["trade"].to_pylist())


def test_records_without_a_class_are_left_out():
    some = people().slice(0, 1500)
    income = [None if i % 2 else value for i, value in enumerate(some["income"].to_pylist())]
    gaps = some.set_column(2, "income", pa.array(income))
    made = shoal.DiffGen(epsilon=2, target="income").anonymize(gaps, schema(), coins=SeededCoins(2))
    assert set(made.data["income"].to_pylist()) == {"low", "high"}
    assert abs(made.data.num_rows - 750) < 150


def test_tuning_publishes_one_of_the_numbers_of_specializations_tried():
    method = shoal.DiffGen(epsilon=2, target="income", tune=(1, 6))
    made = method.anonymize(people(), schema(), coins=SeededCoins(3))
    assert made.certificate.parameters["tune"] == [1, 6]
    assert abs(made.data.num_rows - 4000) < 500


def test_the_certificate_does_not_understate_the_noise_of_a_tuned_release():
    """Half of ε for a run, nine tenths of that for what it publishes, 29% of that for its counts."""
    facts = shoal.DiffGen(epsilon=2, target="income", tune=(1, 6)).facts()
    assert facts["scale of the noise on counts, at most"] == pytest.approx(1 / (2 * 0.5 * 0.9 * 0.29))


@pytest.mark.parametrize("utility", list(shoal.Utility))
def test_every_utility_finds_what_matters(utility):
    method = shoal.DiffGen(epsilon=4, target="income", specializations=3, utility=utility)
    made = method.anonymize(people(), schema(), coins=SeededCoins(5))
    assert len(set(made.data["hours"].to_pylist())) > 1 or utility is shoal.Utility.INFO_GAIN
    assert made.certificate.parameters["utility"] == utility.value


@given(st.lists(st.integers(1, 50), max_size=20), st.integers(-5, 400))
def test_balanced_counts_add_up_keep_their_order_and_never_rise(counts, total):
    given_counts = np.array(counts, dtype=np.int64)
    made = balanced(given_counts, total)
    assert int(made.sum()) == min(max(total, 0), int(given_counts.sum()))
    assert (made <= given_counts).all()
    assert (made >= 0).all()
    order = np.argsort(given_counts, kind="stable")
    assert (np.diff(made[order]) >= -1).all()  # rounding may part equal counts by one


@given(st.lists(st.integers(1, 50), min_size=1, max_size=12), st.data())
def test_balanced_counts_are_the_nearest_list_of_their_total(counts, data):
    """Against every list that moves one record between two groups."""
    made = balanced(np.array(counts), data.draw(st.integers(0, sum(counts))))
    best = ((made - counts) ** 2).sum()
    for i in range(len(counts)):
        for j in range(len(counts)):
            if i != j and made[i] > 0:
                moved = made.copy()
                moved[i] -= 1
                moved[j] += 1
                assert ((moved - counts) ** 2).sum() >= best


def test_agreement_counts_the_records_that_the_release_would_classify_rightly():
    columns = [("A", Grid.between(0, 1), None), ("C", Categorical(("N", "Y")), None)]
    cut = GrowingCut(encoded([(0, "N")] * 5 + [(0, "Y")] * 2 + [(1, "Y")] * 4, columns), ["A"], "C")
    cut.specialize(0, 0, 1)
    assert agreement(cut, np.array([0, 1, 3]), np.array([9, 3, 1])) == 5 + 4
    assert agreement(cut, np.array([1]), np.array([2])) == 2 + 4  # the other group goes with the prevailing class
    assert agreement(cut, np.array([0, 1]), np.array([3, 3])) == 5
    assert agreement(cut, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)) == 5


def test_an_output_that_cannot_be_held_is_refused_with_the_number_of_groups_and_a_threshold_that_helps():
    noise = DiscreteLaplace(epsilon=shoal.dp.accounting.cost.exact("0.5"), sensitivity=1)
    cells = 10 * MOST_ROWS
    with pytest.raises(InfeasibleError, match=r"50,000,000 groups.*threshold = (\d+)") as raised:
        require_room(cells, noise, 1)
    threshold = int(str(raised.value).split("threshold = ")[1].split(",")[0])
    assert has_room(cells, noise, threshold)
    assert not has_room(cells, noise, threshold - 1)
    with pytest.raises(InfeasibleError, match="fewer specializations"):
        require_room(2 * MOST_CELLS, noise, 1)


def test_a_cut_with_millions_of_empty_groups_is_published_by_drawing_only_those_that_show():
    columns = [(f"n{i}", Categorical(tuple("abcdefghij")), shoal.flat()) for i in range(7)]
    table = encoded([("a",) * 7 + ("N",)] * 50, [*columns, ("C", Categorical(("N", "Y")), None)])
    method = shoal.DiffGen(
        epsilon=2, target="C", mode=shoal.Mode.AS_PUBLISHED, specializations=7, threshold=12, utility=shoal.Utility.MAX
    )
    outcome = method.run(table, coins=SeededCoins(1), ledger=Ledger())
    assert outcome.search["groups"] == 10**7
    assert 1 <= len(outcome.published) < 1000
    assert outcome.published.sizes.min() >= 12


@pytest.mark.parametrize(
    "more",
    [{"utility": shoal.Utility.MAX}, {"utility": shoal.Utility("info-gain")}, {"utility": shoal.Utility.PURITY},
     {"mode": shoal.Mode.AS_PUBLISHED}],
    ids=repr,
)  # fmt: skip
def test_growth_stops_where_more_groups_could_not_be_published(monkeypatch, more):
    monkeypatch.setattr("shoal.methods.diffgen.room.MOST_ROWS", 60)
    columns = [(f"n{i}", Categorical(tuple("abcdefghij")), shoal.flat()) for i in range(4)]
    records = [(*("ab"[i % 2] * 4), "NY"[i % 2]) for i in range(200)]
    table = encoded(records, [*columns, ("C", Categorical(("N", "Y")), None)])
    method = shoal.DiffGen(epsilon=2, target="C", specializations=4, show="groups", **more)
    outcome = method.run(table, coins=SeededCoins(1), ledger=Ledger())
    assert 10 <= outcome.search["groups"] <= 100


def test_what_has_no_room_even_for_one_group_is_refused_before_it_is_paid(monkeypatch):
    monkeypatch.setattr("shoal.methods.diffgen.room.MOST_RECORDS", 10)
    ledger = Ledger(limit=shoal.dp.accounting.cost.PrivacyCost.of("0.01"))
    table = encoded(
        [("a", "N")] * 50, [("n", Categorical(("a", "b")), shoal.flat()), ("C", Categorical(("N", "Y")), None)]
    )
    with pytest.raises(InfeasibleError, match="Nothing was spent; set threshold"):
        shoal.DiffGen(epsilon=0.01, target="C").run(table, coins=SeededCoins(1), ledger=ledger)
    assert ledger.entries == ()


PARAMETERS = {
    "epsilon must be above 0": {"epsilon": 0},
    "specializations must be a whole number, 1 or more; got 0": {"specializations": 0},
    "threshold must be a whole number": {"threshold": 0},
    "search_share": {"search_share": 0.995},
    "expected_records must be a whole number": {"expected_records": -3},
    r"tune\[1\] must be a whole number, 1 or more; got 0": {"tune": (3, 0)},
    "not both": {"tune": (3,), "specializations": 4},
    "joint choices are for the rigorous mode": {"mode": shoal.Mode.AS_PUBLISHED, "choices": shoal.Choices.JOINT},
    "purity needs joint choices": {"choices": shoal.Choices.SEPARATE, "utility": shoal.Utility.PURITY},
    "need the number of specializations": {"mode": shoal.Mode.AS_PUBLISHED},
}


@pytest.mark.parametrize("sentence", PARAMETERS)
def test_parameters_that_make_no_sense_are_refused(sentence):
    with pytest.raises(ParameterError, match=sentence):
        shoal.DiffGen(**{"epsilon": 1, "target": "income"} | PARAMETERS[sentence])


def test_h_is_recommended_from_expected_records_where_choices_are_separate():
    method = shoal.DiffGen(epsilon=1, target="income", mode=shoal.Mode.AS_PUBLISHED, expected_records=4000)
    assert method.anonymize(people(), schema(), coins=SeededCoins(1)).data.num_rows > 3000


def refused(said, target="income"):
    with pytest.raises(SchemaError) as raised:
        shoal.DiffGen(epsilon=1, target=target).anonymize(people(10), said)
    return str(raised.value)


def test_a_target_of_numbers_is_refused():
    assert "a class must have named values" in refused(schema(), target="hours")


def test_a_target_with_one_value_is_refused():
    assert "has 1 value" in refused(schema().with_column("income", domain=["low"]))


def test_a_target_that_is_not_there_is_refused_with_the_nearest_name():
    assert "'income'" in refused(schema(), target="incme")


def test_a_number_without_bounds_is_refused():
    bare = (
        shoal.Schema(person="row")
        .with_column("hours", role="quasi-identifier")
        .with_column("trade", role="quasi-identifier")
    )
    said = refused(bare.with_column("income", role="sensitive", domain=["low", "high"]))
    assert "'hours'" in said
    assert "from and to for numbers" in said


def test_a_column_that_would_be_published_without_noise_is_refused():
    assert "voids the guarantee of diffgen" in refused(schema().with_column("hours", role="insensitive"))


def test_a_class_alone_is_refused():
    said = shoal.Schema(person="row")
    for name in ("hours", "trade"):
        said = said.with_column(name, role="identifier")
    assert "needs columns to predict it from" in refused(
        said.with_column("income", role="sensitive", domain=["low", "high"])
    )


def test_columns_of_one_value_leave_nothing_to_specialize():
    said = shoal.Schema(person="row").with_column("hours", role="quasi-identifier", domain=(1, 1))
    said = said.with_column("trade", role="quasi-identifier", domain=["bank"])
    assert "nothing to specialize" in refused(said.with_column("income", role="sensitive", domain=["low", "high"]))


def test_a_taxonomy_that_misses_declared_values_is_refused():
    craft = shoal.tree({"any": ["bakery", "smithy"]})
    said = schema().with_column("trade", domain=["bakery", "smithy", "bank"], hierarchy=craft)
    with pytest.raises(shoal.HierarchyError, match="missing 'bank'"):
        shoal.DiffGen(epsilon=1, target="income").anonymize(people(10), said)


def test_days_are_split_like_numbers():
    import datetime as dt

    days = [dt.date(2024, 1, 1) + dt.timedelta(days=i % 366) for i in range(3000)]
    frame = pa.table({"day": days, "grade": ["mild" if day.month < 6 else "severe" for day in days]})
    said = shoal.Schema(person="row").with_column(
        "day", role="quasi-identifier", domain=(dt.date(2024, 1, 1), dt.date(2024, 12, 31))
    )
    said = said.with_column("grade", role="sensitive", domain=list(cases.GRADES))
    made = shoal.DiffGen(epsilon=1, target="grade").anonymize(frame, said, coins=SeededCoins(1))
    assert any("to 2024-05" in text or "to 2024-06" in text for text in made.data["day"].to_pylist())
