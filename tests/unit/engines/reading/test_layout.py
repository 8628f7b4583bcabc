"""How a file writes its cells: what is declared is read so, and everything else stays as it is."""

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.reading.layout import ColumnLayout, DateFormat, Layout
from shoal.engines.reading.recognizing import dataset_at
from shoal.engines.reading.source import TableSource, open_source
from shoal.engines.reading.tidy import TidySource, tidying
from shoal.errors import ParameterError

COMMA = Layout(decimal=",", thousands=".")


@pytest.mark.parametrize(
    ("layout", "text", "meant"),
    [
        (COMMA, "1.234,50", "1234.50"),
        (COMMA, " -0,5 ", "-0.5"),
        (COMMA, "1.234.567", "1234567"),
        (COMMA, "12.34", "12.34"),
        (COMMA, "1,5e3", "1.5e3"),
        (COMMA, "3,14,15", "3,14,15"),
        (COMMA, "about 3,5", "about 3,5"),
        (Layout(thousands=","), "1,234.5", "1234.5"),
        (Layout(thousands=" "), "1\u202f234", "1234"),
        (Layout(thousands="'"), "1’234", "1234"),
        (Layout(trim=True), " a b ", "a b"),
        (Layout(), " a ", " a "),
    ],
)
def test_numbers_and_texts(layout, text, meant):
    assert tidying(layout, "x")(text) == meant


def test_a_name_that_is_declared_is_no_number():
    layout = Layout(decimal=",", columns=(ColumnLayout("x", names=("1,5", "2.5", "unknown")),))
    assert [tidying(layout, "x")(text) for text in ("1,5", "2,5", "unknown")] == ["1,5", "2.5", "unknown"]
    assert tidying(layout, "y")("1,5") == "1.5"


def test_a_missing_code_may_be_declared_as_the_number_it_means():
    layout = Layout(decimal=",", columns=(ColumnLayout("x", missing=("-999.0",)),))
    assert [tidying(layout, "x")(text) for text in ("-999,0", "-999.0", "5,0")] == [None, None, "5.0"]


@given(
    st.dates(dt.date(1000, 1, 1)), st.sampled_from(["%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d-%b-%Y %H:%M", "%d. %m. %Y"])
)
def test_a_day_is_found_as_it_was_written(day, written):
    text = dt.datetime.combine(day, dt.time(13, 45)).strftime(written)
    assert DateFormat(written).iso(text) == day.isoformat()


def test_the_first_way_to_write_days_that_fits_is_taken():
    tidy = tidying(Layout(columns=(ColumnLayout("born", ("%d/%m/%Y", "%m/%d/%Y"), ("9999",)),)), "born")
    assert [tidy(text) for text in ("01/02/2024", "12/31/2024", "2024-02-01", "9999", "soon")] == [
        "2024-02-01", "2024-12-31", "2024-02-01", None, "soon"
    ]  # fmt: skip


@pytest.mark.parametrize("written", ["%d.%m", "%d.%m.%Y %q", "%d.%d.%Y", "%Y-%m-%d%", "dd.mm.yyyy"])
def test_what_is_no_way_to_write_a_day_is_refused(written):
    with pytest.raises(ParameterError, match="is no way to write a day; expected each of day, month and year once"):
        ColumnLayout("born", (written,))


@pytest.mark.parametrize(
    ("given_as", "sentence"),
    [
        ({"decimal": ";"}, 'decimal is "."'),
        ({"thousands": "x"}, "one of"),
        ({"decimal": ",", "thousands": ","}, "both"),
    ],
)
def test_layouts_that_no_file_has_are_refused(given_as, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Layout(**given_as)


def test_missing_codes_of_a_column_whatever_its_type():
    table = pa.table({"a": [1, -9, None], "b": [-9.0, 2.5, -9.0], "c": ["-9", "x", ""], "d": [-9, 0, 1]})
    columns = tuple(ColumnLayout(name, missing=("-9",)) for name in "abc")
    tidied = TidySource(TableSource(table), Layout(columns=columns))
    for passed in ([], list("abcd")):
        found = pa.Table.from_batches([batch for batch, _ in tidied.batches(list("abcd"), passed)])
        assert found.to_pydict() == {
            "a": [1, None, None], "b": [None, 2.5, None], "c": [None, "x", ""], "d": [-9, 0, 1]
        }  # fmt: skip


def test_a_file_is_known_as_it_stands_and_as_it_is_meant(tmp_path):
    """Whoever declares another time how a file is written, or saves it otherwise, does not get another budget."""
    (tmp_path / "a.csv").write_text("sep=;\nage;born\n1,5;31.12.2024\n-9;01.02.2024\n")
    (tmp_path / "b.csv").write_text("age,born\n1.5,2024-12-31\n,2024-02-01\n")
    layout = Layout(decimal=",", columns=(ColumnLayout("born", ("%d.%m.%Y",)), ColumnLayout("age", missing=("-9",))))
    plainly, meant = (set(dataset_at(tmp_path / "a.csv", layout=way).values) for way in (Layout(), layout))
    assert plainly & meant
    assert set(dataset_at(tmp_path / "b.csv").values) & meant
    assert not set(dataset_at(tmp_path / "b.csv").values) & plainly


@pytest.mark.parametrize(("first", "delimiter"), [("sep=;", ";"), ('"sep=,"', ","), ("SEP=\t", "\t"), ("\nsep=|", "|")])
def test_the_line_by_which_excel_tells_the_delimiter(tmp_path, first, delimiter):
    path = tmp_path / "people.csv"
    path.write_text(f"{first}\na{delimiter}b\n1{delimiter}2\n")
    source = open_source(path)
    assert list(source.types()) == ["a", "b"]
    assert [batch.to_pylist() for batch, _ in source.batches(["a", "b"])] == [[{"a": "1", "b": "2"}]]


def test_json_lines(tmp_path):
    (tmp_path / "p.jsonl").write_text('{"age": 1, "town": "Ulm"}\n{"age": 2.5, "town": null, "born": "2024-12-31"}\n')
    source = open_source(tmp_path / "p.jsonl")
    assert list(source.types()) == ["age", "town", "born"]
    assert [batch.column("age").to_pylist() for batch, _ in source.batches(["age"])] == [[1, 2.5]]
    for content in ('{"age": 1}\n{"age": "secret"}\n', "[1, 2]\n", '{"age": 1', ""):
        (tmp_path / "p.jsonl").write_text(content)
        with pytest.raises(Exception, match=r"p\.jsonl (cannot be read as JSON lines|is empty); expected") as refusal:
            open_source(tmp_path / "p.jsonl").types()
        assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("absorb", [True, ("age",)], ids=str)
def test_json_lines_are_refused_by_name_where_no_record_may_decide(tmp_path, absorb):
    for text in ('{"age": 1}\n', '{"age": 1}\n{"age": "x"}\n', ""):
        path = tmp_path / "people.jsonl"
        path.write_text(text)
        with pytest.raises(ParameterError, match="a private method must not depend on that"):
            open_source(path, absorb=absorb)
    assert open_source(path).is_typed
