"""Microaggregation through the command line: MDAV, and the private method with its budget under its own relation."""

import json

import pytest
from desk import NAMES, SECRET, people

METHOD = '[method]\nname = "optimal-lattice"\nk = 3\n'
PRIVATE = """[method]
name = "microaggregation-dp"
epsilon = 1.0
k = 20
weights = { age = 2.0 }

[budget]
limit = { epsilon = 1.5 }
ledger = "books"
"""


@pytest.fixture
def private(desk):
    desk.write("people.csv", "\n".join([NAMES, *people(300), f"{SECRET},500,{SECRET},{SECRET},{SECRET},{SECRET}"]))
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    desk.change(METHOD, PRIVATE)
    return desk


def test_mdav_publishes_all_records_and_is_checked(desk):
    desk.change(METHOD, '[method]\nname = "mdav"\nk = 4\n')
    printed = desk.done("run", "release.toml")
    assert "4-anonymous" in printed
    assert "information loss" in printed
    assert "holds" in desk.done("check", "release")
    lines = (desk.folder / "release" / "data.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 61
    assert any("." in line.split(",")[0] for line in lines[1:])  # means


def test_a_private_release_is_proved_checked_and_booked_under_its_relation(private):
    printed = private.done("run", "release.toml")
    assert "1-DP (proved)" in printed
    certificate = json.loads((private.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["guarantees"][0]["neighbors"] == "replace one record, the number of records is public"
    assert certificate["records"] == 301
    assert SECRET not in (private.folder / "release" / "data.csv").read_text(encoding="utf-8")
    assert "holds" in private.done("check", "release")
    booked = json.loads(private.done("ledger", "people.csv", "--store", "books", "--json"))
    assert booked["spent"] == [
        {"epsilon": 1.0, "delta": 0.0, "neighbors": "replace one record, the number of records is public"}
    ]
    assert private.shoal("run", "release.toml", "--force").exit_code == 1  # another 1 of 1.5


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ('k = "large"', "k must be"),
        ("k = 0", "k must be a whole number"),
        ("k = 5000", "k = 5,000 is more than the table has records"),
        ('references = "edges"', "references must be one or corners or complements"),
        ('mode = "as_published"', "columns = 4"),
        ("weights = { height = 1.0 }", "'height', which is not published"),
        ("delta = 2", "delta must be"),
    ],
)
def test_bad_parameters_get_one_sentence(private, matches, said, sentence):
    private.change("k = 20\nweights = { age = 2.0 }\n", f"{said}\n")
    result = private.shoal("run", "release.toml")
    assert result.exit_code in (1, 2)
    matches(sentence, result.stderr)
    assert not (private.folder / "release").exists()


def test_bounds_that_are_not_declared_are_refused(private, matches):
    private.change("domain = { from = 0, to = 99 }\nhierarchy = { intervals = [5, 10, 20] }\n", "")
    matches("'age' is not declared", private.refused())
