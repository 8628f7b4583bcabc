"""A dataset is recognized by its values: in any format, in any order, however it is written; and by nothing less."""

import datetime as dt
import gzip
import itertools
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.reading import value_digest
from shoal.engines.reading.layout import Layout
from shoal.engines.reading.recognizing import dataset_at
from shoal.engines.reading.source import TableSource, open_source
from shoal.engines.reading.value_digest import meaning, value_digests
from shoal.errors import DataError

PEOPLE = pa.table(
    {
        "age": pa.array([41, 8, None, 41, 8], pa.int64()),
        "income": pa.array([1500.5, None, 0.1, 1e300, 100.0]),
        "born": pa.array([dt.date(1980, 1, 2), dt.date(2016, 5, 4), None, dt.date(1980, 1, 2), dt.date(2016, 5, 4)]),
        "town": ["Bern", "", "Zürich", "Genf, 2", 'a "b"'],
        "member": [True, False, None, True, True],
    }
)


def digest(table, missing=()):
    found = value_digests(TableSource(table), missing)
    assert len(found) == 1
    return found[0]


def test_every_format_is_the_same_dataset(tmp_path):
    pc.write_csv(PEOPLE, tmp_path / "comma.csv")
    text = (tmp_path / "comma.csv").read_bytes()
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(text))
    pc.write_csv(PEOPLE, tmp_path / "semicolon.csv", pc.WriteOptions(delimiter=";"))
    (tmp_path / "latin.csv").write_bytes(text.decode().encode("latin-1"))
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    feather.write_feather(PEOPLE, tmp_path / "people.arrow", compression="uncompressed")
    (tmp_path / "parts").mkdir()
    pq.write_table(PEOPLE.slice(0, 2), tmp_path / "parts" / "b.parquet")
    pq.write_table(PEOPLE.slice(2), tmp_path / "parts" / "a.parquet")
    found = {
        name: dataset_at(tmp_path / name).values
        for name in ("comma.csv", "packed.csv.gz", "semicolon.csv", "people.parquet", "people.arrow", "parts")
    } | {"latin.csv": dataset_at(tmp_path / "latin.csv", layout=Layout(encoding="latin-1")).values}
    assert set(found.values()) == {(digest(PEOPLE),)}


def test_the_order_of_rows_and_columns_and_the_cut_into_batches_do_not_count(monkeypatch):
    shuffled = PEOPLE.take(pa.array([3, 1, 4, 0, 2])).select(PEOPLE.column_names[::-1])
    assert digest(shuffled) == digest(PEOPLE)
    monkeypatch.setattr("shoal.engines.reading.source.BATCH_ROWS", 1)
    assert digest(PEOPLE) == digest(shuffled) == digest(pa.concat_tables([PEOPLE.slice(2), PEOPLE.slice(0, 2)]))


@pytest.mark.parametrize(
    ("column", "other"),
    [
        (pa.array(["41", "8", "", "41.0", "08"]), "age"),
        (pa.array([41.0, 8.0, float("nan"), 41.0, 8.0]), "age"),
        (pa.array([41, 8, None, 41, 8], pa.uint8()), "age"),
        (pa.array([Decimal("41.00"), Decimal("8.00"), None, Decimal("41.00"), Decimal("8.00")]), "age"),
        (pa.array(["1500.50", "NaN", ".1", "1E+300", "1e2"]), "income"),
        (pa.array(["Bern ", None, "ZÜRICH", "Genf, 2", 'A "b"']), "town"),
        (pa.array(["True", "False", "N/A", "TRUE", "true"]), "member"),
        (pa.array(["1980-01-02", "2016-05-04T00:00", "null", "1980-01-02 13:45:00", "2016-05-04"]), "born"),
        (PEOPLE["born"].combine_chunks().cast(pa.timestamp("us")), "born"),
        (PEOPLE["town"].combine_chunks().dictionary_encode(), "town"),
        (PEOPLE["town"].combine_chunks().cast(pa.large_string()), "town"),
    ],
)
def test_another_type_of_the_same_values_does_not_count(column, other):
    place = PEOPLE.column_names.index(other)
    assert digest(PEOPLE.set_column(place, other, column)) == digest(PEOPLE)


def test_whatever_else_changes_is_another_dataset():
    changed = {
        "a cell": PEOPLE.set_column(0, "age", pa.array([42, 8, None, 41, 8])),
        "a missing cell": PEOPLE.set_column(0, "age", pa.array([41, 8, 0, 41, 8])),
        "a row less": PEOPLE.slice(1),
        "a row twice": pa.concat_tables([PEOPLE, PEOPLE.slice(0, 1)]),
        "a column less": PEOPLE.drop_columns(["town"]),
        "a column more": PEOPLE.append_column("empty", pa.nulls(5, pa.string())),
        "a name": PEOPLE.rename_columns(["years", *PEOPLE.column_names[1:]]),
        "two names": PEOPLE.rename_columns(["income", "age", *PEOPLE.column_names[2:]]),
        "all rows twice": pa.concat_tables([PEOPLE, PEOPLE]),
        "no rows": PEOPLE.slice(0, 0),
        "the columns apart": PEOPLE.set_column(0, "age", pa.array([8, 41, None, 8, 41])),
    }
    found = {digest(PEOPLE)} | {digest(table) for table in changed.values()}
    assert len(found) == len(changed) + 1


def test_all_small_tables_are_told_apart():
    """Every multiset of up to four records over two binary columns: marginals alone would take many for the same."""
    records = list(itertools.product((0, 1), repeat=2))
    seen = set()
    for size in range(5):
        for rows in itertools.combinations_with_replacement(records, size):
            columns = {name: pa.array([row[i] for row in rows], pa.int64()) for i, name in enumerate("ab")}
            seen.add(digest(pa.table(columns)))
    assert len(seen) == sum(len(list(itertools.combinations_with_replacement(records, n))) for n in range(5))


def test_sums_that_are_not_mixed_would_take_swapped_values_for_the_same(monkeypatch):
    one, other = pa.table({"a": [0, 1], "b": [0, 1]}), pa.table({"a": [0, 1], "b": [1, 0]})
    assert digest(one) != digest(other)
    monkeypatch.setattr(value_digest, "_mixed", lambda records: records)
    assert digest(one) == digest(other)


def test_declared_missing_values_are_recognized_with_the_declaration_and_without(tmp_path):
    (tmp_path / "people.csv").write_text("age,zip\n41,-9\nunknown,10055\n")
    pq.write_table(pa.table({"age": [41, None], "zip": [None, 10055]}), tmp_path / "people.parquet")
    plain = dataset_at(tmp_path / "people.csv")
    declared = dataset_at(tmp_path / "people.csv", missing=("", "-9", "unknown"))
    other = dataset_at(tmp_path / "people.parquet", missing=("",))
    assert len(plain.values) == len(other.values) == 1
    assert len(declared.values) == 2
    assert set(plain.values) < set(declared.values)
    assert set(other.values) < set(declared.values)
    assert not set(plain.values) & set(other.values)
    assert plain.content == declared.content


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6) | st.integers() | st.floats(allow_nan=False))
def test_a_number_means_the_same_however_it_is_written(number):
    exact = Decimal(str(number)) if not isinstance(number, float) else Decimal(repr(number))
    if not exact.is_finite():
        assert meaning(repr(number)) == repr(number)
        return
    written = {str(exact), f"{exact:f}", f"{exact:e}", f"  {exact:f} ", f"{exact:E}"}
    meant = {meaning(text) for text in written}
    assert len(meant) == 1
    assert Decimal(meant.pop()) == exact


@given(st.text())
def test_every_text_means_something_and_its_meaning_means_itself(text):
    meant = meaning(text)
    assert meant is None or meaning(meant) == meant


def test_numbers_that_nobody_means_stay_texts():
    assert meaning("1e" + "9" * 19) == "1e" + "9" * 19
    assert meaning("1e999999999999") == "1e999999999999"  # and take no time
    assert meaning("1.2.3") == "1.2.3"
    assert meaning("-") == "-"
    assert meaning("٣") == "٣"


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1], None, [1, 2]]),
        pa.array([{"a": 1}, None, {"a": 2}]),
        pa.array([b"\xff", None, b"b"]),
        pa.array([(1, 2, 3), None, (4, 5, 6)], pa.month_day_nano_interval()),
        pa.array([dt.timedelta(1), None, dt.timedelta(2)]),
        pa.array([dt.time(3), None, dt.time(4)]),
        pa.array([1.5, None, 2.5], pa.float16()),
        pa.array(["a", None, "b"], pa.string_view()),
        pa.array([Decimal("1.50"), None, Decimal(2)], pa.decimal256(40, 2)),
    ],
    ids=lambda column: str(column.type),
)
def test_a_column_of_any_type_can_be_told(column):
    table = pa.table({"column": column})
    first, rest = table.slice(0, 1), table.slice(1)
    assert digest(table) == digest(pa.concat_tables([rest, first]))
    assert digest(table) != digest(pa.concat_tables([rest, rest.slice(0, 1)]))
    long = pa.concat_tables([table, table]).combine_chunks()["column"].combine_chunks()
    if not pa.types.is_nested(long.type):  # a dictionary that is longer than what it codes
        assert digest(pa.table({"column": long.dictionary_encode().slice(0, 1)})) == digest(first)


def test_values_that_python_has_not_are_taken_for_the_same():
    moments = pa.array([[1], [2]], pa.list_(pa.timestamp("ns")))
    assert len(digest(pa.table({"id": ["a", "b"], "moments": moments}))) == 32


def test_long_dictionaries_and_many_values_give_the_same_digest(monkeypatch, tmp_path):
    """Only the values of a batch are hashed where its dictionary is longer, and only so many hashes are kept."""
    rng = np.random.default_rng(1)
    table = pa.table({"id": [f"P{i}" for i in range(3000)], "x": rng.integers(0, 50, 3000)})
    table = table.set_column(0, "id", pa.array([None if i % 7 == 0 else f"P{i}" for i in range(3000)]))
    whole = digest(table)
    pq.write_table(table, tmp_path / "people.parquet")
    monkeypatch.setattr("shoal.engines.reading.source.BATCH_ROWS", 100)
    monkeypatch.setattr(value_digest, "_REMEMBERED", 10)
    assert value_digests(open_source(tmp_path / "people.parquet")) == (whole,)
    coded = table.set_column(0, "id", table["id"].combine_chunks().dictionary_encode())
    assert digest(coded) == whole


def test_text_that_is_no_text_counts_as_missing():
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], dtype=np.int32)), pa.py_buffer(b"\xffa")]
    )
    assert digest(pa.table({"town": broken})) == digest(pa.table({"town": [None, "a"]}))


def test_a_dataset_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        dataset_at(tmp_path / "nothing.csv")
