"""Rows to counts: every domain declared or observed, every batch, every column that is there and none that is not."""

from collections import Counter

import people
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.data.domain import Categorical, Dates, Grid, Origin
from shoal.engines.codes import encoding
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading import source as sources
from shoal.engines.reading.source import TableSource
from shoal.errors import DataError, HierarchyError, SchemaError
from shoal.progress import silent

SECRET = "SECRET123"


def encoded(table, schema, missing=("",), **settings):
    counted = [column.name for column in schema if column.role.is_counted]
    return encode(LocalEngine(TableSource(table), missing, **settings), schema, counted, silent)


def one(values, **said):
    """The attribute of a table of one column, and its counts by label."""
    schema = shoal.Schema().with_column("x", role="quasi-identifier", **said)
    table = encoded(pa.table({"x": values}), schema, ("", "?"))
    return table["x"], {label: size for (label,), size in people.counted(table).items()}


# Counting


def test_the_counts_are_those_of_the_rows():
    table = people.decided(TableSource(people.arrow()))[2].table
    wanted = Counter(
        tuple("missing" if cell == "" else cell for cell in row[1:7]) for row in people.texts(people.rows())
    )
    found = {tuple(f"{float(c):.2f}" if i == 3 and c != "missing" else c for i, c in enumerate(row)): size
             for row, size in people.counted(table).items()}  # fmt: skip
    assert found == wanted


@given(
    rows=st.lists(st.tuples(st.sampled_from("abc?") | st.none(), st.integers(0, 9)), min_size=1, max_size=60),
    batch=st.integers(1, 20),
    pending=st.integers(1, 12),
    is_declared=st.booleans(),
)
@examples(60)
def test_neither_batches_nor_merges_change_the_counts(rows, batch, pending, is_declared):
    said = shoal.Schema().with_column("x", role="quasi-identifier", missing=True)
    if is_declared:
        said = said.with_column("x", domain=["c", "b", "a"])
    said = said.with_column("y", role="sensitive", domain=(0, 9) if is_declared else None)
    table = pa.table({"x": pa.array([x for x, _ in rows], pa.string()), "y": [y for _, y in rows]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BATCH_ROWS", batch)
        patch.setattr(encoding, "_PENDING", pending)
        found = encoded(table, said, ("", "?"))
    wanted = Counter(("missing" if x in (None, "?") else x, str(y)) for x, y in rows)
    assert people.counted(found) == wanted
    codes = list(zip(*(column.tolist() for column in found.counts.codes), strict=True))
    assert codes == sorted(set(codes))
    assert found.total == len(rows)


def test_many_distinct_records_are_merged_seldom():
    """As many new ones as there are have to come before they are merged again: twice as many, one merge more."""
    merges = []

    def merge(waiting, coders):
        merges.append(sum(len(sizes) for _, sizes in waiting))
        return whole(waiting, coders)

    whole = encoding._merge
    said = shoal.Schema().with_column("x", role="quasi-identifier", domain=(0, 9_999))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BATCH_ROWS", 10)
        patch.setattr(encoding, "_PENDING", 20)
        patch.setattr(encoding, "_merge", merge)
        assert encoded(pa.table({"x": range(6400)}), said).total == 6400
    assert len(merges) <= 10
    assert sum(merges) < 4 * 6400


def test_progress_is_told():
    told = []
    schema = people.schema()
    engine = LocalEngine(TableSource(people.arrow()))
    encode(engine, schema, ["age"], lambda task, done: told.append((task, done)))
    assert told == [("reading and counting", 1.0)]
    assert tuple(engine.types()) == people.NAMES


# Domains


def test_a_declared_domain_is_kept_whether_or_not_its_values_occur():
    attribute, counts = one([3, 5], domain=(0, 9))
    assert attribute.domain == Grid.between(0, 9)
    assert counts == {"3": 1, "5": 1}


def test_a_hierarchy_that_names_its_values_declares_them():
    tree = shoal.tree({"*": {"north": ["Kiel"], "south": ["Ulm", "Bonn"]}})
    attribute, _ = one(["Ulm"], hierarchy=tree)
    assert attribute.domain.origin is Origin.DECLARED
    assert set(attribute.domain.values) == {"Kiel", "Ulm", "Bonn"}


@pytest.mark.parametrize(
    ("values", "domain"),
    [
        (["3", "7", None], Grid.between(3, 7, missing=True, origin=Origin.OBSERVED)),
        ([1.5, 2.25], Grid.between("1.5", "2.25", "0.01", origin=Origin.OBSERVED)),
        (["1.50", "2"], Grid.between("1.5", "2", "0.01", origin=Origin.OBSERVED)),
        (["01", "2"], Categorical(("01", "2"), origin=Origin.OBSERVED)),
        (["b", "a", "?", ""], Categorical(("a", "b"), origin=Origin.OBSERVED).with_missing()),
        ([True, False], Categorical(("false", "true"), origin=Origin.OBSERVED)),
        (["2024-02-30", "2024-01-01"], Categorical(("2024-01-01", "2024-02-30"), origin=Origin.OBSERVED)),
        ([None, "?"], Categorical((), origin=Origin.OBSERVED).with_missing()),
        (["missing", None], Categorical(("missing",), origin=Origin.OBSERVED).with_missing()),
    ],
    ids=lambda values: repr(values)[:40],
)
def test_an_observed_domain_is_what_the_values_suggest(values, domain):
    attribute, counts = one(values)
    assert attribute.domain == domain
    assert sum(counts.values()) == len(values)


def test_days_are_observed_from_text_and_from_dates():
    for values in (["2024-03-01", "2024-02-01"], pa.array(["2024-03-01", "2024-02-01"]).cast(pa.date32())):
        attribute, counts = one(values)
        assert isinstance(attribute.domain, Dates)
        assert counts == {"2024-02-01": 1, "2024-03-01": 1}


def test_literal_values_are_names_even_if_they_look_like_numbers():
    schema = shoal.Schema().with_column("x", role="quasi-identifier")
    table = encoded(pa.table({"x": ["1", "1.0", "+1", "1"]}), schema, is_literal=True)
    assert people.counted(table) == {("1",): 2, ("1.0",): 1, ("+1",): 1}
    assert people.counted(encoded(pa.table({"x": ["1", "1.0", "+1", "1"]}), schema)) == {("1",): 4}


def test_numbers_too_many_for_a_grid_are_those_seen_in_their_order():
    attribute, counts = one([987654321, 1, 7, 1])
    assert attribute.domain == Categorical(("1", "7", "987654321"), ordered=True, origin=Origin.OBSERVED)
    assert counts == {"1": 2, "7": 1, "987654321": 1}


def test_numbers_of_too_many_digits_are_names():
    accounts = [str(10**30 + i) for i in (1, 7, 7)]
    attribute, counts = one(accounts)
    assert attribute.domain == Categorical((accounts[0], accounts[1]), origin=Origin.OBSERVED)
    assert counts == {accounts[0]: 1, accounts[1]: 2}


def test_a_hierarchy_that_misses_observed_values_says_how_many_and_not_which():
    schema = shoal.Schema().with_column("x", role="quasi-identifier", hierarchy=shoal.intervals(5))
    with pytest.raises(HierarchyError, match="column 'x': intervals need numbers") as raised:
        encoded(pa.table({"x": ["5", SECRET]}), schema)
    assert SECRET not in str(raised.value)


# Columns


def test_a_table_without_records_is_refused():
    with pytest.raises(DataError, match="the table has no records; give a table with at least one"):
        one(pa.array([], pa.string()))


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"age": [1], "zap": [2]},
            "column 'zip' is declared and not in the data, which have 'age', 'zap'.* Did you mean 'zap'",
        ),
        (
            {"age": [1], "zip": [2], "extra": [3]},
            "column 'extra' is in the data and not declared; give each column a role",
        ),
        ({"age;zip": [1]}, "the data have one column only where 'age', 'zip' are declared; set delimiter in"),
        ({SECRET: [1], "Ulm": [2]}, r"none of the declared columns \('age', 'zip'\) is in the data; check that"),
    ],
)
def test_columns_of_the_data_and_of_the_schema_must_be_the_same(columns, sentence):
    schema = shoal.Schema().with_column("age", role="quasi-identifier").with_column("zip", role="quasi-identifier")
    with pytest.raises(SchemaError, match=sentence) as raised:
        encoded(pa.table(columns), schema)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("values", [[[1, 2]], [{"a": 1}], [b"bytes"]], ids=["list", "record", "bytes"])
def test_a_counted_column_of_lists_records_or_bytes_is_refused(values):
    with pytest.raises(SchemaError, match=r"column 'x' holds values of the type .*, which cannot be counted; split it"):
        one(values)


def test_a_value_outside_is_named_by_its_record_whatever_the_batches(monkeypatch):
    monkeypatch.setattr(sources, "BATCH_ROWS", 7)
    with pytest.raises(DataError, match=r"column 'x', record 19: the value is not in the declared domain \(0 to 9 in"):
        one([1] * 18 + [12] * 2, domain=(0, 9))
