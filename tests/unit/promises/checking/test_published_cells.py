"""Two cells are equal when a release is checked only if whoever receives it sees the same."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.reading.published_source import literal_texts, open_published
from shoal.errors import DataError
from shoal.promises.checking.published_table import _named


def read(path, names=("a",)):
    """What is read of a file, one tuple of texts for each record."""
    return [tuple(row.values()) for batch, _ in open_published(path).batches(list(names)) for row in batch.to_pylist()]


def csv_of(tmp_path, text):
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode())
    return path


def test_in_csv_a_cell_is_the_text_that_stands_there(tmp_path):
    path = csv_of(tmp_path, '"a","b"\n1,x\n1.0,x\n01,x\n"1 ",x\n,x\n"",x\nnan,x\n-0,x\n0,x\n')
    assert [row[0] for row in read(path)] == ["1", "1.0", "01", "1 ", None, "", "nan", "-0", "0"]


def test_letters_that_look_alike_are_different(tmp_path):
    path = csv_of(tmp_path, '"a"\n"\u00e9"\n"e\u0301"\n"E\u0301"\n')
    assert len(set(read(path))) == 3


def test_in_a_file_of_one_column_a_blank_line_is_a_missing_value(tmp_path):
    table = pa.table({"a": ["x", None, "", None]})
    pc.write_csv(table, tmp_path / "data.csv")
    assert read(tmp_path / "data.csv") == [("x",), (None,), ("",), (None,)]
    pc.write_csv(table.slice(0, 0), tmp_path / "data.csv")
    assert read(tmp_path / "data.csv") == []


@given(cells=st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=4), max_size=8))
def test_any_text_is_read_as_it_was_written(cells, tmp_path_factory):
    for form in ("csv", "parquet"):
        path = tmp_path_factory.mktemp("cells") / f"data.{form}"
        table = pa.table({"a": pa.array(cells, pa.string())})
        pc.write_csv(table, path) if form == "csv" else pq.write_table(table, path)
        assert [row[0] for row in read(path)] == cells


MANY = {
    pa.float64(): [0.0, -0.0, 1.0, 1e16, float("inf"), float("-inf"), float("nan"), 0.1, None],
    pa.float32(): [0.0, -0.0, 0.1, float("nan"), None],
    pa.float16(): [0.0, -0.0, 0.5, float("nan"), None],
    pa.decimal128(10, 3): [Decimal("1.500"), Decimal("1.501"), Decimal(0), None],
    pa.timestamp("us"): [0, 1, 24 * 3600 * 10**6, -1, None],
    pa.timestamp("ns", "Europe/Berlin"): [0, 1, 23 * 3600 * 10**9, 24 * 3600 * 10**9, None],
    pa.timestamp("s"): [2**40, 2**40 + 1, None],
    pa.date32(): [dt.date(2024, 3, 1), dt.date(2024, 3, 2), None],
    pa.time64("us"): [dt.time(1), dt.time(1, 0, 0, 1), None],
    pa.bool_(): [True, False, None],
    pa.uint64(): [0, 2**64 - 1, None],
    pa.string(): ["", " ", "missing", "null", "NaN", None],
    pa.duration("s"): [dt.timedelta(seconds=1), dt.timedelta(seconds=2), None],
}


@pytest.mark.parametrize("kind", MANY, ids=str)
def test_in_parquet_different_values_are_different_texts_and_null_is_none(kind, tmp_path):
    values = MANY[kind]
    table = pa.table({"a": pa.array(values + values, kind)})
    pq.write_table(table, tmp_path / "data.parquet")
    found = [row[0] for row in read(tmp_path / "data.parquet")]
    assert found[: len(values)] == found[len(values) :]
    assert len(set(found)) == len(values)
    assert [text is None for text in found[: len(values)]] == [value is None for value in values]


def test_the_forms_of_nan_are_told_apart_as_their_bytes_are():
    """R keeps its missing value in one of them."""
    quiet, of_r = 0x7FF8000000000000, 0x7FF00000000007A2
    values = pa.array([quiet, of_r], pa.uint64()).view(pa.float64())
    assert len(set(literal_texts(values))) == 2


def test_a_day_published_as_a_moment_goes_by_the_name_of_the_day():
    day, noon = literal_texts(pa.array([19_813 * 86_400, 19_813 * 86_400 + 43_200], pa.timestamp("s")))
    assert day == "2024-03-31"
    assert noon != day
    began, later = literal_texts(pa.array([1_711_839_600, 1_711_839_601], pa.timestamp("s", "Europe/Berlin")))
    assert began == "2024-03-31"
    assert later != began


def test_what_is_no_csv_is_refused_in_a_sentence(tmp_path):
    for broken in ("", "a,b\n1\n", "a\n\ud800\n"):
        path = tmp_path / "data.csv"
        path.write_bytes(broken.encode("utf-8", "surrogatepass"))
        with pytest.raises(DataError, match="cannot be read as CSV; expected UTF-8 text with commas"):
            read(path)
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="is not a Parquet file, or is damaged"):
        open_published(tmp_path / "data.parquet").types()


def test_a_text_goes_by_the_name_of_its_number_only_where_that_has_a_name():
    """Values of a sensitive column, whose distances the certificate gives by name."""
    assert _named("2.0", {"2"}) == "2"
    assert _named("2.0", {"2", "2.0"}) == "2.0"
    assert _named("2.0", {"3"}) == "2.0"
    assert _named("flu", {"2"}) == "flu"
