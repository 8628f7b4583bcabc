import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.compare import about_found, baseline, noted, parse_grid, recommended, run, trials
from shoal.data.schema import Role, Schema
from shoal.errors import ParameterError, PlanError
from shoal.pages.compare import frontier, page
from shoal.plan.method import METHODS
from shoal.progress import silent

SCHEMA = Schema().with_column("age", role=Role.QUASI_IDENTIFIER, domain=(0, 99))
LATTICE = {"name": "optimal-lattice", "k": 5, "quality": "loss"}

PLAN = """
[data]
path = "people.csv"
[columns.age]
role = "quasi-identifier"
domain = { from = 0, to = 59 }
[columns.ill]
role = "sensitive"
domain = ["yes", "no"]
[method]
name = "optimal-lattice"
k = 5
"""


@pytest.fixture
def plan(tmp_path):
    rows = [f"{20 + i % 40},{'yes' if i % 3 else 'no'}" for i in range(200)]
    (tmp_path / "people.csv").write_text("\n".join(["age,ill", *rows, ""]))
    (tmp_path / "release.toml").write_text(PLAN)
    (tmp_path / "out").mkdir()
    return tmp_path / "release.toml"


def test_every_method_is_tried_with_every_combination_of_the_parameters_it_has():
    some = trials(LATTICE, SCHEMA, ["optimal-lattice", "safepub"], {"k": [2, 3], "epsilon": [1, 2], "delta": [1e-5]})
    assert [trial.changed(["k", "epsilon"]) for trial in some] == [
        "optimal-lattice k=2",
        "optimal-lattice k=3",
        "safepub epsilon=1",
        "safepub epsilon=2",
    ]
    assert some[0].parameters["quality"] == "loss"
    assert "k" not in some[2].parameters


def test_without_methods_the_one_of_the_release_file_is_tried():
    assert [trial.parameters for trial in trials(LATTICE, SCHEMA, [], {})] == [LATTICE]


@pytest.mark.parametrize(
    ("methods", "grid", "kind", "sentence"),
    [
        (["optimal-latice"], {}, PlanError, "is not a method; .* Did you mean 'optimal-lattice'"),
        ([], {"kk": [1]}, ParameterError, "none of optimal-lattice has such a parameter"),
        ([], {"k": ["five"]}, PlanError, "k must be a whole number, 1 or more; got 'five'"),
        ([], {"k": [0]}, PlanError, "k must be"),
    ],
)
def test_what_cannot_be_tried_is_refused_before_anything_is_run(methods, grid, kind, sentence):
    with pytest.raises(kind, match=sentence):
        trials(LATTICE, SCHEMA, methods, grid)


def test_any_methods_stand_side_by_side_with_notes_of_what_was_left_out_or_put_in():
    asked = {**LATTICE, "suppression_limit": 0.1, "time_limit": 5, "quality": "average-class-size"}
    schema = SCHEMA.with_column("ill", role="sensitive")
    names = ["optimal-lattice", "mondrian", "safepub", "tds", "noise"]
    lattice, mondrian, safepub, tds, noise = trials(asked, schema, names, {})
    assert (lattice.parameters, lattice.notes) == (asked, ())
    assert mondrian.parameters == {"name": "mondrian", "k": 5}
    assert mondrian.notes == ("quality, suppression_limit, time_limit left out, which it does not have",)
    assert safepub.parameters == {"name": "safepub", "epsilon": 1.0, "delta": 1e-6}
    assert "epsilon = 1.0, delta = 1e-06, since the release file does not say" in safepub.notes[1]
    assert safepub.notes[2] == "quality left out, which it does not take as written for another method"
    assert tds.parameters["target"] == "ill"
    two = trials(asked, schema, ["mondrian", "mdav"], {})
    assert noted(two) == ["mondrian, mdav: quality, suppression_limit, time_limit left out, which it does not have"]
    assert noise.parameters["perturbed"] == ["age"]  # the first numbers that others may know
    towns = Schema().with_column("town", role=Role.QUASI_IDENTIFIER, domain=["a", "b"])
    (noise,) = trials(asked, towns, ["noise"], {})
    assert noise.problem == "noise needs perturbed, which the release file does not give."


def test_all_methods_stand_side_by_side_each_with_parameters_of_its_own():
    schema = SCHEMA.with_column("town", role="quasi-identifier", domain=["a", "b"])
    schema = schema.with_column("ill", role="sensitive", domain=["y", "n"])
    some = {trial.method: trial for trial in trials({"name": "mondrian", "k": 7, "epsilon": 2}, schema, ["all"], {})
            if trial}  # fmt: skip
    assert some.keys() == set(METHODS)
    assert not any(trial.problem for trial in some.values())
    assert "k" not in some["microaggregation-dp"].parameters  # its clusters are no classes
    assert "k left to itself, which means something else there" in some["microaggregation-dp"].notes
    assert some["k-epsilon"].parameters["anonymizer"] == {"name": "mondrian", "k": 7}
    assert some["mdav"].parameters["k"] == 7
    assert some["pais"].parameters["target"] == "ill"
    assert {some[name].parameters["epsilon"] for name in ("safepub", "diffgen", "microaggregation-dp")} == {2}


def test_a_value_that_one_method_does_not_take_is_its_problem_and_not_that_of_the_others():
    asked = {"name": "safepub", "epsilon": 1, "delta": 1e-6}
    some = trials(asked, SCHEMA, ["safepub", "microaggregation-dp"], {"mode": ["rigorous", "as_published"]})
    assert [bool(trial.problem) for trial in some] == [False, False, False, True]
    assert "the published method has no delta" in some[3].problem
    with pytest.raises(PlanError, match="k must be"):
        trials(LATTICE, SCHEMA, ["mondrian", "mdav"], {"k": ["five"]})


def row(method, **figures):
    return {"method": method, "records": 10, "left_out": 0.0, **figures}


def test_each_need_is_met_by_the_best_that_can_meet_it():
    rows = [
        row("safepub", private=True, query_error=0.5, accuracy=0.7, accuracy_trivial=0.75, auc=0.6, numbers_moved=0.1),
        row("diffgen", private=True, query_error=0.3, accuracy=0.8, accuracy_trivial=0.75, auc=0.8, numbers_moved=0.2),
        row("mondrian", private=False, query_error=0.2, accuracy=0.78, accuracy_trivial=0.75, auc=0.7, linked=0.1),
        row("mdav", private=False, query_error=0.1, numbers_moved=0.01, accuracy=None, auc=None),
        {"method": "ola", "problem": "no"},
        row("tds", private=False, query_error=0.01, left_out=0.9),  # of a tenth of the people
    ]
    said = recommended(rows, ["safepub", "diffgen", "mondrian", "mdav", "ola", "tds"])
    true, classifier, ranking, counts, numbers = said
    assert "with differential privacy safepub (counts off by 50.0%)" in true
    assert "without it mondrian (counts off by 20.0%, 10.0% of people found)" in true
    assert "diffgen (accuracy 80.0%); without it mondrian" in classifier
    assert "diffgen (AUC 80.0%)" in ranking
    assert "diffgen (off by 30.0%); without it mdav (off by 10.0%)" in counts
    assert "safepub" in numbers
    assert "mdav" in numbers
    assert recommended(rows[4:5], ["ola"]) == []
    assert recommended(rows[:1], ["safepub"]) == []  # one release: nothing to choose from


def test_what_is_useless_or_finds_people_is_not_recommended_and_the_sentence_says_why():
    private = [
        row("safepub", private=True, query_error=1.22, accuracy=0.5, accuracy_trivial=0.51, auc=0.501),
        row("diffgen", private=True, query_error=1.5, accuracy=0.4, accuracy_trivial=0.51, auc=0.4),
    ]
    true, classifier, ranking, counts = recommended(private, ["safepub", "diffgen"])
    assert true == (
        "For true records: with differential privacy none of them is of use (the best, safepub: counts off by 122.0%)."
    )
    assert "none of them is of use (the best, safepub: accuracy 50.0%)" in classifier
    assert "none of them is of use (the best, safepub: AUC 50.1%)" in ranking
    assert "none of them is of use (the best, safepub: off by 122.0%)" in counts
    open_ = [row("mondrian", private=False, query_error=0.1, linked=0.4), row("mdav", private=False, query_error=0.2)]
    open_[1] |= {"linked": 0.15, "linked_is_least": True}
    true, counts = recommended(open_, ["mondrian", "mdav"])
    assert true == (
        "For true records: without differential privacy none in which at most 20% of people are found "
        "(the best, mondrian: counts off by 10.0%, 40.0% of people found)."
    )
    assert counts == "For counts: without differential privacy mdav (off by 20.0%, at least 15.0% of people found)."


def test_who_is_found_by_a_changed_column_counts_and_made_up_records_are_nobodys(plan, tmp_path):
    both = {**LATTICE, "perturbed": ["age"], "epsilon": 1}
    some = trials(both, SCHEMA, ["noise", "pram", "marginals"], {})
    noise, pram, marginals = rows = run(plan, some, tmp_path / "out", silent, target="ill", learner="c4.5", jobs=1)
    assert noise["linked"] == noise["loss_linking risk (age)"] > 0  # age is the only quasi-identifier
    assert noise["linked_is_measured"]
    assert not noise["linked_is_least"]
    assert "linked" not in pram  # nothing was measured of it
    assert marginals["made_up"]
    assert "linked" not in marginals
    labels = ["noise", "pram", "marginals"]
    assert [said.split(":")[0] for said in about_found(rows, labels)] == ["marginals", "noise"]
    least = [{"method": name, "promise": "", "query_error": 0.1, "linked": 0.1} for name in "abc"]
    least[0]["linked_is_least"] = True
    picture = page(least, ["the-least", "b", "c"]).split("All figures")[0]
    assert "<svg" in picture
    assert "the-least" not in picture


def test_the_original_is_the_baseline(plan, tmp_path):
    some = trials(LATTICE, SCHEMA, ["optimal-lattice", "noise"], {})
    rows = run(plan, some, tmp_path / "out", silent, target="ill", learner="c4.5", jobs=1)
    original = baseline(rows)
    assert original["auc"] == rows[0]["auc_original"] == 0.5  # one leaf: all are ranked alike
    assert original["query_error"] == original["left_out"] == 0
    assert original["linked"] == original["class_risk"] == pytest.approx(40 / 200)  # ages of 200 records
    assert original["accuracy"] == rows[0]["accuracy_original"]
    assert baseline([{"method": "noise", "problem": "why not"}]) == {}
    html = page(rows, ["a", "b"], ["mondrian: k left out"], ["For counts: a."])
    assert "For counts: a." in html
    assert "the original" in html
    assert "mondrian: k left out." in html


def test_a_grid_is_read_from_options():
    assert parse_grid(["k=2,3", "epsilon=0.5", "k=5", "mode=rigorous"]) == {
        "k": [2, 3, 5], "epsilon": [0.5], "mode": ["rigorous"],
    }  # fmt: skip
    for wrong in ("k", "=3", "k="):
        with pytest.raises(ParameterError, match=r"such as epsilon=0\.5,1,2"):
            parse_grid([wrong])


def test_trials_are_run_once_and_picked_up_where_they_were_left(plan, tmp_path):
    folder = tmp_path / "out"
    some = trials(LATTICE, SCHEMA, [], {"k": [2, 500]})
    settings = {"target": "ill", "learner": "c4.5", "jobs": 1}
    rows = run(plan, some, folder, silent, **settings)
    assert rows[0]["smallest_class"] >= 2
    assert rows[0]["query_error"] >= 0
    assert 0 < rows[0]["linked"] <= 0.5
    assert rows[0]["accuracy"] == pytest.approx(rows[0]["accuracy_trivial"], abs=0.1)
    assert "k = 500 is more than the table has records" in rows[1]["problem"]
    notes = (folder / "trials.jsonl").read_text().splitlines()
    assert len(notes) == 2
    changed = json.loads(notes[0])
    changed["figures"]["linked"] = 0.125
    (folder / "trials.jsonl").write_text(json.dumps(changed) + "\n{cut off")
    again = run(plan, some, folder, silent, **settings)
    assert again[0]["linked"] == 0.125
    assert "problem" in again[1]
    plan.write_text(PLAN + "\nsuppression_limit = 0.5\n")  # another plan: nothing of the old one counts
    assert run(plan, some, folder, silent, **settings)[0]["linked"] != 0.125


def test_both_cores_find_what_one_finds(plan, tmp_path):
    some = trials(LATTICE, SCHEMA, [], {"k": [2, 4]})
    rows = run(plan, some, tmp_path / "out", silent, target=None, learner="c4.5", jobs=2)
    (tmp_path / "one").mkdir()
    alone = run(plan, some, tmp_path / "one", silent, target=None, learner="c4.5", jobs=1)
    for row, other in zip(rows, alone, strict=True):
        assert {k: v for k, v in row.items() if k != "seconds"} == {k: v for k, v in other.items() if k != "seconds"}


def test_the_page_is_marked_says_that_the_choice_is_not_private_and_names_what_failed():
    rows = [
        {"method": "a", "promise": "p", "query_error": 0.1, "linked": 0.2, "accuracy": 0.7},
        {"method": "b", "promise": "q", "query_error": 0.2, "linked": 0.1, "accuracy": 0.8},
        {"method": "c", "problem": "too <b>small"},
    ]
    html = page(rows, ["a k=1", "b k=2", "c"])
    assert "For the owner's eyes only" in html
    assert "no differentially private guarantee covers that choice" in html
    assert "c: too &lt;b&gt;small" in html
    assert html.count("<svg") == 3


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_the_frontier_holds_what_no_other_place_beats(costs):
    best = frontier(costs)
    kept = {costs[i] for i in best}
    assert len(kept) == len(best)
    for cost in costs:
        beaten = any(o[0] <= cost[0] and o[1] <= cost[1] and o != cost for o in costs)
        assert (cost in kept) == (not beaten)
