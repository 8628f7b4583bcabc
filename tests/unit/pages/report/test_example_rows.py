"""Ten records before and after: each above what became of it, or ten of each that do not belong together."""

import re
from pathlib import Path

import cases
import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.cli.run import summary
from shoal.data.counts import Counts
from shoal.dp.coins.coins import secure_coins
from shoal.pages.report.examples import examples, spread_out


def rows_of(release):
    """The lines of the table, as lists of cells."""
    body = examples(release).body
    lines = re.findall(r"<tr.*?</tr>", body[body.index("<tbody>") :])
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in lines]


@pytest.mark.parametrize("method", [shoal.OptimalLattice(k=5, suppression_limit=0.1), shoal.Mondrian(k=5)])
def test_each_record_stands_above_what_became_of_it(method):
    table = pa.table({"age": [i % 50 for i in range(400)] + [99], "ill": ["flu", "cold"] * 200 + ["gout"]})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99))
    lines = rows_of(method.anonymize(table, schema.with_column("ill", role="sensitive")))
    assert [line[0] for line in lines[::2]] == ["original"] * 10
    originals = set(zip(*(map(str, table[name].to_pylist()) for name in table.column_names), strict=True))
    for before, after in zip(lines[::2], lines[1::2], strict=True):
        assert tuple(before[1:]) in originals
        if after[0] == "published":
            low, _, high = after[1].partition("-")
            assert int(low) <= int(before[1]) <= int(high or low)
            assert after[2] == before[2]
    left_out = [line for line in lines if line[0] == "left out"]
    assert len(left_out) == (1 if isinstance(method, shoal.OptimalLattice) else 0)


@pytest.mark.parametrize(
    "method", [shoal.DiffGen(epsilon=5.0, target="grade"), shoal.SafePub(epsilon=2.0, delta=1e-3)], ids=lambda m: m.name
)
def test_rows_of_a_private_release_are_not_put_beside_each_other(method):
    release = method.anonymize(cases.table(), cases.schema(), coins=secure_coins())
    assert "They do not belong together" in examples(release).body
    marks = [line[0] for line in rows_of(release)]
    assert marks == sorted(marks)
    assert marks.count("original") == 10
    html = release.report().html()
    drawn = html[html.index('<section id="each-column-before-and-after">') :]
    assert drawn[: drawn.index("</section>")].count(">missing<") <= 1  # some towns are; nothing else is


def test_columns_that_are_left_out_are_not_shown_and_an_empty_table_has_no_rows():
    table = pa.table({"name": ["SECRET1", "SECRET2", "SECRET3", "SECRET4"], "age": [20, 20, 30, 30]})
    schema = shoal.Schema(person="row").with_column("name", role="identifier")
    schema = schema.with_column("age", role="quasi-identifier", domain=(0, 99))
    release = shoal.OptimalLattice(k=2).anonymize(table, schema)
    assert "SECRET" not in release.report().html()
    assert "Not shown here: name." in examples(release).body
    assert "Ten records" not in release.report(examples=False).html()


def test_numbers_that_were_coded_are_said_to_be():
    table = pa.table({"age": [20, 20, 30, 95], "stay": [1, 2, 40, 3]})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99))
    schema = schema.with_column("stay", role="sensitive", domain=(0, 99), top=30)
    release = shoal.OptimalLattice(k=2).anonymize(table, schema)
    assert "<td>nothing above 30</td>" in release.report().html()
    assert "  stay: nothing above 30\n" in summary(release, Path("release"))  # what `shoal run` prints
    assert "cut off at the ends or rounded" in examples(release).body


def test_records_are_spread_over_the_table_by_how_often_they_occur():
    counts = Counts(("x",), (np.arange(4),), (4,), np.array([96, 1, 1, 2]))
    assert spread_out(counts, 10).tolist() == [0]
    assert spread_out(Counts.of(("x",), [np.arange(1000)], (1000,)), 10).tolist() == list(range(50, 1000, 100))
    assert spread_out(Counts.empty(("x",), (4,)), 10).tolist() == []
