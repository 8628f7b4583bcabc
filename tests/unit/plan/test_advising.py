"""Three questions lead to a method that can be made, with numbers that mean what is said of them."""

import tomllib
from itertools import product
from math import exp

import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.errors import ParameterError, SchemaError
from shoal.plan.advising import Need, Recipients, advise, word_of
from shoal.plan.method import METHODS

SCHEMA = (
    shoal.Schema(person="row")
    .with_column("age", role="quasi-identifier", hierarchy=shoal.standard("age"))
    .with_column("town", role="quasi-identifier")
    .with_column("ill", role="sensitive", domain=["yes", "no"])
)


@pytest.mark.parametrize("records", [None, 500, 50_000])
def test_every_answer_leads_to_a_method_that_can_be_made(records):
    for need, recipients, releases in product(Need, Recipients, (1, 6)):
        advice = advise(need, recipients, releases, records=records)
        said = tomllib.loads(advice.toml)
        method = said["method"]
        assert method.pop("name") == advice.method
        made = METHODS[advice.method](**method)
        assert advice.means
        assert advice.because
        assert ("Mind:" in str(advice)) is bool(advice.mind)  # no heading over nothing
        assert (made.cost is None) is (advice.limit is None)
        if made.cost is not None:  # all releases together keep within the limit
            limit = shoal.PrivacyCost.of(**said["budget"]["limit"])
            assert releases * made.cost.epsilon <= limit.epsilon
            assert releases * made.cost.delta <= limit.delta
            assert releases * made.cost.epsilon >= limit.epsilon * 0.999
        else:
            assert need is Need.RECORDS


@pytest.mark.parametrize(
    ("answers", "method", "number"),
    [
        (("records", "inside", 1), "local-recoding", 3),
        (("records", "partners", 1), "local-recoding", 5),
        (("records", "public", 1), "safepub", 1.0),
        (("records", "partners", 2), "safepub", 1.0),
        (("statistics", "inside", 1), "microaggregation-dp", 4.0),
    ],
)
def test_who_receives_it_and_how_often_decides(answers, method, number):
    advice = advise(*answers)
    assert advice.method == method
    assert number in advice.parameters.values()


def test_of_few_records_safepub_leaves_nothing_and_of_many_mondrian_is_faster():
    small = advise("records", "public", 2, records=500)
    assert (small.method, small.parameters["k"]) == ("local-recoding", 10)
    assert any("does not add up" in sentence for sentence in small.mind)
    assert advise("records", "inside", records=10**6).method == "mondrian"


def test_what_epsilon_means_is_what_follows_from_it():
    (odds, _) = advise("statistics", "partners").means
    assert f"{exp(2):.3g}" in odds
    assert f"{exp(2) / (1 + exp(2)):.1%}" in odds


def test_a_schema_says_what_is_missing_and_what_may_be_predicted():
    advice = advise("statistics", "public", schema=SCHEMA)
    assert (advice.method, advice.parameters["target"]) == ("diffgen", "ill")
    assert advice.mind == ("Domains still to be declared, or confirmed with `shoal declare`: town.",)
    more = SCHEMA.with_column("note", role="insensitive").with_person(None)
    assert len(advise("statistics", "public", schema=more).mind) == 3
    assert "note" in advise("records", "inside", schema=more).mind[1]
    assert "diversity" not in advise("records", "inside", schema=shoal.Schema()).parameters
    with pytest.raises(SchemaError, match="Did you mean 'town'"):
        advise("statistics", "public", schema=SCHEMA, target="twn")


def test_who_needs_counts_gets_made_up_records_and_is_told_what_to_expect():
    advice = advise("counts", "public", 2, schema=SCHEMA, records=300)
    assert (advice.method, advice.parameters["target"], advice.parameters["epsilon"]) == ("marginals", "ill", 0.5)
    assert "Expect: counts of single values are off by about" in advice.mind[-1]
    assert advise("counts", "inside").parameters == {"epsilon": 4.0}


def test_other_answers_are_refused():
    for answers in (("lies", "public"), ("records", "everybody"), ("records", "public", 0)):
        with pytest.raises(ParameterError):
            advise(*answers)
    assert word_of(Need, "2") == "statistics"
    with pytest.raises(ParameterError, match="none of records, statistics, counts"):
        word_of(Need, "4")


def test_the_command_takes_options_and_asks_for_the_rest(monkeypatch):
    def run(*arguments, **more):
        return CliRunner().invoke(app, ["advise", *arguments], **more)

    said = run("--need", "records", "--recipients", "partners", "--releases", "1")
    assert said.exit_code == 0, said.output
    assert 'name = "local-recoding"' in said.output
    assert "What it means" in said.output
    assert run("--need", "records").exit_code == 2  # nobody is there
    assert '"safepub"' in run("--need", "1", "--recipients", "public", "--releases", "1", "--json").output
    monkeypatch.setattr("shoal.cli.advise._is_terminal", lambda: True)
    asked = run(input="2\n1\n4\n")
    assert asked.exit_code == 0, asked.output
    assert "epsilon = 0.25" in asked.output
