"""Risk as a request through the release file: met, certified, checked, and refused in one sentence each."""

import json

import pytest
from desk import ages_and_illnesses

TOML = ages_and_illnesses(
    'path = "survey.csv"\nperson = "row"\nweight = "w"',
    "k = 1\ncriteria = [CRITERIA]",
    '[columns.town]\nrole = "quasi-identifier"\ndomain = ["Ulm", "Bonn", "Kiel"]\n',
)

TOWNS = ["Ulm", "Bonn", "Kiel"]
WHOLE_TABLE = """
    { name = "average-risk", risk = 0.2 },
    { name = "records-at-risk", threshold = 0.34, share = 0.05 },
    { name = "sample-uniqueness", share = 0.01 },
"""
BY_POPULATION = """
    { name = "population-uniqueness", share = 0.001 },
    { name = "k-map", k = 20 },
    { name = "k-map", k = 10, population = "voters.csv" },
    { name = "presence", population = "voters.csv", most = 0.5 },
"""


def people(number, first=0):
    return [(20 + (7 * i) % 60, TOWNS[i % 3], 10 + i % 5) for i in range(first, first + number)]


@pytest.fixture
def survey(desk):
    """120 people of 480, with weights."""
    rows = [f"{age},{town},{['flu', 'cold'][i % 2]},{w}" for i, (age, town, w) in enumerate(people(120))]
    desk.write("survey.csv", "\n".join(["age,town,illness,w", *rows, ""]))
    voters = [f"{age},{town},x" for age, town, _ in [*people(120), *people(360, 7)]]
    desk.write("voters.csv", "\n".join(["age,town,name", *voters, ""]))
    return desk


def ask(desk, criteria, **changed):
    text = TOML.replace("CRITERIA", criteria)
    for old, new in changed.values():
        assert old in text
        text = text.replace(old, new)
    desk.write("release.toml", text)


def test_requests_about_the_whole_table_are_verified_and_can_be_checked(survey):
    ask(survey, WHOLE_TABLE)
    told = survey.done("run", "release.toml")
    assert "average risk of at most 0.2" in told
    survey.done("check", "release")
    said = json.loads((survey.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    reached = {criterion["name"]: criterion["reached"] for criterion in said["criteria"]}
    assert reached["average-risk"] <= 0.2
    assert reached["records-at-risk"] <= 0.05
    assert reached["sample-uniqueness"] <= 0.01


@pytest.mark.parametrize("method", ["optimal-lattice", "ola"])
def test_requests_about_a_population_are_claimed(survey, method):
    changed = {"method": ("optimal-lattice", method), "limit": ("suppression_limit = 0.1", "suppression_limit = 0")}
    ask(survey, BY_POPULATION, **changed)
    survey.done("run", "release.toml")
    survey.done("check", "release")
    said = json.loads((survey.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    claimed = [guarantee for guarantee in said["guarantees"] if guarantee["basis"] == "claimed"]
    assert len(claimed) == 4
    assert all(any("neither the population nor the weights" in text for text in g["assumptions"]) for g in claimed)
    assert str(survey.folder) not in json.dumps(said)
    page = (survey.folder / "release-owner" / "report.html").read_text(encoding="utf-8")
    assert "By the table of the population, each published" in page
    assert "By the weights, " in page


def test_a_comparison_knows_the_population(survey):
    ask(survey, '{ name = "k-map", k = 10, population = "voters.csv" }')
    told = survey.done("compare", "release.toml", "--methods", "optimal-lattice,ola", "--jobs", "1")
    assert "could not be made" not in told


@pytest.mark.parametrize(
    ("criteria", "changed", "sentence", "code"),
    [
        ('{ name = "k-map", k = 3, population = "none.csv" }', {}, "population 'none.csv' does not exist", 1),
        (
            '{ name = "k-map", k = 3, population = "a.csv" }, { name = "presence", population = "b.csv", most = 1.0 }',
            {},
            "criteria name 2 populations",
            2,
        ),
        ('{ name = "k-map", k = 3 }', {"weight": ('weight = "w"\n', "")}, "name the column of weights in weight", 1),
        (
            '{ name = "k-map", k = 3, population = "voters.csv" }',
            {"method": ('"optimal-lattice"', '"mondrian"'), "limit": ("suppression_limit = 0.1\n", "")},
            "choose optimal-lattice or ola",
            2,
        ),
        (
            '{ name = "k-map", k = 3 }',
            {"method": ('"optimal-lattice"', '"mondrian"'), "limit": ("suppression_limit = 0.1\n", "")},
            "ask for them with optimal-lattice or ola",
            2,
        ),
        ('{ name = "average-risk", risk = 2 }', {}, "risk is a probability above 0 and at most 1; got 2", 2),
        ('{ name = "average-risk", risk = 0.001 }', {}, "the whole table reaches 0.008333", 1),
        ('{ name = "presence", population = "voters.csv", most = 0.1 }', {}, "the whole table reaches 0.25", 1),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(survey, criteria, changed, sentence, code):
    ask(survey, criteria, **changed)
    if "weight" in changed:
        survey.change("[columns.age]", '[columns.w]\nrole = "dropped"\n\n[columns.age]')
    assert sentence in survey.refused("run", "release.toml", code=code)


@pytest.mark.parametrize(
    ("voters", "sentence"),
    [
        ("age,name\n20,x\n", "has no column 'town', by which the release knows people"),
        ("age,town\n20,Ulm\n", "has fewer people than the table, which was not drawn from it"),
        ("age,town\n20,Rome\n", "does not fit the domains of the table"),
    ],
)
def test_a_population_that_does_not_fit_is_refused(survey, voters, sentence):
    ask(survey, '{ name = "k-map", k = 10, population = "voters.csv" }')
    survey.write("voters.csv", voters)
    told = survey.refused("run", "release.toml")
    assert sentence in told
    assert "Rome" not in told
