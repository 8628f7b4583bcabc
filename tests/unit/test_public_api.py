"""What a script can do with a release: write, pickle, look at it; and what it finds at the top of `shoal`."""

import pickle
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import cases
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import OutputError, ParameterError
from shoal.promises.checking import check_release
from shoal.promises.signing import new_key, public_half, public_key

SCRIPT = "<script>alert('x')</script>"
EVERY = [(name, number) for name, some in cases.CASES.items() for number in range(len(some))]


def listing(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.fixture
def release():
    return shoal.OptimalLattice(k=3).anonymize(cases.table(60), cases.schema())


# Writing


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_is_written_as_the_command_line_writes_it(tmp_path, release, form):
    certificate = release.write(tmp_path / "out", form, groups=True)
    assert set(listing(tmp_path / "out")) == {f"data.{form}", f"groups.{form}", "certificate.json", "README.md"}
    assert listing(tmp_path / "out-owner") == {"report.html": 0o600}
    assert stat.S_IMODE((tmp_path / "out-owner").stat().st_mode) == 0o700
    assert set(certificate.files) == {f"data.{form}", f"groups.{form}", "README.md"}
    assert shoal.Certificate.load(tmp_path / "out" / "certificate.json") == certificate
    assert check_release(tmp_path / "out").holds


def test_a_signed_release_is_signed(tmp_path, release):
    new_key(tmp_path / "office.key")
    release.write(str(tmp_path / "out"), sign=str(tmp_path / "office.key"))
    signature = (tmp_path / "out" / "certificate.sig").read_bytes()
    public_key(public_half(tmp_path / "office.key")).verify(
        signature, (tmp_path / "out" / "certificate.json").read_bytes()
    )


def test_nothing_is_overwritten_unless_that_is_said(tmp_path, release):
    release.write(tmp_path / "out")
    before = (tmp_path / "out" / "certificate.json").read_bytes()
    with pytest.raises(OutputError, match="exists already"):
        release.write(tmp_path / "out", "parquet")
    assert (tmp_path / "out" / "certificate.json").read_bytes() == before
    release.write(tmp_path / "out", "parquet", force=True)
    assert "data.parquet" in listing(tmp_path / "out")


def test_a_release_is_written_whole_or_not_at_all(tmp_path, release, monkeypatch):
    from shoal.pages.report import Report

    def fails(_self):
        raise RuntimeError

    with pytest.raises(ParameterError, match="format must be one of csv, parquet, xlsx, sav, dta; got 'docx'"):
        release.write(tmp_path / "out", "docx")
    with pytest.raises(ParameterError, match="cannot be read"):
        release.write(tmp_path / "out", sign=tmp_path / "no.key")
    monkeypatch.setattr(Report, "html", fails)
    with pytest.raises(RuntimeError):
        release.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_paid_release_is_not_lost_for_want_of_a_picture(tmp_path, monkeypatch):
    from shoal.pages.report import Report

    def fails(_self):
        raise RuntimeError("SECRET")

    monkeypatch.setattr(Report, "html", fails)
    release = shoal.SafePub(epsilon=2, delta="1e-3").anonymize(cases.table(), cases.schema())
    release.write(tmp_path / "out")
    page = (tmp_path / "out-owner" / "report.html").read_text()
    assert "could not be made" in page
    assert "SECRET" not in page


# Pickles


@pytest.mark.parametrize(("name", "number"), EVERY)
def test_a_release_of_every_method_pickles(name, number):
    release = cases.CASES[name][number].anonymize(cases.table())
    again = pickle.loads(pickle.dumps(release))
    assert again.certificate == release.certificate
    assert again.facts.class_sizes == release.facts.class_sizes
    assert again.data.schema == release.data.schema
    assert again.groups.equals(release.groups)
    assert again.outcome.table.total == release.outcome.table.total
    classes, back = release.outcome.classes, again.outcome.classes
    assert (classes is None) == (back is None)
    if classes is not None:
        for i in range(len(classes.table.quasi_identifiers)):
            assert (classes.nodes(i) == back.nodes(i)).all()
            rows = classes.members[::-1]
            assert (classes.row_nodes(i, rows) == back.row_nodes(i, rows)).all()


@pytest.mark.parametrize(
    "made", [lambda t: t.to_pandas(), pl.from_arrow, lambda t: t], ids=["pandas", "polars", "arrow"]
)
def test_a_pickled_release_still_gives_the_kind_of_frame_that_came_in(made, tmp_path):
    frame = made(cases.table())
    release = shoal.OptimalLattice(k=3).anonymize(frame, cases.schema())
    again = pickle.loads(pickle.dumps(release))
    assert type(again.data) is type(frame)
    assert type(again.recoding.apply(frame)) is type(frame)
    assert again.recoding.levels == release.recoding.levels
    again.write(tmp_path / "out")
    assert check_release(tmp_path / "out").holds


# Notebooks


def test_what_shows_itself_in_a_notebook_is_read_by_a_person_and_escaped():
    frame = pd.DataFrame({SCRIPT: ["a", "b"] * 4, "kind": ["x"] * 8})
    schema = (
        shoal.Schema()
        .with_column(SCRIPT, role="quasi-identifier", domain=["a", "b", SCRIPT])
        .with_column("kind", role="sensitive")
    )
    release = shoal.OptimalLattice(k=2).anonymize(frame, schema)
    from dataclasses import replace

    certificate = replace(release.certificate, findings=(SCRIPT,), method=SCRIPT, reading=SCRIPT)
    for shown in (schema._repr_html_(), release._repr_html_(), certificate._repr_html_()):
        assert "<script" not in shown
        assert shown.startswith("<div>")
    assert schema._repr_html_().count("&lt;script&gt;") == 2
    assert certificate._repr_html_().count("&lt;script&gt;") == 3
    assert "2-anonymous" in release._repr_html_()
    for word in ("quasi-identifier", "sensitive", "(declared)", "as observed in the data", "2 columns"):
        assert word in schema._repr_html_()


def test_a_schema_shows_where_its_domains_begin_and_end():
    schema = (
        shoal.Schema(person="row")
        .with_column("age", role="quasi-identifier", domain=(0, 110), hierarchy=shoal.intervals(10), missing=True)
        .with_column("town", role="quasi-identifier", hierarchy=shoal.tree({"any": ["Ulm", "Bonn"]}))
    )
    shown = schema._repr_html_()
    for words in ("0 to 110 (declared)", "Intervals", "may be", "Ulm", "each record is another person"):
        assert words in shown
    assert "0 columns" in shoal.Schema()._repr_html_()


# The top of the library


def test_types_that_users_name_are_public():
    release = shoal.OptimalLattice(k=3).anonymize(cases.table(60), cases.schema())
    assert isinstance(release, shoal.Release)
    assert isinstance(release.certificate, shoal.Certificate)
    assert isinstance(shoal.OptimalLattice(k=3), shoal.Method)
    assert isinstance(shoal.KAnonymity(3), shoal.Criterion)
    assert isinstance(shoal.Loss(), shoal.QualityModel)


def test_settings_of_one_method_live_beside_it():
    assert shoal.KEpsilon(
        epsilon=1, perturbed=("age",), bounds=(shoal.k_epsilon.ClassBounds(column="age", lower=0, upper=9),)
    )
    assert shoal.DiffGen(epsilon=1, target="grade", specializations=3, choices=shoal.diffgen.Choices.SEPARATE)
    assert shoal.MicroaggregationDP(epsilon=1, references=shoal.microaggregation.References.ONE)
    assert {"diffgen", "k_epsilon", "microaggregation"} <= set(dir(shoal))
    assert {"Choices", "ClassBounds", "References", "Several", "Utility"}.isdisjoint(shoal.__all__)
    assert shoal.ClassBounds is shoal.k_epsilon.ClassBounds  # as it was written before


def test_the_core_exports_what_the_readme_sells():
    for name in shoal.dp.__all__:
        assert getattr(shoal.dp, name).__module__.startswith("shoal.dp.")
    assert set(shoal.dp.__all__) <= set(dir(shoal.dp))
    with pytest.raises(AttributeError, match=r"module 'shoal\.dp' has no attribute 'nothing'"):
        _ = shoal.dp.nothing
    sold = "secure_coins DiscreteLaplace DiscreteGaussian PermuteAndFlip ExponentialMechanism SampleAndThreshold"
    assert {*sold.split(), "Ledger", "LedgerStore", "sequential", "parallel"} <= set(shoal.dp.__all__)


TYPED = """
    import polars as pl
    import shoal
    from typing import assert_type

    frame, schema = pl.DataFrame(), shoal.Schema()
    release = shoal.OptimalLattice(k=2).anonymize(frame, schema)
    assert_type(release, shoal.Release[pl.DataFrame])
    assert_type(release.data, pl.DataFrame)
    assert_type(release.groups, pl.DataFrame)
    assert_type(release.recoding.apply(frame), pl.DataFrame)
    assert_type(release.write("out", "parquet"), shoal.Certificate)
    ledger = shoal.Ledger.open("books", limit=shoal.PrivacyCost.of(1))
    assert_type(ledger, shoal.Ledger)
    assert_type(shoal.SafePub(epsilon=1, delta="1e-3").anonymize([1], schema, ledger=ledger).data, list[int])
    assert_type(shoal.k_epsilon.ClassBounds, type[shoal.k_epsilon.ClassBounds])
    assert_type(shoal.dp.PrivacyCost.of(1), shoal.PrivacyCost)

    def published(release: shoal.Release) -> shoal.Certificate:
        return release.certificate

    release.write("out", "docx")
    shoal.SafePub(epsilon=1, delta="1e-3").anonymize(frame, schema, ledger="books")
"""


@pytest.mark.slow
def test_a_type_checker_knows_the_frame_that_comes_out(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(TYPED))
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", program],
        capture_output=True,
        text=True,
        cwd=root,
        check=False,
    )
    lines = done.stdout.splitlines()
    wrong = [line for line in lines if "program.py" in line and "error" in line]
    assert len(wrong) == 2, done.stdout + done.stderr
    assert '"write" of "Release" has incompatible type' in wrong[0]
    assert '"ledger" to "anonymize"' in wrong[1]
