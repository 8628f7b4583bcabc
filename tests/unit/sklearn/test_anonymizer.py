"""A release as a step of a pipeline: scikit-learn's own checks, the rule for new records, what is paid and pickled."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

import shoal
from shoal.sklearn import Anonymizer

SECRET = "SECRET123"


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "name": [f"{SECRET}-{i}" for i in range(200)],
            "age": rng.integers(20, 60, 200),
            "town": rng.choice(["Ulm", "Bonn", "Rom"], 200),
            "ill": rng.choice(["flu", "cold"], 200),
        }
    )


SCHEMA = (
    shoal.Schema(person="row")
    .with_column("name", role="identifier")
    .with_column("age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.intervals(5, 10, 20))
    .with_column("town", role="quasi-identifier", domain=["Ulm", "Bonn", "Rom"])
    .with_column("ill", role="sensitive", domain=["flu", "cold"])
)
NEW = pd.DataFrame(
    {"name": ["x"] * 4, "age": [3, 33, 99, 41], "town": ["Ulm", "Rom", "Bonn", "Ulm"], "ill": ["flu"] * 4}
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks_but_for_a_table_of_one_record():
    expected = {"check_fit2d_1sample": "one record cannot be made to look like another"}
    checked = check_estimator(Anonymizer(shoal.MDAV(k=2)), expected_failed_checks=expected, on_fail=None)
    assert {one["check_name"]: one["exception"] for one in checked if one["status"] == "failed"} == {}
    assert sum(one["status"] == "passed" for one in checked) > 30


@pytest.mark.parametrize("method", [shoal.OptimalLattice(k=5), shoal.TDS(k=5, target="ill")], ids=["levels", "cut"])
def test_recodings_of_values_are_applied_to_new_records_as_they_are(people, method):
    step = clone(Anonymizer(method, SCHEMA)).fit(people)
    assert not step.nearest_
    pd.testing.assert_frame_equal(step.transform(NEW), step.release_.recoding.apply(NEW))
    assert list(step.get_feature_names_out()) == list(step.transform(NEW).columns) == ["age", "town", "ill"]


def test_a_new_record_gets_the_cells_of_the_nearest_class_and_of_several_the_narrowest(people):
    step = Anonymizer(shoal.Mondrian(k=5), SCHEMA).fit(people)
    assert step.nearest_
    published = step.release_.data[["age", "town"]].drop_duplicates()

    def ages(cell):
        first, _, last = cell.partition("-")
        return int(first), int(last or first)

    order = {"Ulm": 0, "Bonn": 1, "Rom": 2}

    def judged(age, town, cells):
        (low, high), towns = ages(cells.age), cells.town.strip("{}").replace(" ", "").split(",")
        towns = list(order) if towns == ["*"] else towns
        places = [order[one] for one in towns]
        away = max(low - age, age - high, 0) / 99 + (town not in towns)
        return round(away, 9), (high - low) / 99 + (max(places) - min(places)) / 2

    recoded = step.transform(NEW)
    for i, row in enumerate(NEW.itertuples()):
        best = min(judged(row.age, row.town, cells) for cells in published.itertuples())
        assert judged(row.age, row.town, recoded.iloc[i]) == pytest.approx(best)
    whole = step.transform(people)
    assert len(whole) == len(people)
    assert list(whole.index) == list(people.index)


@pytest.mark.parametrize("method", [shoal.Mondrian(k=5), shoal.OptimalLattice(k=5)], ids=["classes", "levels"])
def test_a_pickle_transforms_and_holds_no_record(people, method):
    step = Anonymizer(method, SCHEMA).fit(people)
    again = pickle.loads(pickle.dumps(step))
    assert not hasattr(again, "release_")
    assert again.certificate_ == step.certificate_
    assert SECRET.encode() not in pickle.dumps(step)
    assert len(again._rule.table.counts) == 0
    pd.testing.assert_frame_equal(again.transform(NEW), step.transform(NEW))


def test_a_private_fit_is_paid_for_each_time_and_transforming_costs_nothing(people, tmp_path):
    method = shoal.SafePub(epsilon=1, delta="1e-3")
    ledger = shoal.Ledger.open(tmp_path, dataset="people", limit=shoal.PrivacyCost.of(2, "2e-3"))
    step = Anonymizer(method, SCHEMA, ledger=ledger).fit(people)
    before = [spending.cost for spending in ledger.account().spendings]
    assert before == [method.cost]
    step.transform(NEW)
    step.transform(people)
    assert [spending.cost for spending in ledger.account().spendings] == before
    clone(step).fit(people)
    with pytest.raises(shoal.BudgetError):
        clone(step).fit(people)


@pytest.mark.filterwarnings("ignore")
def test_private_transforming_is_a_function_of_what_was_published(people):
    step = Anonymizer(shoal.MicroaggregationDP(epsilon=1, k=20), SCHEMA)
    step.fit(people)
    rule = step._rule
    assert len(rule.table.counts) == 0
    assert (rule.sources, rule.classes, rule.suppressed, rule.persons) == (None, None, None, None)
    centers = set(step.release_.data["age"])
    assert set(step.transform(NEW)["age"]) <= centers


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        (shoal.Marginals(epsilon=1), "made-up records"),
        (None, "method must be a method such as"),
        ("mdav", "got 'mdav'"),
    ],
    ids=["made up", "none", "a word"],
)
@pytest.mark.filterwarnings("ignore")
def test_what_has_no_rule_for_new_records_is_refused(people, method, sentence):
    with pytest.raises(shoal.ParameterError, match=sentence):
        Anonymizer(method, SCHEMA).fit(people)


def test_a_grid_of_methods_in_a_pipeline_with_the_target_as_sensitive_column(people):
    table, target = people.drop(columns="ill"), people["ill"]
    step = Anonymizer(shoal.Mondrian(k=5, diversity=1.5), SCHEMA, target="ill")
    pipeline = make_pipeline(step, OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    grid = {"anonymizer__method": [shoal.Mondrian(k=5, diversity=1.5), shoal.LocalRecoding(k=5)]}
    found = GridSearchCV(pipeline, grid, cv=2).fit(table, target)
    assert len(found.predict(table)) == 200
    with pytest.raises(shoal.ParameterError, match="'ill' is the target and was not given"):
        clone(step).fit(table)
    with pytest.raises(shoal.ParameterError, match=r"X has 2 features, but Anonymizer is expecting 3 .* no 'age'"):
        clone(step).fit(table, target).transform(table.drop(columns="age"))
