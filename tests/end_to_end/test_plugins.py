"""A package from outside adds a method, a quality model, a criterion and a recipe, and nothing of Shoal is changed."""

import importlib
import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.methods import Method
from shoal.plan.method import METHODS
from shoal.promises.certificate import Certificate

PLUGIN = Path(__file__).resolve().parents[1] / "plugin"
USUAL = '[method]\nname = "optimal-lattice"\nk = 3\n'
KEEP = '[method]\nname = "keep-frequent"\nk = 3\nlevel = 9\n'
COUNT = '[method]\nname = "noisy-count"\nepsilon = 1\n\n[budget]\nledger = "books"\n'


def forget():
    for name in [name for name in sys.modules if name.startswith(("shoal_toys", "broken_toys"))]:
        del sys.modules[name]


@pytest.fixture
def toys(monkeypatch):
    """The package, installed for one test."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    yield lambda name: importlib.import_module(f"shoal_toys.{name}")
    forget()


@pytest.fixture
def uninstall(monkeypatch):
    """Take the package away again."""

    def uninstall():
        monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(PLUGIN)])
        forget()

    return uninstall


def certificate(desk):
    return Certificate.load(desk.folder / "release" / "certificate.json")


def in_one_line(text):
    return " ".join(text.split())


@pytest.mark.usefixtures("toys")
def test_a_method_runs_from_a_release_file_and_is_derived_again_by_check(desk, uninstall):
    desk.change(USUAL, KEEP)
    desk.done("run", "release.toml")
    made = certificate(desk)
    assert (made.method, made.parameters) == ("keep-frequent", {"k": 3, "level": 9})
    assert [said.statement.split(":")[0] for said in made.guarantees] == ["3-anonymous"]
    assert "does not know" not in desk.done("check", "release")
    uninstall()
    assert "does not know the method 'keep-frequent'" in in_one_line(desk.done("check", "release"))
    assert "'keep-frequent' is not a method; expected one of optimal-lattice," in desk.refused(code=2)


@pytest.mark.usefixtures("toys")
def test_a_private_method_is_paid_for_and_certified(desk, uninstall):
    desk.change('[columns.note]\nrole = "insensitive"\nunlinkable = true\n', '[columns.note]\nrole = "dropped"\n')
    desk.change(USUAL, COUNT)
    desk.done("run", "release.toml")
    assert certificate(desk).guarantees[0].statement == "(1)-DP"
    booked = json.loads(desk.done("ledger", "people.csv", "--store", "books", "--json"))
    assert [spent["epsilon"] for spent in booked["spent"]] == [1]
    assert {column["role"] for column in certificate(desk).columns} == {"quasi-identifier"}
    desk.done("check", "release")
    uninstall()
    assert "does not know the method 'noisy-count'" in in_one_line(desk.done("check", "release"))


@pytest.mark.usefixtures("toys")
def test_a_quality_model_decides_and_stands_in_the_certificate(desk, uninstall):
    desk.change(USUAL, USUAL + 'quality = "squares"\npower = 3\n')
    desk.done("run", "release.toml")
    parameters = certificate(desk).parameters
    assert (parameters["quality"], parameters["power"]) == ("squares", 3)
    assert "none of Shoal's" not in desk.done("check", "release")
    assert "squares" in (desk.folder / "release-owner" / "report.html").read_text()
    uninstall()
    assert "the quality model 'squares' is none of Shoal's" in in_one_line(desk.done("check", "release"))


@pytest.mark.usefixtures("toys")
def test_a_criterion_is_met_and_verified_again(desk, uninstall):
    desk.change(USUAL, KEEP + 'criteria = [{ name = "at-most", records = 60 }]\n')
    desk.done("run", "release.toml")
    assert {"name": "at-most", "records": 60, "reached": 60.0} in certificate(desk).criteria
    assert "no more than 60 records" in in_one_line(desk.done("check", "release"))
    uninstall()
    assert "promises 'at-most', which is no criterion that is known here" in desk.refused("check", "release")


@pytest.mark.usefixtures("toys")
def test_a_recipe_makes_the_hierarchy_of_a_column(desk):
    desk.change("{ intervals = [5, 10, 20] }", "{ halves = { after = 30 } }")
    desk.change(USUAL, KEEP.replace("9", "1"))
    desk.done("run", "release.toml")
    rows = (desk.folder / "release" / "data.csv").read_text().splitlines()
    assert {row.split(",")[0] for row in rows[1:]} == {'"low"', '"high"'}


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("{ halves = true }", "halves needs after"),
        ("{ halves = { before = 1 } }", "'before' is not a parameter of halves; it has after"),
        ("{ halves = { after = 'x' } }", "after must be a whole number"),
        ("{ halves = 3 }", "halves is a table of its parameters"),
        ("{ halves = { after = 3 }, origin = 1 }", "'origin' is not known here"),
    ],
)
def test_parameters_of_a_recipe_are_read_as_those_of_shoal(desk, said, sentence):
    desk.change("{ intervals = [5, 10, 20] }", said)
    assert sentence in desk.refused(code=2)


def test_all_work_from_python_without_any_entry_point(monkeypatch):
    monkeypatch.syspath_prepend(str(PLUGIN))
    of = {name: importlib.import_module(f"shoal_toys.{name}") for name in ("method", "criterion", "recipe")}
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(PLUGIN)])
    assert "keep-frequent" not in METHODS
    halves, at_most = of["recipe"].Halves(30), of["criterion"].AtMost(40)
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 59), hierarchy=halves)
    method = of["method"].KeepFrequent(k=2, level=1, criteria=(at_most,))
    assert isinstance(method, Method)
    release = method.anonymize(pa.table({"age": [1, 2, 3, 40, 50, 33]}), schema)
    assert sorted(set(release.data["age"].to_pylist())) == ["high", "low"]
    assert release.certificate.criteria[1]["name"] == "at-most"
    nested = shoal.KEpsilon(epsilon=1, perturbed=("age",), anonymizer=method)
    assert nested.k == 2
    forget()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package that says these entry points and holds this code."""

    def package(code, *entries, name="broken_toys"):
        place = tmp_path / name
        place.mkdir()
        (place / f"{name}.py").write_text(code)
        described = place / f"{name}-1.dist-info"
        described.mkdir()
        (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (described / "entry_points.txt").write_text("[shoal.methods]\n" + "\n".join(entries) + "\n")
        monkeypatch.syspath_prepend(str(place))

    yield package
    forget()


@pytest.mark.parametrize(
    ("code", "entry", "sentence"),
    [
        ("import nowhere_to_be_found", "toy = broken_toys:Toy", "cannot be loaded (ModuleNotFoundError"),
        ("1 / 0", "toy = broken_toys:Toy", "cannot be loaded (ZeroDivisionError"),
        ("", "toy = broken_toys:Toy", "cannot be loaded (AttributeError"),
        ("Toy = 3", "toy = broken_toys:Toy", "is not a dataclass"),
        ("class Toy: name = 'toy'", "toy = broken_toys:Toy", "is not a dataclass"),
        (
            "from dataclasses import dataclass\n@dataclass\nclass Toy: name = 'other'",
            "toy = broken_toys:Toy",
            "calls itself 'other'",
        ),
        (
            "from dataclasses import dataclass\n@dataclass\nclass Toy: name = 'toy'",
            "toy = broken_toys:Toy",
            "is not a method: it has no clamps, cost, counted",
        ),
    ],
)
def test_what_cannot_be_loaded_is_told_in_a_sentence_when_it_is_asked_for_and_is_else_in_nobodys_way(
    desk, package, code, entry, sentence
):
    package(code, entry)
    desk.done("run", "release.toml")
    desk.change(USUAL, '[method]\nname = "toy"\n')
    said = desk.refused("run", "release.toml", "--force", code=2)
    assert "the method 'toy' of the package broken_toys" in said
    assert sentence in said


@pytest.mark.usefixtures("toys")
def test_two_of_one_name_are_refused(desk, package):
    package("", "ola = broken_toys:Toy", "keep-frequent = broken_toys:Toy")
    with pytest.raises(ParameterError, match="a method called 'ola': Shoal, broken_toys; uninstall all but one"):
        METHODS["ola"]
    desk.change(USUAL, KEEP)
    assert "several packages have a method called 'keep-frequent'" in desk.refused(code=2)
