"""Files of other programs: the same table whatever the format, and one sentence for whatever is wrong with a file."""

import datetime as dt
from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
import xlsxwriter

from shoal.engines.reading.foreign import process, r_frames, statistics, workbooks
from shoal.engines.reading.foreign.formats import FOREIGN, format_of
from shoal.engines.reading.layout import PLAIN, ColumnLayout, Layout
from shoal.engines.reading.recognizing import dataset_at
from shoal.engines.reading.source import open_source
from shoal.errors import DataError, ParameterError

LABELS = {"sex": {1.0: "female", 2.0: "male", 9.0: "refused"}, "age": {98.0: "98 or older", -9.0: "no answer"}}


def people():
    return pd.DataFrame(
        {
            "sex": [1.0, 2.0, None, 9.0],
            "age": [34.0, 98.0, 12.0, -9.0],
            "income": [1.5, 2.25, None, 1e6],
            "town": ["Ulm", "Köln ", "", "Ulm"],
            "born": [dt.date(1990, 1, 2), None, dt.date(1890, 1, 1), dt.date(2020, 12, 31)],
        }
    )


def written(folder, ending):
    path = folder / f"people{ending}"
    if ending == ".xlsx":
        with xlsxwriter.Workbook(path) as book:
            for name in ("people", "notes"):
                sheet, days = book.add_worksheet(name), book.add_format({"num_format": "yyyy-mm-dd"})
                for j, column in enumerate(people()):
                    sheet.write(0, j, column)
                    for i, value in enumerate(people()[column], start=1):
                        if isinstance(value, dt.date):
                            sheet.write_datetime(i, j, value, days)
                        elif value == value and value not in (None, ""):  # NaN is not
                            sheet.write(i, j, value)
    elif ending == ".dta":
        labels = {"sex": {1: "female", 2: "male", 9: "refused"}}
        pyreadstat.write_dta(people(), path, variable_value_labels=labels, column_labels={"sex": "Sex of the person"})
    else:
        ranges = {"sex": [9.0], "age": [{"lo": -9.0, "hi": -1.0}]}
        labels = {"sex": "Sex of the person"}
        pyreadstat.write_sav(
            people(),
            path,
            variable_value_labels=LABELS,
            missing_ranges=ranges,
            column_labels=labels,
            compress=ending == ".zsav",
        )
    return path


def rows(source, *names):
    batches = [batch for batch, _ in source.batches(list(names))]
    return list(zip(*(pa.Table.from_batches(batches)[name].to_pylist() for name in names), strict=True))


@pytest.fixture
def inside(monkeypatch):
    """Read here, which is faster than in a process of its own; the process is tested by itself."""
    readers = {"workbooks": workbooks, "statistics": statistics, "r_frames": r_frames}

    def read(path, form, sheet, size):
        del size
        table, book = readers[form.reader].read(path, sheet)
        return table.replace_schema_metadata({process.KEY: book.to_bytes()})

    process.forget()
    monkeypatch.setattr(process, "_asked", read)


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("ending", [".sav", ".zsav"])
def test_spss(tmp_path, ending):
    """Codes become labels where values have them, codes declared missing are missing, 98 stays a number."""
    source = open_source(written(tmp_path, ending))
    assert source.is_typed
    assert source.types() == {
        "sex": pa.string(), "age": pa.float64(), "income": pa.float64(), "town": pa.string(), "born": pa.date32()
    }  # fmt: skip
    assert rows(source, "sex", "age") == [("female", 34), ("male", 98), (None, 12), (None, None)]
    assert rows(source, "town", "born")[1] == ("Köln", None)
    assert source.codebook()["sex"].label == "Sex of the person"
    names = list(source.types())
    for batch, _ in source.batches(names, passed=names):  # who only passes values on gets the types that were told
        assert dict(zip(batch.schema.names, batch.schema.types, strict=True)) == source.types()


@pytest.mark.usefixtures("inside")
def test_stata(tmp_path):
    source = open_source(written(tmp_path, ".dta"))
    assert rows(source, "sex", "age", "town") == [
        ("female", 34, "Ulm"), ("male", 98, "Köln "), (None, 12, ""), ("refused", -9, "Ulm")
    ]  # fmt: skip


@pytest.mark.usefixtures("inside")
def test_codes_are_kept_on_request(tmp_path):
    path = written(tmp_path, ".sav")
    assert rows(open_source(path, Layout(labels=False)), "sex") == [(1,), (2,), (None,), (None,)]
    own = Layout(labels=False, columns=(ColumnLayout("age", labels=True),))
    assert rows(open_source(path, own), "sex", "age")[1] == (2, "98 or older")


@pytest.mark.usefixtures("inside")
def test_excel(tmp_path):
    """Every cell is text, so that a word in a column of numbers is not lost; days are written as everywhere."""
    source = open_source(written(tmp_path, ".xlsx"), Layout(sheet="notes"))
    assert not source.is_typed
    assert rows(source, "sex", "age", "born") == [
        ("1", "34", "1990-01-02"), ("2", "98", None), (None, "12", "1890-01-01"), ("9", "-9", "2020-12-31")
    ]  # fmt: skip
    with xlsxwriter.Workbook(tmp_path / "odd.xlsx") as book:
        sheet = book.add_worksheet()
        for i, cells in enumerate([("age", "at"), (5, 0.5), ("n/a", None), (), (0.1 + 0.2, None)]):
            sheet.write_row(i, 0, cells)
    assert rows(open_source(tmp_path / "odd.xlsx"), "age") == [("5",), ("n/a",), ("0.3",)]
    with pytest.raises(Exception, match="there is no sheet 'other'; it has 'people', 'notes'"):
        open_source(tmp_path / "people.xlsx", Layout(sheet="other")).types()


@pytest.mark.usefixtures("inside")
def test_r(tmp_path):
    import rdata

    frame = pd.DataFrame({"age": [1, 2], "income": [1.5, float("nan")]})
    rdata.write_rds(tmp_path / "people.rds", frame)
    assert rows(open_source(tmp_path / "people.rds"), "age", "income") == [(1, 1.5), (2, None)]


@pytest.mark.usefixtures("inside")
def test_the_same_table_is_one_dataset_in_all_formats(tmp_path):
    plain = people().assign(sex=[1, 2, None, None], age=[34, 98, 12, None], town=["Ulm", "Köln", "", "Ulm"])
    plain.to_csv(tmp_path / "people.csv", index=False)
    known = set(dataset_at(tmp_path / "people.csv").values)
    assert known & set(dataset_at(written(tmp_path, ".sav")).values)
    assert known & set(dataset_at(tmp_path / "people.sav", layout=Layout(labels=False)).values)
    people().to_csv(tmp_path / "whole.csv", index=False)
    assert set(dataset_at(tmp_path / "whole.csv").values) & set(dataset_at(written(tmp_path, ".xlsx")).values)


def test_a_process_of_its_own_reads_the_file(tmp_path):
    """Once for all that looks at it, and again when the file has changed."""
    path = written(tmp_path, ".sav")
    assert rows(open_source(path), "sex")[0] == ("female",)
    first = process.read_file(path, format_of(path), None)
    assert process.read_file(path, format_of(path), None) is first
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(DataError, match=r"people\.sav cannot be read as a file of SPSS: it is damaged") as refusal:
        open_source(path).types()
    assert str(refusal.value).endswith("; open it in SPSS and save it again, or save it as CSV.")


@pytest.mark.parametrize(
    ("happens", "sentence"),
    [
        ("import os; os.abort()", "the library that reads it crashed, which damaged files do;"),
        ("import sys; sys.stdout.write('T')", "the library that reads it crashed"),
        ("import time; time.sleep(60)", r"was still not read after \d seconds, as damaged files are;"),
    ],
)
def test_a_library_that_crashes_or_hangs_costs_a_sentence(tmp_path, monkeypatch, happens, sentence):
    path = tmp_path / "people.zsav"
    path.write_bytes(b"$FL3")
    monkeypatch.setattr(process, "_START", happens)
    monkeypatch.setattr(process, "_SECONDS", 0.3 if "sleep" in happens else 60)
    with pytest.raises(DataError, match=sentence):
        open_source(path).types()


def test_what_is_not_installed_can_be(tmp_path, monkeypatch):
    path = tmp_path / "people.xlsx"
    path.write_bytes(b"PK")
    monkeypatch.setitem(FOREIGN, ".xlsx", replace(FOREIGN[".xlsx"], library="fastexcel_that_is_not_there"))
    with pytest.raises(ParameterError, match=r"is not installed; `pip install 'shoal\[files\]'` brings it"):
        open_source(path, PLAIN).types()


@pytest.mark.parametrize(
    ("ending", "forms", "beyond"), [("sav", {"day": "DATE11", "at": "DATETIME20"}, 1e16), ("dta", {}, 10**8)]
)
def test_a_day_beyond_the_calendar_changes_nothing_of_other_records(tmp_path, ending, forms, beyond):
    """One record must not decide whether a file is read: its day is missing, types and other values are the same."""
    write = getattr(pyreadstat, f"write_{ending}")
    days = [dt.date(1963, 1, 18), dt.date(1581, 12, 31), dt.date(2001, 5, 2)]
    moments = pd.to_datetime(["2001-02-03 04:05:06", "1950-01-01 07:00:01", "1960-01-01 00:00:00"])
    frame = pd.DataFrame({"day": days, "at": moments, "x": [1.5, 2.5, 3.5]})
    write(frame, str(tmp_path / f"whole.{ending}"))
    whole, _ = statistics.read(tmp_path / f"whole.{ending}", None)
    reader = getattr(pyreadstat, f"read_{ending}")
    raw, found = reader(str(tmp_path / f"whole.{ending}"), output_format="dict", disable_datetime_conversion=True)
    formats = {name: forms.get(name) or found.original_variable_types[name] for name in ("day", "at")}
    raw["day"][1] = float(beyond)
    write(pd.DataFrame(raw), str(tmp_path / f"odd.{ending}"), variable_format=formats)
    odd, _ = statistics.read(tmp_path / f"odd.{ending}", None)
    assert odd.schema.types == whole.schema.types
    assert odd.column("day").to_pylist() == [days[0], None, days[2]]
    assert odd.column("at").equals(whole.column("at"))
    assert odd.column("x").equals(whole.column("x"))
