"""One record for each person: said by the owner before a budget is spent, refuted by the table where it may be seen."""

import json

import pytest
from desk import NAMES, people

SAFEPUB = """
[method]
name = "safepub"
epsilon = 2.0
delta = 1e-2
schemes = [{ age = 3, town = 1, day = 3 }]

[budget]
ledger = "books"
"""

KEPSILON = """
[method]
name = "k-epsilon"
epsilon = 1.0
perturbed = ["age"]
anonymizer = { name = "ola", k = 3 }

[budget]
ledger = "books"
"""


def assumptions(desk, where="release"):
    """All that a certificate takes for granted."""
    said = json.loads((desk.folder / where / "certificate.json").read_text(encoding="utf-8"))
    return [text for guarantee in said["guarantees"] for text in guarantee["assumptions"]]


@pytest.fixture
def private(desk):
    """A release file for SafePub, and people enough."""
    desk.write("people.csv", "\n".join([NAMES, *people(2000), ""]))
    text = (desk.folder / "release.toml").read_text(encoding="utf-8").split("[method]")[0]
    desk.write("release.toml", text.replace('role = "insensitive"\nunlinkable = true', 'role = "identifier"') + SAFEPUB)
    return desk


@pytest.fixture
def repeating(desk):
    """A table in which two identifiers repeat."""
    desk.write("people.csv", "\n".join([NAMES, *people(), *people(2), *people(1), ""]))
    return desk


def test_a_private_run_has_to_be_told_what_a_person_is_before_anything_is_read_or_charged(private):
    private.change('person = "row"\n', "")
    (private.folder / "people.csv").unlink()  # it is not looked at
    sentence = private.refused()
    assert 'write person = "row" in [data]' in sentence
    assert not (private.folder / "books").exists()


def test_the_certificate_of_a_private_run_repeats_it(private):
    private.done("run", "release.toml")
    told = assumptions(private)
    assert "one record for each person, as the owner affirms" in told
    assert "one record for each person" not in told


def test_a_private_run_does_not_look_whether_identifiers_repeat(private):
    private.write("people.csv", "\n".join([NAMES, *people(2000), *people(2), ""]))
    private.done("run", "release.toml")


def test_a_private_run_takes_no_overruling(private):
    assert "may not look" in private.refused("run", "release.toml", "--one-record-each", code=2)
    assert not (private.folder / "books").exists()


@pytest.mark.parametrize("person", ['person = "row"\n', ""])
def test_identifiers_that_repeat_are_refused_with_their_number(repeating, person):
    repeating.change('person = "row"\n', person)
    sentence = repeating.refused()
    assert "column 'name' is an identifier, and 2 of its values stand in more than one record" in sentence
    assert "--one-record-each" in sentence
    assert "person-" not in sentence


def test_one_is_said_in_the_singular(desk):
    desk.table("person-3,25,Ulm,2024-01-01,flu,one more")
    assert "1 of its values stands in more than one record" in desk.refused()


def test_the_owner_overrules_it_and_the_certificate_says_so(repeating):
    repeating.done("run", "release.toml", "--one-record-each")
    told = assumptions(repeating)
    assert "one record for each person, as the owner affirms although values repeat in name" in told


def test_missing_identifiers_do_not_repeat(desk):
    desk.change('path = "people.csv"', 'path = "people.csv"\nmissing = ["", "?"]')
    desk.table(*[f"{name},25,Ulm,2024-01-01,flu,more {i}" for i, name in enumerate(["", "", "?", "?"])])
    desk.done("run", "release.toml")


def test_nothing_said_and_nothing_refuted_is_taken_for_granted(desk):
    desk.change('person = "row"\n', "")
    desk.done("run", "release.toml")
    assert "one record for each person" in assumptions(desk)


def test_an_insensitive_column_that_points_at_persons_is_refused(desk):
    desk.change("unlinkable = true\n", "")
    sentence = desk.refused()
    assert "column 'note' is declared insensitive, and 60 of its 60 values are different" in sentence
    assert "unlinkable = true" in sentence
    assert "unlinkable = true" in desk.refused("run", "release.toml", "--one-record-each")


def test_the_owner_affirms_that_it_is_unlinkable_and_the_certificate_says_so(desk):
    desk.done("run", "release.toml")
    assert "nobody outside can know whose values they are, as the owner affirms: note" in assumptions(desk)


def test_unlinkable_is_for_insensitive_columns(desk):
    desk.change('role = "insensitive"', 'role = "identifier"')
    assert (
        "unlinkable of column 'note' has no use with the role 'identifier'" in desk.shoal("run", "release.toml").output
    )


def test_k_epsilon_is_told_and_looks_before_it_is_paid(repeating):
    text = (repeating.folder / "release.toml").read_text(encoding="utf-8").split("[method]")[0]
    repeating.write("release.toml", text + KEPSILON)
    assert "2 of its values stand in more than one record" in repeating.refused()
    assert not (repeating.folder / "books").exists()
    repeating.done("run", "release.toml", "--one-record-each")
    assert "as the owner affirms although values repeat in name" in " ".join(assumptions(repeating))
    repeating.change('person = "row"\n', "")
    assert 'write person = "row"' in repeating.refused("run", "release.toml", "-o", "other")


@pytest.mark.parametrize("said", ['"age"', "5", '""', "true"])
def test_a_person_that_is_no_column_of_persons_is_refused(desk, said):
    desk.change('person = "row"', f"person = {said}")
    assert "[data]" in desk.refused(code=2)


def test_a_person_that_is_no_column_is_refused(desk):
    desk.change('person = "row"', 'person = "Row"')
    assert "column 'Row' is declared and not in the data" in desk.refused()


def test_a_column_called_row_is_refused_beside_it(desk):
    desk.change("[columns.note]", "[columns.row]")
    assert "give the column another name" in desk.refused(code=2)


def test_a_comparison_supposes_it(repeating):
    repeating.change('person = "row"\n', "")
    told = repeating.done("compare", "release.toml", "--methods", "optimal-lattice,mondrian", "--jobs", "1")
    assert "could not be made" not in told


def test_init_proposes_it_where_no_identifier_repeats(desk):
    desk.done("init", "people.csv", "-o", "made.toml")
    assert '\nperson = "row"  # ' in (desk.folder / "made.toml").read_text(encoding="utf-8")


def test_init_warns_where_one_does(repeating):
    told = repeating.done("init", "people.csv", "-o", "made.toml")
    assert "Take care: 2 values of name stand in several records." in " ".join(told.split())
    text = (repeating.folder / "made.toml").read_text(encoding="utf-8")
    assert '\n# person = "name"  # if it tells persons apart, remove the #: 2 values of name stand in several' in text
    repeating.refused("run", "made.toml")


def test_init_leaves_it_to_the_owner_where_nothing_speaks_for_it(desk):
    desk.write("ages.csv", "age,town\n" + "31,Ulm\n" * 30)
    desk.done("init", "ages.csv", "-o", "made.toml")
    assert '\n# person = "row"  # ' in (desk.folder / "made.toml").read_text(encoding="utf-8")
    desk.write("rows.csv", "id,row\n" + "".join(f"{i},x\n" for i in range(30)))
    desk.done("init", "rows.csv", "-o", "rows.toml")
    assert '\n# person = "row"  # ' in (desk.folder / "rows.toml").read_text(encoding="utf-8")


def test_a_column_that_names_nobody_is_dropped_and_may_repeat(repeating):
    repeating.change('[columns.name]\nrole = "identifier"', '[columns.name]\nrole = "dropped"')
    repeating.done("run", "release.toml")
    published = (repeating.folder / "release" / "data.csv").read_text(encoding="utf-8")
    assert "person-" not in published
    certificate = json.loads((repeating.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    assert "name" not in [column["name"] for column in certificate["columns"]]
