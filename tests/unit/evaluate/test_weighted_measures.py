"""Records counted by their weights: the same as the table in which each stands as often as its weight says."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import evaluate
from shoal.data.outcome import Outcome
from shoal.data.people.survey_weights import in_units, plain_in_units
from shoal.data.recoding import FullDomain
from shoal.engines.local import LocalEngine
from shoal.engines.opening import engine_of_frame
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.evaluate.queries import both_query_errors
from shoal.evaluate.reading import Reading
from shoal.pipeline import encoded

RNG = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(0, 90, 60),
        "town": RNG.choice(list("abcd"), 60),
        "ill": RNG.choice(["cold", "flu"], 60),
        "w": RNG.integers(1, 9, 60),
    }
)
REPEATED = FRAME.loc[FRAME.index.repeat(FRAME.w)].reset_index(drop=True)


def outcome(frame, weight):
    """Ages in tens, one town left out."""
    schema = shoal.Schema(person="row", weight="w" if weight else None)
    schema = schema.with_column("age", role="quasi-identifier", domain=(0, 89), hierarchy=shoal.intervals(10, 30))
    schema = schema.with_column("town", role="quasi-identifier", domain=list("abcd"))
    schema = schema.with_column("ill", role="sensitive", domain=["cold", "flu"])
    schema = schema if weight else schema.with_column("w", role="dropped")
    table = encoded(engine_of_frame(frame)[0], schema, shoal.OptimalLattice(k=2))
    recoding = FullDomain({"age": 1, "town": 0})
    published = recoding.apply(table)
    stays = published.column("town") != 3
    fewer = replace(published, codes=tuple(c[stays] for c in published.codes), sizes=published.sizes[stays])
    return Outcome.recoded(table, recoding, fewer)


@pytest.fixture(scope="module")
def both():
    """The table with weights, and without them every record as often."""
    return outcome(FRAME, weight=True), outcome(REPEATED, weight=False)


def test_marginals_and_queries(both):
    weighed, repeated = both
    for one, other in zip(evaluate.marginals(weighed, weighted=True), evaluate.marginals(repeated), strict=True):
        assert one.before == pytest.approx(other.before)
        assert one.after == pytest.approx(other.after)
    queries = evaluate.Workload(queries=40).on(weighed.table)
    by_weights, plain = evaluate.query_errors(weighed, queries, weighted=True), evaluate.query_errors(repeated, queries)
    assert by_weights.relative == pytest.approx(plain.relative)
    assert by_weights.truth == pytest.approx(plain.truth)
    for one, other in zip(
        both_query_errors(weighed, queries), (evaluate.query_errors(weighed, queries), by_weights), strict=True
    ):
        assert one.relative == pytest.approx(other.relative)
        assert (one.sanity, one.truth.tolist()) == (other.sanity, other.truth.tolist())


def test_dependence(both):
    weighed, repeated = both
    one, other = evaluate.dependence_kept(weighed, 4, weighted=True), evaluate.dependence_kept(repeated, 4)
    for found, expected in ((one.before, other.before), (one.after, other.after)):
        assert found.information == pytest.approx(expected.information)
        assert found.correlation == pytest.approx(expected.correlation, nan_ok=True)
    assert one.mean_distance == pytest.approx(other.mean_distance)
    assert one.mean_distance != evaluate.dependence_kept(weighed, 4).mean_distance


@pytest.mark.parametrize("model", [shoal.Loss(), shoal.Precision(), shoal.Granularity(), shoal.Intensity()])
def test_loss(both, model):
    weighed, repeated = both
    assert evaluate.information_loss(weighed, model, weighted=True) == pytest.approx(
        evaluate.information_loss(repeated, model)
    )


def test_what_is_no_mean_over_cells_is_not_weighted(both):
    with pytest.raises(ParameterError, match="Discernibility looks at classes"):
        evaluate.information_loss(both[0], shoal.Discernibility(), weighted=True)
    with pytest.raises(SchemaError, match="no weights are known"):
        evaluate.dependence_kept(both[1], weighted=True)
    with pytest.raises(SchemaError, match="no weights are known"):
        evaluate.CrossValidation(both[1].table, "ill", weighted=True)


class Says:
    """A learner that has learned nothing but one value."""

    def __init__(self, value):
        self.value = value

    def fit(self, _):
        return self

    def predict(self, examples):
        return np.full(len(examples), self.value)


@pytest.mark.parametrize("reading", list(Reading))
def test_what_is_tested_counts_by_its_weight(both, reading):
    weighed, repeated = both
    trial = evaluate.CrossValidation(weighed.table, "ill", Says(1), 4, 0, reading, weighted=True)
    share = float((REPEATED.ill == "flu").mean())
    assert trial.original == trial.rate(weighed).release == pytest.approx(share)
    plain = evaluate.CrossValidation(weighed.table, "ill", Says(1), 4, 0, reading)
    assert plain.rate(weighed).release == pytest.approx(float((FRAME.ill == "flu").mean()))
    assert evaluate.CrossValidation(repeated.table, "ill", Says(1)).original == pytest.approx(share)


# How weights are read


@given(
    st.lists(st.tuples(st.integers(0, 10**15 - 1), st.integers(0, 999), st.integers(1, 10**6)), min_size=1, max_size=5)
)
def test_plain_numbers_become_the_same_units_all_at_once(given):
    whole, fraction, rows = (np.array(column) for column in zip(*given, strict=True))
    numbers = [Decimal(f"{a}.{b:03}") for a, b, _ in given]
    exactly = sum(number * int(n) for number, n in zip(numbers, rows, strict=True))
    if exactly < 2**53:
        units, scale = plain_in_units(whole, fraction, 3, rows)
        expected, unit = in_units(numbers, rows)
        assert (units.tolist(), scale) == (expected.tolist(), unit)


@pytest.mark.parametrize(
    "written",
    [
        ["1.5", "2", "30.25", "1.75"],
        ["1.50", "2.", "3.025e1", " 1.75"],
        [1.5, 2.0, 30.25, 1.75],
        np.array([1.5, 2.0, 30.25, 1.75], dtype=np.float32),
        [Decimal("1.5"), Decimal(2), Decimal("30.25"), Decimal("1.75")],
    ],
    ids=["plain", "odd", "double", "float", "decimal"],
)
def test_however_weights_are_written_they_are_the_same(written):
    frame = pd.DataFrame({"age": [1, 2, 2, 3], "w": written})
    schema = shoal.Schema(person="row", weight="w").with_column("age", role="quasi-identifier")
    weights = encoded(engine_of_frame(frame)[0], schema, shoal.OptimalLattice(k=2)).survey_weights
    assert weights.people.tolist() == [1.5, 32.25, 1.75]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [(float("nan"), "it is missing in 1 of 3"), (0.0, "1 of its values are zero"), (float("inf"), "are no numbers")],
)
def test_doubles_that_are_no_weights_are_refused(bad, reason):
    frame = pd.DataFrame({"age": [1, 2, 3], "w": [2.5, bad, 3.0]})
    schema = shoal.Schema(person="row", weight="w").with_column("age", role="quasi-identifier")
    with pytest.raises(DataError, match=reason):
        encoded(engine_of_frame(frame)[0], schema, shoal.OptimalLattice(k=2))


def test_weights_of_many_batches_are_told_apart(monkeypatch):
    monkeypatch.setattr("shoal.engines.reading.source.BATCH_ROWS", 10)
    monkeypatch.setattr("shoal.engines.codes.encoding._PENDING", 15)
    frame = pd.DataFrame({"age": np.arange(95) % 7, "w": [f"{i % 31 + 1}.5" for i in range(1, 96)]})
    schema = shoal.Schema(person="row", weight="w").with_column("age", role="quasi-identifier", domain=(0, 6))
    engine = engine_of_frame(frame)[0]
    assert isinstance(engine, LocalEngine)
    table = encoded(engine, schema, shoal.OptimalLattice(k=2))
    by_age = frame.assign(w=frame.w.astype(float)).groupby("age").w.sum()
    assert table.survey_weights.people.tolist() == by_age.tolist()
