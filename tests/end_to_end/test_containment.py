"""To everybody but the owner, a paid run that fails is one that found nothing to publish."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from desk import NAMES, people

import shoal.pipeline as pipeline
import shoal.release as release
from shoal.engines.codes import encoding
from shoal.methods.diffgen import method as diffgen
from shoal.methods.k_epsilon import method as k_epsilon
from shoal.methods.marginals import fitting as marginals
from shoal.methods.microaggregation import method as microaggregation
from shoal.methods.perturbation import pram
from shoal.methods.safepub import method as safepub
from shoal.plan.plan import Plan
from shoal.running.dry_run import warned

METHODS = {
    "safepub": 'name = "safepub"\nepsilon = 2.0\ndelta = 1e-3\n',
    "diffgen": 'name = "diffgen"\nepsilon = 2.0\ntarget = "town"\nthreshold = 100000\n',
    "marginals": 'name = "marginals"\nepsilon = 2.0\ntarget = "town"\n',
    "k-epsilon": 'name = "k-epsilon"\nepsilon = 12.0\nperturbed = ["age"]\nanonymizer = { name = "ola", k = 2 }\n',
    "microaggregation-dp": 'name = "microaggregation-dp"\nepsilon = 2.0\nk = 5\n',
    "pram": 'name = "pram"\nepsilon = 2.0\nperturbed = ["age"]\nanonymizer = { name = "ola", k = 2 }\n',
}
BOOKS = '\n[budget]\nledger = "books"\n\n[output]\nformat = "csv"\n'
SECRET = "the value of a record"


class Broken(Exception):  # noqa: N818  anything that nobody foresaw
    """Says what must not be seen."""


def breaks(kind=Broken):
    """What fails, whatever it is given, and quotes a record."""

    def fail(*_, **__):
        raise kind(SECRET)

    return fail


def breaks_once(kind, otherwise):
    """What fails when it is first called."""
    calls = []

    def fail(*given, **named):
        calls.append(given)
        return otherwise(*given, **named) if len(calls) > 1 else breaks(kind)()

    return fail


RUNS = {
    "safepub": (safepub.SafePub, "_choose"),
    "diffgen": (diffgen.DiffGen, "_release"),
    "marginals": (marginals, "raked"),
    "k-epsilon": (k_epsilon, "columns_with_bounds"),
    "microaggregation-dp": (microaggregation, "insensitive_clusters"),
    "pram": (pram.PRAM, "_changed"),
}


@pytest.fixture(params=METHODS)
def method(request, desk):
    """A release file for each private method."""
    desk.write("people.csv", "\n".join([NAMES, *people(60)]))
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    desk.change('[method]\nname = "optimal-lattice"\nk = 3\n', f"[method]\n{METHODS[request.param]}{BOOKS}")
    return request.param


def told_beforehand(desk):
    """What is said of a release file before a record is read."""
    return "".join(f"{line}\n" for line in warned(Plan.load(desk.folder / "release.toml"), None))


def outside(desk, *arguments):
    """Everything that somebody else may see of a run."""
    done = desk.shoal("run", "release.toml", "--force", *arguments)
    files = {path.name: path.read_bytes() for path in sorted((desk.folder / "release").iterdir())}
    return done.exit_code, done.stdout, done.stderr, files


def test_wherever_a_paid_run_fails_it_publishes_nothing_and_the_owner_alone_is_told(desk, monkeypatch, method):
    seen = []
    for place, kind in (
        (RUNS[method], Broken),
        ((encoding, "distinct_codes"), MemoryError),
        ((pipeline, "verified"), IndexError),
        ((release, "owner_facts"), RecursionError),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(*place, breaks_once(kind, getattr(*place)))
            seen.append(outside(desk))
        report = (desk.folder / "release-owner" / "report.html").read_text()
        assert f"published no records; its budget is spent. What went wrong: {kind.__name__}" in report
        assert SECRET not in report
    code, printed, errors, files = seen[0]
    assert (code, errors) == (0, told_beforehand(desk))
    assert "There was nothing to publish." in printed
    assert SECRET not in printed
    assert json.loads(files["certificate.json"])["records"] == 0
    assert all(other == seen[0] for other in seen)
    spent = json.loads(desk.done("ledger", "people.csv", "--store", "books", "--json"))["spent"]
    assert [row["epsilon"] for row in spent] == [48.0 if method == "k-epsilon" else 8.0]  # every run is paid for
    desk.done("check", "release")


@pytest.mark.parametrize("method", ["safepub", "diffgen"], indirect=True)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_run_that_finds_nothing_looks_the_same(desk, monkeypatch, method, form):
    desk.change('format = "csv"', f'format = "{form}"\ngroups = true')
    desk.write("people.csv", f"{NAMES}\n")
    found_nothing = outside(desk)
    assert "This run failed" not in (desk.folder / "release-owner" / "report.html").read_text()
    monkeypatch.setattr(*RUNS[method], breaks())
    assert outside(desk) == found_nothing
    assert found_nothing[0] == 0


@pytest.mark.parametrize("method", ["safepub", "diffgen", "microaggregation-dp"], indirect=True)
@pytest.mark.usefixtures("method")
def test_a_file_that_is_no_table_is_refused_before_anything_is_spent(desk):
    desk.write("people.csv", "")
    desk.refused("run", "release.toml")


@pytest.mark.parametrize("place", ["write_data", "report"])
@pytest.mark.usefixtures("method")
def test_what_fails_while_it_is_written_is_contained_too(desk, monkeypatch, place):
    from shoal.engines.writing.publishing import Publication
    from shoal.pages.report.page import Report

    if place == "report":
        monkeypatch.setattr(Report, "html", breaks())
    else:
        rows = Publication._rows
        monkeypatch.setattr(
            Publication, "_rows", lambda self, at, aside: rows(self, at, aside) if not len(at) else breaks()()
        )
    code, printed, errors, files = outside(desk)
    assert (code, errors) == (0, told_beforehand(desk))
    report = (desk.folder / "release-owner" / "report.html").read_text()
    assert "Broken in test_containment.py" in report or json.loads(files["certificate.json"])["records"] == 0
    assert SECRET not in printed + report
    if place == "report":
        assert "The report could not be made: Broken in test_containment.py" in report
        assert sorted(files) == ["README.md", "certificate.json", "data.csv"]


def test_ctrl_c_is_an_interruption_and_not_a_failure(desk, monkeypatch, method):
    monkeypatch.setattr(*RUNS[method], breaks(KeyboardInterrupt))
    done = desk.shoal("run", "release.toml")
    assert (done.exit_code, done.stderr) == (
        130,
        f"{told_beforehand(desk)}error: stopped; nothing was written.\n",
    )
    assert not (desk.folder / "release").exists()


@pytest.mark.usefixtures("method")
def test_a_paid_run_prints_nothing_about_the_original(desk):
    done = desk.done("run", "release.toml")
    assert "For the owner only" not in done
    assert "left out" not in done.split("What became of the columns:")[1]


def test_a_method_that_nobody_pays_for_says_what_went_wrong(desk, monkeypatch):
    monkeypatch.setattr(encoding, "distinct_codes", breaks())
    done = desk.shoal("run", "release.toml")
    assert done.exit_code == 1
    assert "Broken in test_containment.py" in done.stderr
    assert SECRET not in done.output


def test_a_release_of_no_records_is_a_table_of_the_same_columns(desk, method):
    desk.change('format = "csv"', 'format = "parquet"')
    desk.done("run", "release.toml", "--force")
    there = pq.read_schema(desk.folder / "release" / "data.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*RUNS[method], breaks())
        desk.done("run", "release.toml", "--force")
    empty = pq.read_table(desk.folder / "release" / "data.parquet")
    assert empty.num_rows == 0
    assert empty.schema.names == there.names
    assert not any(pa.types.is_null(field.type) for field in empty.schema)
