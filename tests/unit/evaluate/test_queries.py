"""Counting queries against plain counting, record by record."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import ATTRIBUTES, believed, outcome_of, outcomes
from strategies import examples

from shoal.errors import ParameterError, SchemaError
from shoal.evaluate import Query, Workload, materialize, query_errors


@st.composite
def asked(draw):
    chosen = draw(st.lists(st.sampled_from(ATTRIBUTES), min_size=1, max_size=3, unique=True))
    ranges = {}
    for attribute in chosen:
        ends = sorted(draw(st.integers(0, attribute.domain.size - 1)) for _ in range(2))
        ranges[attribute.name] = tuple(ends)
    return Query(ranges)


def inside(query, record):
    return all(first <= record[name] <= last for name, (first, last) in query.ranges.items())


@given(outcome=outcomes(), queries=st.lists(asked(), min_size=1, max_size=5))
@examples(60)
def test_answers_are_counts_of_the_original_and_expectations_of_the_release(outcome, queries):
    found = query_errors(outcome, queries, sanity=0.1, scale=1.0)
    original, published = outcome.table.counts, outcome.published
    for number, query in enumerate(queries):
        rows = [dict(zip(original.names, row, strict=True)) for row in zip(*original.codes, strict=True)]
        truth = sum(int(n) for row, n in zip(rows, original.sizes, strict=True) if inside(query, row))
        expected = 0.0
        for row in range(len(published)):
            record = believed(outcome, row)
            covered = prod(
                sum(p for leaf, p in record[name].items() if first <= leaf <= last)
                for name, (first, last) in query.ranges.items()
            )
            expected += covered * published.sizes[row]
        assert found.truth[number] == truth
        assert found.answers[number] == pytest.approx(expected)
        bound = max(truth, 0.1 * outcome.table.total)
        assert found.relative[number] == pytest.approx(abs(expected - truth) / bound)


def test_expected_answers_are_what_many_drawn_tables_answer_on_average():
    outcome = outcome_of(["spans", "nodes", "sets", "distributions"], records=80, seed=4)
    queries = Workload(queries=20, seed=1).on(outcome.table)
    rng, drawn = np.random.default_rng(0), np.zeros(20)
    for _ in range(300):
        one = materialize(outcome, rng)
        rows = [dict(zip(one.names, row, strict=True)) for row in zip(*one.codes, strict=True)]
        drawn += [sum(int(n) for r, n in zip(rows, one.sizes, strict=True) if inside(q, r)) / 300 for q in queries]
    assert query_errors(outcome, queries, scale=1.0).answers == pytest.approx(drawn, abs=1.5)


def test_a_table_that_is_published_as_it_is_answers_without_error_and_half_of_it_too_once_scaled():
    outcome = outcome_of(["kept"] * 4, records=300)
    queries = Workload(queries=50).on(outcome.table)
    assert query_errors(replace(outcome, published=outcome.table.counts), queries).mean == 0
    doubled = replace(outcome.table.counts, sizes=outcome.table.counts.sizes * 2)
    twice = replace(outcome, published=doubled)
    assert query_errors(twice, queries).median == 0
    assert query_errors(twice, queries, scale=1.0).mean > 0.5


def test_a_workload_has_the_queries_it_promises():
    outcome = outcome_of(["nodes"] * 4, records=100)
    workload = Workload(queries=200, columns=(1, 2), points=0.3, combinations=3, seed=9)
    queries = workload.on(outcome.table)
    assert queries == workload.on(outcome.table)
    assert {len(query.ranges) for query in queries} == {1, 2}
    assert len({tuple(query.ranges) for query in queries}) <= 6
    is_point = [all(first == last for first, last in query.ranges.values()) for query in queries]
    assert 0.2 < np.mean(is_point) < 0.8
    points = Workload(queries=50, points=1.0).on(outcome.table)
    found = query_errors(outcome, points)
    assert (found.truth >= 1).all()
    assert len(found.of_columns(2)) == sum(len(query.ranges) == 2 for query in points)
    ages = [query.ranges["age"] for query in queries if "age" in query.ranges]
    assert all(last < outcome.table["age"].domain.missing for first, last in ages if first != last)


def test_an_empty_release_answers_nothing():
    outcome = outcome_of(["nodes"] * 4, published=0)
    assert (query_errors(outcome, [Query({"age": (0, 3)})]).answers == 0).all()


def test_bad_questions_are_refused():
    outcome = outcome_of(["nodes"] * 4)
    with pytest.raises(ParameterError, match="no queries"):
        query_errors(outcome, [])
    with pytest.raises(ParameterError, match="sanity is a share"):
        query_errors(outcome, [Query({"age": (0, 1)})], sanity=0)
    with pytest.raises(SchemaError, match="asks about 'job'"):
        query_errors(outcome, [Query({"job": (0, 1)})])
    with pytest.raises(ParameterError, match="values 3 to 2 of 'age'"):
        query_errors(outcome, [Query({"age": (3, 2)})])
    with pytest.raises(ParameterError, match="at least one record"):
        Workload().on(outcome_of(["nodes"] * 4, records=0).table)
    for wrong in ({"queries": 0}, {"columns": (2, 1)}, {"points": 1.5}, {"combinations": 0}):
        with pytest.raises(ParameterError):
            Workload(**wrong)


def test_a_query_reads_as_a_sentence():
    assert str(Query({"age": (1, 3), "town": (2, 2)})) == "1 <= age <= 3 and 2 <= town <= 2"
