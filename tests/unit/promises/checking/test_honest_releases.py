"""Whatever Shoal publishes passes its own check: every kind of value, missing ones, blanks beside them, one column."""

import datetime as dt
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import cases
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from release_folders import told_again, with_certificate, write_release

import shoal
from shoal.criteria import Distance
from shoal.errors import DataError, InfeasibleError, SchemaError
from shoal.pipeline import publish
from shoal.plan.plan import Plan
from shoal.promises.checking import check_release

NAMES = ["a", "A", "a ", "\u00e9", "e\u0301", "1", "1.0", "01", "missing", "(blank)", "nan", "x,y", 'q"', "l\nm", "\0"]
KINDS = {
    pa.string(): st.sampled_from(NAMES),
    pa.large_string(): st.sampled_from(NAMES),
    pa.int64(): st.integers(-5, 5),
    pa.uint8(): st.integers(0, 9),
    pa.float64(): st.sampled_from([0.0, -0.0, 0.5, -1.25, 3.0]),
    pa.float32(): st.sampled_from([0.0, -0.0, 0.1, -1.5, 3.0]),
    pa.decimal128(9, 3): st.sampled_from([Decimal("1.500"), Decimal("1.250"), Decimal(0), Decimal(-2)]),
    pa.bool_(): st.booleans(),
    pa.date32(): st.integers(19_000, 19_005).map(lambda day: dt.date(1970, 1, 1) + dt.timedelta(day)),
    pa.timestamp("us"): st.integers(0, 40).map(lambda hours: hours * 3_600_000_000 * 3),
    pa.timestamp("ns", "Europe/Berlin"): st.integers(0, 40).map(lambda hours: hours * 3_600_000_000_000 * 3),
    pa.time64("us"): st.sampled_from([dt.time(1), dt.time(2, 30), dt.time(23, 59, 59, 1)]),
}
METHODS = (
    shoal.OLA(k=2, suppression_limit=1.0),
    shoal.OptimalLattice(k=2, diversity=1.0, closeness=1.0, suppression_limit=1.0),
    shoal.OptimalLattice(k=1, criteria=(shoal.Closeness(1.0, "s", Distance.HIERARCHICAL),), suppression_limit=1.0),
    shoal.Mondrian(k=2),
    shoal.Mondrian(k=2, split="relaxed", publish="nodes"),
    shoal.LocalRecoding(k=2),
    shoal.MDAV(k=2),
    shoal.Sequential(k=2),
    shoal.PAIS(length=1, k=2, utility="discernibility"),
    shoal.NSVDist(k=2, diversity=1.0),
)


@st.composite
def tables(draw):
    """A table of one to three columns and what is said about them; values, and records, are often alike."""
    rows = draw(st.integers(2, 14))
    names = draw(st.sampled_from([("q",), ("q", "s"), ("q", "r", "s"), ("q", "s", "note")]))
    schema, columns = shoal.Schema(), {}
    for name in names:
        kind = draw(st.sampled_from(list(KINDS)))
        values = draw(st.lists(st.none() | KINDS[kind], min_size=rows, max_size=rows))
        columns[name] = pa.array(values, kind)
        role = {"s": "sensitive", "note": "insensitive"}.get(name, "quasi-identifier")
        schema = schema.with_column(name, role=role)
    return pa.table(columns), schema


@settings(max_examples=60, deadline=None)
@given(made=tables(), method=st.sampled_from(METHODS), form=st.sampled_from(["csv", "parquet"]))
def test_whatever_is_published_passes(made, method, form):
    table, schema = made
    try:
        release = method.anonymize(table, schema)
    except (InfeasibleError, SchemaError, DataError):  # nothing is published
        return
    with tempfile.TemporaryDirectory() as folder:
        write_release(release, Path(folder), form, groups=True)
        checked = check_release(Path(folder))
        assert checked.holds
        assert [verdict.reached for verdict in checked.verdicts] == pytest.approx(
            [said["reached"] for said in release.certificate.criteria]
        )


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("column", [["x", None, "x", None], [None] * 4, ["x"] * 4], ids=str)
def test_one_column_with_missing_values_passes(column, form, tmp_path):
    table = pa.table({"a": pa.array(column, pa.string())})
    schema = shoal.Schema().with_column("a", role="quasi-identifier")
    write_release(shoal.OLA(k=2).anonymize(table, schema), tmp_path, form, groups=True)
    checked = check_release(tmp_path)
    assert checked.holds
    assert checked.certificate.records == 4


BESIDE = """
[data]
path = "people.csv"
missing = ["?"]
[columns.town]
role = "quasi-identifier"
[columns.grade]
role = "sensitive"
domain = { values = ["mild", "", "(blank)"], ordered = true }
missing = true
[method]
name = "optimal-lattice"
k = 2
suppression_limit = 1.0
criteria = [{ name = "closeness", closeness = 1.0, column = "grade", distance = "DISTANCE" }]
"""


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_blank_beside_a_missing_value_passes_and_is_told_apart(form, distance, tmp_path):
    rows = ["Ulm,mild", "Ulm,", "Ulm,?", "Ulm,mild", "?,", "?,mild", "?,mild", "?,?", ",mild", ",", ",?"]
    (tmp_path / "people.csv").write_text("town,grade\n" + "\n".join(rows) + "\n")
    (tmp_path / "release.toml").write_text(BESIDE.replace("DISTANCE", distance))
    folder = tmp_path / "release"
    folder.mkdir()
    write_release(publish(Plan.load(tmp_path / "release.toml")), folder, form, groups=True)
    checked = check_release(folder)
    assert checked.holds
    assert checked.verdicts[0].reached == 3  # of four classes: Ulm, no town, and a town without a name


def test_a_release_of_no_records_passes(tmp_path):
    """Such as a private run publishes that finds nothing: the columns, and no record."""
    table = pa.table({"a": ["x"] * 4, "b": ["y"] * 4})
    schema = shoal.Schema().with_column("a", role="quasi-identifier").with_column("b", role="quasi-identifier")
    write_release(shoal.OLA(k=2).anonymize(table, schema), tmp_path, "csv", groups=True)
    (tmp_path / "data.csv").write_text('"a","b"\n')
    (tmp_path / "groups.csv").write_text('"a","b","count"\n')
    with_certificate(tmp_path, lambda said: (said.update(records=0), said["criteria"][0].update(reached=0.0)))
    told_again(tmp_path)
    checked = check_release(tmp_path)
    assert checked.holds
    assert checked.certificate.records == 0


def test_a_promise_of_two_may_be_worded_as_it_once_was(tmp_path):
    table = pa.table({"a": ["x"] * 4, "b": ["y"] * 4})
    schema = shoal.Schema().with_column("a", role="quasi-identifier").with_column("b", role="quasi-identifier")
    write_release(shoal.OLA(k=2).anonymize(table, schema), tmp_path, "csv", groups=True)
    once = "2-anonymous: every record shares its quasi-identifiers with at least 1 others"
    assert check_release(tmp_path).certificate.guarantees[0].statement == once[:-1]
    with_certificate(tmp_path, lambda said: said["guarantees"][0].update(statement=once))
    told_again(tmp_path)
    assert check_release(tmp_path).holds


@dataclass(frozen=True)
class Brought:
    """A quality model that Shoal does not know; it does what the loss metric does."""

    target: str = "nothing"

    def on(self, table, smallest_class=1):
        return shoal.Loss().on(table, smallest_class)

    def change(self, k, attributes):
        return shoal.Loss().change(k, attributes)


@pytest.mark.parametrize(
    "method",
    [
        shoal.OptimalLattice(k=5, quality=Brought(), suppression_limit=0.1),
        shoal.SafePub(epsilon=2.0, delta=1e-3, quality=Brought()),
    ],
    ids=["optimal-lattice", "safepub"],
)
def test_a_release_for_a_quality_model_that_somebody_brought_along_passes(method, tmp_path):
    write_release(method.anonymize(cases.table(), cases.schema()), tmp_path, "csv")
    checked = check_release(tmp_path)
    assert checked.holds
    assert checked.notes[0].startswith("the quality model 'Brought' is none of Shoal's")
    with_certificate(tmp_path, lambda said: said["method"]["parameters"].update(k=77))
    with pytest.raises(DataError, match="contradicts itself"):
        check_release(tmp_path)
