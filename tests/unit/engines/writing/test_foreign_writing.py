"""Releases as files of Excel, SPSS and Stata: what was published is what is read, and no more than that."""

import datetime as dt
import zipfile

import pyarrow as pa
import pyreadstat
import pytest

from shoal.engines.reading.foreign import process, statistics, workbooks
from shoal.engines.reading.foreign.codebook import Codebook, Entry
from shoal.engines.reading.published_source import open_published, published_rows
from shoal.engines.writing import foreign
from shoal.engines.writing.foreign import FORMATS, require_writable, write_table
from shoal.errors import OutputError, ParameterError
from shoal.plan.plan import Plan

BOOK = Codebook(
    {
        "sex": Entry("Sex of the person", {"1": "female", "2": "male", "3": "other"}),
        "town": Entry("", {"1": "Ulm"}),
        "age": Entry("Age", {"1": "17-24"}),
    }
)
TABLE = pa.table(
    {
        "sex": ["female", "male", None, "male"],
        "age": ["17-24", "*", "25", "17-24"],
        "town": ["Ulm", "=1+1", "http://a.b", "@x"],
        "income": [1.5, None, -2.0, 3.0],
        "children": pa.array([1, 2, None, 3], pa.int64()),
        "born": pa.array([dt.date(1890, 1, 2), None, dt.date(2020, 2, 29), dt.date(1999, 12, 31)], pa.date32()),
        "ill": [True, None, False, True],
    }
)


@pytest.fixture(autouse=True)
def inside(monkeypatch):
    """Read here, and not in a process of its own."""
    readers = {"workbooks": workbooks, "statistics": statistics}

    def read(path, form, sheet, size):
        del size
        table, book = readers[form.reader].read(path, sheet)
        return table.replace_schema_metadata({process.KEY: book.to_bytes()})

    process.forget()
    monkeypatch.setattr(process, "_asked", read)


def published(path, names=TABLE.column_names):
    parts = [batch for batch, _ in open_published(path).batches(list(names))]
    return {name: [value for part in parts for value in part.column(name).to_pylist()] for name in names}


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_written_is_what_is_read(tmp_path, form):
    path = tmp_path / f"data.{form}"
    write_table(TABLE, path, BOOK)
    found = published(path)
    assert found["sex"] == ["female", "male", None, "male"]
    assert found["age"] == ["17-24", "*", "25", "17-24"]
    assert found["town"] == ["Ulm", "=1+1", "http://a.b", "@x"]
    assert found["income"] == ["1.5", None, "-2", "3"]
    assert found["children"] == ["1", "2", None, "3"]
    assert found["born"] == ["1890-01-02", None, "2020-02-29", "1999-12-31"]
    assert found["ill"] == ["true", None, "false", "true"]
    assert list(published_rows(path).types()) == TABLE.column_names


def test_no_cell_of_a_sheet_is_a_formula_or_an_address(tmp_path):
    write_table(TABLE, tmp_path / "data.xlsx", BOOK)
    with zipfile.ZipFile(tmp_path / "data.xlsx") as book:
        parts = {name: book.read(name) for name in book.namelist()}
    assert not any(b"<f>" in part or b"hyperlink" in part for part in parts.values())


@pytest.mark.parametrize(("form", "read"), [("sav", pyreadstat.read_sav), ("dta", pyreadstat.read_dta)])
def test_codes_come_back_with_the_labels_that_are_published_and_no_others(tmp_path, form, read):
    """Not for columns where something else stands too, nor for those that a private method answers for."""
    write_table(TABLE, tmp_path / f"data.{form}", BOOK)
    values, said = read(str(tmp_path / f"data.{form}"), output_format="dict")
    assert said.variable_value_labels == {"sex": {1: "female", 2: "male"}}
    assert values["sex"] == [1, 2, None, 2]
    assert {name: label for name, label in said.column_names_to_labels.items() if label} == {
        "sex": "Sex of the person", "age": "Age"
    }  # fmt: skip
    write_table(TABLE, tmp_path / f"text.{form}", BOOK, unlabeled=["sex"])
    assert read(str(tmp_path / f"text.{form}"), output_format="dict")[0]["sex"] == ["female", "male", "", "male"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_release_of_no_records_has_its_columns(tmp_path, form):
    write_table(TABLE.slice(0, 0), tmp_path / f"data.{form}", BOOK)
    assert list(open_published(tmp_path / f"data.{form}").types()) == TABLE.column_names
    assert published(tmp_path / f"data.{form}", ["sex"]) == {"sex": []}


def test_records_that_a_sheet_has_no_room_for_go_to_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(foreign, "ROWS_OF_A_SHEET", 3)
    write_table(TABLE, tmp_path / "data.xlsx", BOOK)
    assert published(tmp_path / "data.xlsx")["town"] == TABLE["town"].to_pylist()


def test_what_a_format_cannot_hold_is_refused(tmp_path, monkeypatch):
    with pytest.raises(OutputError, match="cannot hold column 'a', whose values are of the type list"):
        write_table(pa.table({"a": [[1]]}), tmp_path / "data.sav", BOOK)
    with pytest.raises(OutputError, match="column 'a' has a text that is longer than the 2,045 bytes") as refusal:
        write_table(pa.table({"a": ["x" * 3000]}), tmp_path / "data.dta", BOOK)
    assert "xxx" not in str(refusal.value)
    for form, name in (("dta", "marital-status"), ("dta", "a" * 33), ("sav", "1a"), ("sav", "a b")):
        with pytest.raises(ParameterError, match="cannot be called so in a file of"):
            require_writable(form, [name])
    monkeypatch.setattr(foreign, "find_spec", lambda _: None)
    with pytest.raises(ParameterError, match=r"is not installed; `pip install 'shoal\[files\]'` brings it"):
        require_writable("xlsx", [])


def test_a_release_file_is_refused_before_anything_is_read(tmp_path):
    (tmp_path / "release.toml").write_text(
        '[data]\npath = "p.csv"\n[columns."marital status"]\nrole = "quasi-identifier"\n'
        '[method]\nname = "mondrian"\nk = 2\n[output]\nformat = "dta"\n'
    )
    with pytest.raises(
        Exception, match=r"\[output\]: the column 'marital status' cannot be called so in a file of Stata"
    ):
        Plan.load(tmp_path / "release.toml")
