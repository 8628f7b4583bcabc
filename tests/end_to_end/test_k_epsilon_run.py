"""(k, ε)-anonymity from the command line: made, checked, booked or not, and refused with a sentence."""

import json

import pytest
from desk import NAMES, people

METHOD = """[method]
name = "k-epsilon"
epsilon = 2.0
perturbed = ["age"]
anonymizer = { name = "mondrian", k = 3 }
bounds = [{ column = "age", from = 20, to = 60, where = { town = "west" } }]
bounds_share = 0.1

[budget]
limit = { epsilon = 3.0 }
ledger = "books"
"""

AS_PUBLISHED = """[method]
name = "k-epsilon"
epsilon = 2.0
perturbed = ["age"]
anonymizer = { name = "ola", k = 3, suppression_limit = 0.2 }
mode = "as_published"
confidence = 0.9
class_rule = "text"
"""


@pytest.fixture
def made(desk):
    desk.write("people.csv", "\n".join([NAMES, *people(300)]))
    desk.change('[method]\nname = "optimal-lattice"\nk = 3\n', METHOD)
    return desk


@pytest.fixture
def published(made):
    made.change(METHOD, AS_PUBLISHED)
    return made


def test_a_rigorous_release_is_proved_checked_and_booked_under_its_own_relation(made):
    printed = made.done("run", "release.toml")
    assert "2 attribute-level DP on the eps-quasis (age); 3-anonymous on the k-quasis (proved)" in printed
    certificate = json.loads((made.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    roles = {column["name"]: column["role"] for column in certificate["columns"]}
    assert roles["age"] == "perturbed"
    assert certificate["method"]["parameters"]["anonymizer"]["name"] == "mondrian"
    assert "holds" in made.done("check", "release")
    booked = json.loads(made.done("ledger", "people.csv", "--store", "books", "--json"))
    assert [spent["neighbors"] for spent in booked["spent"]] == ["replace the protected attributes of one record"]
    assert booked["spent"][0]["protected"] == certificate["guarantees"][0]["protected"] == ["age"]
    again = made.shoal("run", "release.toml", "--force")
    assert again.exit_code == 1
    assert "limit is epsilon = 3" in again.stderr


def test_the_published_mode_is_not_called_private_and_costs_no_budget(published):
    printed = published.done("run", "release.toml")
    assert "for the stated attacker; not differentially private (proved)" in printed
    assert "-DP" not in (published.folder / "release" / "certificate.json").read_text(encoding="utf-8")
    assert "holds" in published.done("check", "release")
    assert not (published.folder / "books").exists()


def test_rows_come_in_no_order_of_the_original(published):
    published.change('confidence = 0.9\nclass_rule = "text"\n', "")
    published.done("run", "release.toml")
    notes = [line.rsplit(",", 1)[1] for line in
             (published.folder / "release" / "data.csv").read_text(encoding="utf-8").splitlines()[1:]]  # fmt: skip
    numbers = [int(note.strip('"').split()[1]) for note in notes]
    assert sorted(numbers) != numbers
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize(
    ("old", "new", "code", "sentence"),
    [
        ('["age"]', '["age", "town"]', 1, r"column 'town' is in perturbed, and its values are not numbers"),
        ('["age"]', '["age", "illness"]', 1, r"'illness' is in perturbed and has the role 'sensitive'"),
        ('["age"]', '["age", "name"]', 1, r"'name' is in perturbed and has the role 'identifier'"),
        ('["age"]', '["age", "age"]', 2, r"\[method\]: perturbed names 'age' twice"),
        ('["age"]', '"age"', 2, r"perturbed must be a list of texts"),
        ('["age"]', "[]", 2, r"perturbed is a list of the columns that get noise, one or more"),
        ("k = 3 }", "k = 1 }", 2, r"k of the anonymizer must be 2 or more; got 1"),
        ("k = 3 }", "k = 3, sizes = 4 }", 2, r"'sizes' is not known"),
        (
            'name = "mondrian", k = 3',
            'name = "safepub", epsilon = 1, delta = 1e-5',
            2,
            r"must be a method that promises k-anonymity",
        ),
        ("epsilon = 2.0", "epsilon = -1", 2, r"epsilon must be above 0; got -1"),
        ("bounds_share = 0.1", "confidence = 0.9", 2, r"confidence is for mode 'as_published' only"),
        ("from = 20, to = 60", "form = 20, to = 60", 2, r"bounds are tables such as .*'form' is not known there"),
        ("from = 20, to", "from = 90, to", 2, r"go from the smaller to the larger number; got 90 to 60"),
        ('town = "west"', 'town = "wset"', 1, r"where 'town' is 'wset'.* Did you mean 'west'\?"),
        ('town = "west"', 'illness = "flu"', 1, r"bounds differ by 'illness', which is not a quasi-identifier"),
        (
            'role = "quasi-identifier"\ndomain = { from = 0, to = 99 }',
            'role = "perturbed"',
            2,
            r"'perturbed' is not a role",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(made, old, new, code, sentence, matches):
    made.change('[budget]\nlimit = { epsilon = 3.0 }\nledger = "books"\n', "")
    made.change(old, new)
    found = made.shoal("run", "release.toml")
    assert found.exit_code == code, found.output
    matches(sentence, found.stderr)
    assert "Traceback" not in found.output
    assert not (made.folder / "release").exists()


def test_a_missing_value_is_refused_as_published_and_hidden_in_the_rigorous_mode(published, matches):
    published.write("people.csv", "\n".join([NAMES, *people(300), "x,,Ulm,2024-01-01,flu,n"]))
    matches(r"column 'age', record 301: the value is missing", published.refused())
    published.change("domain = { from = 0, to = 99 }", "domain = { from = 0, to = 99 }\nmissing = true")
    matches(r"'age' is in perturbed and has missing values, which no noise can hide", published.refused())
    published.change('mode = "as_published"\nconfidence = 0.9\nclass_rule = "text"\n', "")
    published.done("run", "release.toml")


def test_a_budget_has_no_meaning_as_published(published, matches):
    published.write(
        "release.toml", (published.folder / "release.toml").read_text() + "[budget]\nlimit = { epsilon = 1 }\n"
    )
    matches(r"k-epsilon is not one of them, or not in this mode", published.refused(code=2))


def test_a_release_that_protects_another_column_is_refused_before_it_costs(made):
    """Noise on age, then on another column with age among the k-quasis: nothing would bound what both give away."""
    made.change("limit = { epsilon = 3.0 }\n", "")
    made.write(
        "people.csv",
        "\n".join(
            [
                NAMES.replace("note", "income"),
                *(f"{row.rsplit(',', 1)[0]},{i % 10}" for i, row in enumerate(people(300))),
            ]
        ),
    )
    made.change(
        '[columns.note]\nrole = "insensitive"\nunlinkable = true',
        '[columns.income]\nrole = "quasi-identifier"\ndomain = { from = 0, to = 9 }',
    )
    made.done("run", "release.toml")
    made.change('perturbed = ["age"]', 'perturbed = ["income"]')
    made.change('bounds = [{ column = "age", from = 20, to = 60, where = { town = "west" } }]\n', "")
    again = made.shoal("run", "release.toml", "--force")
    assert again.exit_code == 1
    assert "it protects income and no other column, and 1 earlier release" in again.stderr
    made.change('perturbed = ["income"]', 'perturbed = ["income", "age"]')
    made.done("run", "release.toml", "--force")
    booked = json.loads(made.done("ledger", "release.toml", "--json"))
    assert [(spent["epsilon"], spent["protected"]) for spent in booked["spent"]] == [(4, ["age"])]
    assert booked["unbounded"][0]["protected"] == ["age", "income"]
