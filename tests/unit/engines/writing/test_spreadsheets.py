"""Texts that a spreadsheet program could run are found and marked, nothing else changes, and marks can be removed."""

import csv
import io
import json

import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from hypothesis import given
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.engines.reading.published_source import PublishedCsv
from shoal.engines.writing import spreadsheets
from shoal.engines.writing.spreadsheets import MARKED, has_formulas, mark_formulas

TEXTS = st.text(st.sampled_from("=+-@\t\r'\",\n ax1."), max_size=6)


def written(path, texts, numbers):
    pc.write_csv(pa.table({"=name": pa.array(texts, pa.string()), "number": numbers}), path)


def cells(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("at_once", [1, 7, 1 << 24])
@given(texts=st.lists(TEXTS, min_size=1, max_size=8))
def test_marks_are_where_they_are_needed_and_can_be_taken_away(tmp_path_factory, at_once, texts):
    path = tmp_path_factory.mktemp("marked") / "data.csv"
    written(path, texts, [-1] * len(texts))
    before = cells(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spreadsheets, "_AT_ONCE", at_once)
        runs = has_formulas(path)
        mark_formulas(path)
    after = cells(path)
    assert [
        [f"'{cell}" if cell[:1] in MARKED and cell and cell != "-1" else cell for cell in row] for row in before
    ] == after
    begins = [cell for row in before for cell in row if cell[:1] in tuple("=+@\t\r")]
    dashes = [text for text in texts if text.startswith("-") and text[1:2] not in tuple("0123456789.")]
    assert runs == bool(begins or dashes)
    source = PublishedCsv(path, is_marked=True)
    assert list(source.types()) == ["=name", "number"]
    read = [text for batch, _ in source.batches(["=name"]) for text in batch.column("=name").to_pylist()]
    assert read == texts
    assert list(path.parent.iterdir()) == [path]


def people(text):
    rows = [{"town": town, "note": text} for town in ("Ulm", "Bonn") for _ in range(3)]
    schema = shoal.Schema().with_column("town", role="quasi-identifier").with_column("note", role="insensitive")
    return pa.Table.from_pylist(rows), schema


def test_a_release_says_that_it_has_formulas_or_has_none(tmp_path):
    table, schema = people("=cmd|' /C calc'!A0")
    release = shoal.OLA(k=2).anonymize(table, schema)
    said = release.write(tmp_path / "plain", groups=True)
    assert any("spreadsheet program may run" in finding for finding in said.findings)
    assert "spreadsheet program may run" in (tmp_path / "plain" / "README.md").read_text()
    said = release.write(tmp_path / "safe", groups=True, spreadsheet_safe=True)
    assert said.spreadsheet_safe
    assert not said.findings
    assert "has one more apostrophe" in (tmp_path / "safe" / "README.md").read_text()
    for name in ("plain", "safe"):
        assert CliRunner().invoke(app, ["check", str(tmp_path / name)]).exit_code == 0
    data = io.StringIO((tmp_path / "safe" / "data.csv").read_text())
    assert {row["note"] for row in csv.DictReader(data)} == {"'=cmd|' /C calc'!A0"}


def test_a_harmless_release_says_nothing(tmp_path):
    table, schema = people("harmless - or not")
    said = shoal.OLA(k=2).anonymize(table, schema).write(tmp_path / "release")
    assert not said.findings
    assert "spreadsheet_safe" not in json.loads((tmp_path / "release" / "certificate.json").read_text())
