"""Households and weights through the command line: counted, reported to the owner, and refused in one sentence each."""

import json

import pytest
from desk import ages_and_illnesses

TOML = ages_and_illnesses('path = "survey.csv"\nperson = "pid"\nhousehold = "hh"\nweight = "w"', "k = 3")


def rows(**changed):
    """60 records of 30 persons in 10 households; `changed` is what stands in a column of some rows."""
    table = [
        {
            "pid": i // 2,
            "hh": i // 6,
            "w": f"{20 + i // 2}.5",
            "age": 20 + 5 * (i % 8),
            "illness": ["flu", "cold"][i % 2],
        }
        for i in range(60)
    ]
    for column, values in changed.items():
        for row, value in values.items():
            table[row][column] = value
    return "\n".join([",".join(table[0]), *(",".join(map(str, row.values())) for row in table), ""])


@pytest.fixture
def survey(desk):
    """A survey."""
    desk.write("release.toml", TOML)
    desk.write("survey.csv", rows())
    return desk


def said(desk):
    return json.loads((desk.folder / "release" / "certificate.json").read_text(encoding="utf-8"))


def test_weights_and_households_are_reported_to_the_owner_and_not_published(survey):
    survey.done("run", "release.toml")
    page = (survey.folder / "release-owner" / "report.html").read_text(encoding="utf-8")
    assert "By the weights, " in page
    assert "10 households in the original" in page
    header = (survey.folder / "release" / "data.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.replace(chr(34), "") == "age,illness"
    assert [column["name"] for column in said(survey)["columns"]] == ["age", "illness"]


@pytest.mark.parametrize("person", ['person = "pid"\n', 'person = "row"\n'])
def test_households_are_protected_on_request(survey, person):
    survey.change('person = "pid"\n', f'{person}protect = "household"\n')
    if "row" in person:
        survey.change("[columns.age]", '[columns.pid]\nrole = "dropped"\n[columns.age]')
    survey.change('weight = "w"\n', "")
    survey.change("[columns.age]", '[columns.w]\nrole = "dropped"\n[columns.age]')
    told = survey.done("run", "release.toml")
    assert "3-anonymous in households" in told
    assert said(survey)["unit"] == "household"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"w": {3: ""}}, "'w' says how many of the population a record stands for, and it is missing in 1 of 60"),
        ({"w": {3: "0"}}, "1 of its values are zero or negative"),
        ({"w": {3: "-2.5"}}, "1 of its values are zero or negative"),
        ({"w": {3: "many"}}, "1 of its values are no numbers"),
        ({"w": {3: "inf"}}, "1 of its values are no numbers"),
        ({"w": {3: "99"}}, "1 of 30 persons have different ones; give each person one weight"),
        ({"w": dict.fromkeys(range(60), "0.5")}, "fewer people than the table has"),
        ({"hh": {3: ""}}, "'hh' tells households apart, and it is missing in 1 of 60 records"),
        ({"hh": {3: "7"}}, "1 of 30 persons have records in two households or more"),
        ({"pid": {3: ""}}, "'pid' tells persons apart, and it is missing in 1 of 60 records"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_bad_input_is_refused_in_one_sentence(survey, changed, sentence):
    survey.write("survey.csv", rows(**changed))
    told = survey.refused("run", "release.toml")
    assert sentence in told
    assert "99" not in told


def test_a_person_in_two_households_is_refused_where_households_are_protected(survey):
    survey.change('person = "pid"\n', 'person = "pid"\nprotect = "household"\n')
    survey.write("survey.csv", rows(hh={3: "7"}, w=dict.fromkeys(range(60), "50")))
    assert "1 of 30 persons have records in two households or more" in survey.refused("run", "release.toml")


def test_a_household_has_one_weight_where_households_are_counted(survey):
    survey.change('person = "pid"\n', 'person = "pid"\nprotect = "household"\n')
    assert "10 of 10 households have different ones" in survey.refused("run", "release.toml")


@pytest.mark.parametrize("name", ["k-epsilon", "safepub"])
def test_a_private_run_does_not_look_at_weights_or_households(survey, name):
    """Bad ones are not told of: that would say something about records."""
    text = TOML.split("[method]", maxsplit=1)[0].replace(
        'role = "sensitive"', 'role = "quasi-identifier"\ndomain = ["flu", "cold"]'
    )
    methods = {
        "k-epsilon": '[method]\nname = "k-epsilon"\nepsilon = 1.0\nperturbed = ["age"]\n'
        'anonymizer = { name = "ola", k = 2 }\n[budget]\nledger = "books"\n',
        "safepub": '[method]\nname = "safepub"\nepsilon = 2.0\ndelta = 1e-2\n[budget]\nledger = "books"\n',
    }
    survey.write("release.toml", text + methods[name])
    survey.write("survey.csv", rows(w={3: "-5"}, hh={3: "7"}))
    survey.done("run", "release.toml")
