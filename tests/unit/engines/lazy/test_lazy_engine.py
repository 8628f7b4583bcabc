"""A table that stays where it is gives the release that the local engine gives, and only counts come here."""

import datetime as dt
import re
from collections import Counter

import cases
import numpy as np
import people
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from people import labelled
from places import EVERYWHERE, QUICK, SLOW, back, lazily
from pyarrow import csv, parquet
from strategies import examples

import shoal
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.people.persons import watched_columns
from shoal.data.shown import Numbers
from shoal.engines.codes.encoding import encode
from shoal.engines.lazy import room
from shoal.engines.lazy.engine import LazyEngine
from shoal.engines.lazy.libraries import library_of
from shoal.engines.lazy.returning import Returned
from shoal.engines.local import LocalEngine
from shoal.engines.reading.distinct_values import DistinctValues
from shoal.engines.reading.source import TableSource
from shoal.errors import DataError, ParameterError, SchemaError

ALL = [
    pytest.param(case, place, id=f"{name}-{number}-{place}", marks=() if is_quick else pytest.mark.slow)
    for name, some in cases.CASES.items()
    for number, case in enumerate(some, start=1)
    for place in (*QUICK, *SLOW)
    if (is_quick := number == 1 and place == "duckdb") or place != "spark" or number == 1
]


def same_rows(one, other):
    assert one.column_names == other.column_names
    assert Counter(labelled(one)) == Counter(labelled(other))


@pytest.mark.parametrize(("case", "place"), ALL)
def test_every_method_gives_the_release_of_the_local_engine(case, place):
    """Drawn ones too: coins are tossed here, and seeded alike fall alike."""
    table = cases.table(300)
    try:
        here = case.anonymize(table)
    except shoal.ShoalError as refused:
        with pytest.raises(type(refused)):
            case.anonymize(lazily(place, table))
        return
    there = case.anonymize(lazily(place, table))
    assert there.certificate == here.certificate
    same_rows(back(there.data), here.data)
    same_rows(back(there.groups), here.groups)


# Columns that are passed through


def passing():
    made = shoal.Schema().with_column("x", role="quasi-identifier", domain=(0, 9), missing=True)
    return made.with_column("note", role="insensitive", unlinkable=True)


def halved(table):
    """Of the equal people of each distinct record half are shown as 0, and half as 1 but for one who is left out."""
    half = table.counts.sizes // 2
    source = np.repeat(np.arange(len(half)), 2)
    sizes = np.stack([half, table.counts.sizes - half - 1], axis=1).ravel()
    parts = Partition(source, np.tile([0, 1], len(half)), sizes)
    return Outcome.local(table, parts, {"x": (Numbers(np.array([0.0, 1.0]), 0), np.array([0, 1]))})


@pytest.mark.parametrize("place", EVERYWHERE)
@pytest.mark.parametrize(
    "method",
    [shoal.OptimalLattice(k=3, suppression_limit=0.2), shoal.Mondrian(k=4), shoal.OLA(k=3, suppression_limit=0.2)],
    ids=lambda method: method.name,
)
def test_what_is_passed_through_stays_with_its_record(place, method):
    """Nobody is divided here, so that the local engine gives the same rows."""
    table, schema = people.arrow(people.rows(90)), people.schema()
    here = method.anonymize(table, schema)
    there = method.anonymize(lazily(place, table), schema)
    assert there.certificate == here.certificate
    found = back(there.data)
    same_rows(found, here.data)
    assert "note" in found.column_names
    assert "name" not in found.column_names


@pytest.mark.parametrize("place", EVERYWHERE)
def test_who_of_several_equal_people_is_in_which_class_is_dealt_once(place):
    """As many as were decided; the frame says the same whenever it is evaluated; another release deals anew."""
    table = pa.table({"x": [3, None, 5] * 20, "note": [f"n{i // 2}" for i in range(60)]})
    engine = LazyEngine.of(lazily(place, table))
    outcome = halved(encode(engine, passing(), ["x"]))
    frame = engine.frame(passing(), outcome)
    first, again = (Counter(labelled(back(frame))) for _ in range(2))
    assert first == again
    assert Counter(back(frame)["x"].to_pylist()) == {0: 30, 1: 27}
    assert Counter(back(frame)["note"].to_pylist()) < Counter(table["note"].to_pylist())
    assert Counter(labelled(back(engine.frame(passing(), outcome)))) != first  # alike in fewer than one of 10**12


@pytest.mark.parametrize("place", QUICK)
def test_the_order_of_the_result_is_a_function_of_the_result(place):
    table = people.arrow(people.rows(90))
    turned = table.take(list(reversed(range(90))))
    method, schema = shoal.OptimalLattice(k=3, suppression_limit=0.2), people.schema()
    one, other = (back(method.anonymize(lazily(place, rows), schema).data) for rows in (table, turned))
    assert labelled(one) == labelled(other)


def test_every_dealing_is_as_likely_as_any_other():
    """Two of four equal people in one class, one in the other, one left out: twelve ways, in 2,400 dealings.

    Chi-squared with 11 degrees of freedom is above 37.4 in one of 10,000 runs.
    """
    table = pa.table({"x": [1] * 4, "note": ["a", "b", "c", "d"]})
    engine = LazyEngine.of(lazily("polars", table))
    returned = Returned(engine, passing(), halved(encode(engine, passing(), ["x"])))
    seen = Counter()
    for _ in range(2400):
        dealt = returned.dealt()[1]
        seen[tuple(zip(dealt["turn"].to_pylist(), dealt["published"].to_pylist(), strict=True))] += 1
    assert len(seen) == 12
    assert sum((n - 200) ** 2 / 200 for n in seen.values()) < 37.4


# Persons with several records


@pytest.mark.parametrize("place", EVERYWHERE)
def test_persons_with_several_records_are_counted_as_by_the_local_engine(place):
    table = cases.table(300)
    table = table.append_column("who", pa.array([f"p{i % 140}" for i in range(300)]))
    schema = cases.schema().with_column("who", role="identifier").with_person("who")
    here, there = (shoal.Mondrian(k=5).anonymize(frame, schema) for frame in (table, lazily(place, table)))
    assert there.certificate == here.certificate
    same_rows(back(there.data), here.data)


# What the engine is asked


@pytest.mark.parametrize("place", EVERYWHERE)
@pytest.mark.parametrize("settings", [{}, {"absorb": True, "clamp": True}], ids=str)
def test_the_counts_are_those_of_the_local_engine(place, settings):
    table, schema = people.arrow(people.rows(90)), people.schema()
    counted = ("age", "town", "day", "height", "member", "illness")
    here = encode(LocalEngine(TableSource(table)), schema, counted, **settings)
    there = encode(LazyEngine.of(lazily(place, table)), schema, counted, **settings)
    assert there.counts.names == here.counts.names
    assert [a.domain for a in there.attributes] == [a.domain for a in here.attributes]
    assert people.counted(there) == people.counted(here)


@pytest.mark.parametrize("place", EVERYWHERE)
def test_identifiers_that_repeat_are_counted_where_they_are(place):
    schema = people.schema()
    table = people.arrow([*people.rows(60), *people.rows(3)])
    told = []
    for engine in (LocalEngine(TableSource(table)), LazyEngine.of(lazily(place, table))):
        watched = {name: DistinctValues(("", "person-001")) for name in watched_columns(schema)}
        for _ in engine.distinct([], watched):
            pass
        told.append({name: values.count() for name, values in watched.items()})
    assert told[0] == told[1]
    with pytest.raises(DataError, match="3 of its values"):
        shoal.Mondrian(k=3).anonymize(lazily(place, table), schema)


@pytest.mark.parametrize("place", EVERYWHERE)
def test_moments_are_counted_by_their_day(place):
    """Also before 1970, where rounding towards zero would give the next one."""
    table = pa.table({"when": pa.array([-1_000_000, 1_000_000, 8 * 3_600_000_000] * 4, pa.timestamp("us"))})
    schema = shoal.Schema().with_column(
        "when", role="quasi-identifier", domain=(dt.date(1969, 1, 1), dt.date(1971, 1, 1))
    )
    engine = LazyEngine.of(lazily(place, table))
    (batch,) = engine.distinct(["when"])
    assert sorted(zip(map(str, batch.records["when"].to_pylist()), batch.sizes.tolist(), strict=True)) == [
        ("1969-12-31", 4), ("1970-01-01", 8)
    ]  # fmt: skip
    here = encode(LocalEngine(TableSource(table)), schema, ["when"])
    assert people.counted(encode(engine, schema, ["when"])) == people.counted(here)


@pytest.mark.parametrize("place", ["duckdb", "polars", pytest.param("spark", marks=pytest.mark.slow)])
def test_distinct_records_that_may_not_fit_are_warned_of_before_they_come(place, monkeypatch):
    """Never where a budget is spent: how many there are is for the records to decide."""
    table = cases.table(1200)
    frame = lazily(place, table)
    exact = len(encode(LazyEngine.of(frame), cases.schema(), ["age", "town", "grade"]).counts)
    assert 0.8 * exact < LazyEngine.of(frame).about(["age", "town", "grade"]) < 1.2 * exact
    free = room.BYTES * 3 // 10 * exact // 2
    monkeypatch.setattr(room, "_memory", lambda pages: free if pages == "SC_AVPHYS_PAGES" else 4 * free)
    with pytest.warns(shoal.LargeTableWarning, match="distinct records, which may take"):
        shoal.Mondrian(k=5).anonymize(frame, cases.schema())
    shoal.SafePub(epsilon=2, delta="1e-3").anonymize(frame, cases.schema())  # warnings are errors here
    monkeypatch.setattr(room, "_memory", lambda _: room.BYTES * 3 // 10 * 1200)
    shoal.Mondrian(k=5).anonymize(frame, cases.schema())


@pytest.mark.parametrize("place", QUICK)
def test_columns_that_are_not_declared_are_refused_as_anywhere(place):
    table = cases.table(50)
    with pytest.raises(SchemaError, match="'extra' is in the data and not declared"):
        shoal.Mondrian(k=3).anonymize(lazily(place, table.append_column("extra", table["age"])), cases.schema())
    with pytest.raises(SchemaError, match="'grade' is declared and not in the data"):
        shoal.Mondrian(k=3).anonymize(lazily(place, table.drop_columns(["grade"])), cases.schema())


@pytest.mark.parametrize("place", QUICK)
def test_a_value_outside_of_its_domain_is_refused_without_a_number_that_means_nothing(place):
    table = pa.table({"x": [1, 2, 77]})
    schema = shoal.Schema().with_column("x", role="quasi-identifier", domain=(0, 9))
    with pytest.raises(DataError, match=r"^column 'x', in 1 record: the value is not in the declared domain") as found:
        shoal.Mondrian(k=2).anonymize(lazily(place, table), schema)
    assert "77" not in str(found.value)


@pytest.mark.parametrize("place", QUICK)
def test_a_table_that_changes_after_it_was_counted_is_refused(place):
    schema = people.schema()
    one, other = people.arrow(people.rows(60)), people.arrow(people.rows(61))
    outcome = shoal.OptimalLattice(k=3, suppression_limit=0.5).anonymize(lazily(place, one), schema).outcome
    with pytest.raises(DataError, match="changed while it was being read"):
        LazyEngine.of(lazily(place, other)).frame(schema, outcome)


def test_what_a_library_says_is_not_passed_on():
    import duckdb

    connection = duckdb.connect()
    broken = connection.sql("SELECT CAST(x AS INTEGER) AS x FROM (VALUES ('1'), ('SECRET123')) people(x)")
    schema = shoal.Schema().with_column("x", role="quasi-identifier", domain=(0, 9))
    with pytest.raises(DataError, match="DuckDB could not do what it was asked") as found:
        shoal.Mondrian(k=2).anonymize(broken, schema)
    assert "SECRET123" not in str(found.value)
    assert found.value.__cause__ is None


def test_a_lazy_frame_that_nobody_has_tried_is_refused_by_name():
    import narwhals as nw

    class Dask:
        implementation = nw.Implementation.DASK

    with pytest.raises(ParameterError, match="dask frames"):
        library_of(None, Dask())


@pytest.mark.parametrize("place", EVERYWHERE)
def test_a_dataset_is_the_same_one_wherever_it_is(place):
    from shoal.engines.reading.value_digest import value_digests

    table = people.arrow(people.rows(60))
    assert value_digests(LazyEngine.of(lazily(place, table))) == value_digests(TableSource(table))


@pytest.mark.parametrize("place", QUICK)
def test_a_release_that_is_paid_for_knows_the_books_of_the_same_table_in_memory(place, tmp_path):
    ledger = shoal.Ledger.open(tmp_path / "books")
    table = cases.table(300)
    method = shoal.SafePub(epsilon=2, delta="1e-3")
    method.anonymize(table, cases.schema(), ledger=ledger)
    method.anonymize(lazily(place, table), cases.schema(), ledger=ledger)
    assert len(ledger.account(lazily(place, table)).spendings) == 2


@pytest.mark.parametrize("place", QUICK)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files_are_written_as_the_local_engine_writes_them(place, form, tmp_path):
    table, schema = people.arrow(people.rows(90)), people.schema()
    method = shoal.OptimalLattice(k=3, suppression_limit=0.2)
    for name, frame in (("here", table), ("there", lazily(place, table))):
        method.anonymize(frame, schema).write_data(tmp_path / f"{name}.{form}")
    read = csv.read_csv if form == "csv" else parquet.read_table
    one, other = (read(tmp_path / f"{name}.{form}") for name in ("here", "there"))
    same_rows(one, other)


# Values that engines may take for each other


CELLS = {
    "number": st.sampled_from([None, 0.0, -0.0, float("nan"), 0.1, 1e300, float("inf")]),
    "text": st.sampled_from([None, "", "?", "a", "A", "a ", "é", "e\u0301", "\U0001f41f"]),
    "whole": st.sampled_from([None, 0, -1, 2**53 + 1, 2**53]),
    "flag": st.sampled_from([None, True, False]),
}
KINDS = {"number": pa.float64(), "text": pa.string(), "whole": pa.int64(), "flag": pa.bool_()}


@pytest.mark.parametrize("place", ["polars", pytest.param("duckdb", marks=pytest.mark.slow)])
@given(rows=st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=12))
@examples(25)
def test_values_that_are_different_stay_so_and_equal_ones_too(place, rows):
    """Missing, NaN and empty, zeros of both signs, letters in two writings: grouped and joined as locally."""
    columns = {name: pa.array([row[name] for row in rows], kind, from_pandas=False) for name, kind in KINDS.items()}
    table = pa.table({**columns, "note": [f"n{i % 5}" for i in range(len(rows))]})
    schema = shoal.Schema()
    for name in KINDS:
        schema = schema.with_column(name, role="quasi-identifier")
    schema = schema.with_column("note", role="insensitive", unlinkable=True)
    method = shoal.OptimalLattice(k=1, criteria=(shoal.KAnonymity(1),))
    try:
        here = method.anonymize(table, schema)
    except shoal.ShoalError as refused:
        with pytest.raises(type(refused), match=re.escape(str(refused))):
            method.anonymize(lazily(place, table), schema)
        return
    there = method.anonymize(lazily(place, table), schema)
    assert there.certificate == here.certificate
    same_rows(back(there.data), here.data)


@pytest.mark.parametrize("place", QUICK)
def test_roles_are_guessed_where_the_table_is(place):
    table = people.arrow(people.rows(90))
    assert shoal.Schema.infer(lazily(place, table)) == shoal.Schema.infer(table)
