"""Pseudonyms through the command line: published, checked, attacked, and refused in one sentence."""

import json
from collections import Counter

import pytest
from desk import ages_and_illnesses

TOML = ages_and_illnesses('path = "visits.csv"\nperson = "pid"\npseudonym = true', "k = 3\n\n[output]\ngroups = true")


@pytest.fixture
def visits(desk):
    """60 visits of 30 persons, two each, and one person with three."""
    rows = [f"p{i // 2},{20 + 5 * (i // 2 % 5) + i % 3},{('flu', 'cold')[i % 2]}" for i in range(60)]
    desk.write("release.toml", TOML)
    desk.write("visits.csv", "\n".join(["pid,age,illness", *rows, *["p99,50,flu"] * 3, ""]))
    return desk


def test_rows_of_one_person_carry_one_number_and_a_check_counts_their_sequences(visits):
    visits.done("run", "release.toml")
    header, *rows = (visits.folder / "release" / "data.csv").read_text(encoding="utf-8").splitlines()
    assert header == '"age","illness","pseudonym"'
    assert Counter(row.rsplit(",", 1)[1] for row in rows) == {str(number): 2 for number in range(1, 31)}
    said = json.loads((visits.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    assert said["guarantees"][0]["statement"].startswith("3-anonymous in persons, known by all their records")
    assert said["columns"][-1] == {"name": "pseudonym", "role": "pseudonym"}
    assert "holds 3-anonymous in persons, known by all their records" in " ".join(
        visits.done("check", "release").split()
    )
    told = " ".join(visits.done("attack", "release.toml").split())
    assert "Not tried: linkage of persons. Pseudonyms say which records belong together" in told


@pytest.mark.parametrize("method", ["mondrian", "local-recoding", "mdav"])
def test_a_method_that_counts_single_records_refuses_before_reading(visits, method):
    visits.change('name = "optimal-lattice"', f'name = "{method}"')
    visits.change("suppression_limit = 0.1\n", "")
    (visits.folder / "visits.csv").unlink()
    assert "classes are of whole sequences; optimal-lattice and ola can" in " ".join(visits.refused().split())


def test_the_screen_and_a_check_call_every_published_column_what_it_is(desk):
    keyed = '[columns.pid]\nrole = "identifier"\npseudonym = true\n[columns.note]\nrole = "insensitive"\n'
    desk.write("release.toml", ages_and_illnesses('path = "people.csv"', "k = 3", keyed))
    rows = [f"p{i},{20 + i % 9},{'flu' if i % 9 else 'cold'},n{i % 4}" for i in range(60)]
    desk.write("people.csv", "\n".join(["pid,age,illness,note", *rows, ""]))
    shown = desk.done("run", "release.toml")
    assert (
        "\n  - Published as they are, because the owner declared them harmless: note.\n" in shown
    )  # after the worst risk
    assert "\n  pid: pseudonyms made with a secret key\n  note: published as it is\n" in shown
    told = desk.done("check", "release")
    assert "  pseudonyms of identifiers: pid\n  insensitive, not looked at: note\n" in told
    said = json.loads(desk.done("check", "release", "--json"))
    assert (said["keyed"], said["insensitive"]) == (["pid"], ["note"])
