"""Individual risk, journalist's risk, population uniques and households: by definition and by published formulas."""

from dataclasses import replace
from decimal import Decimal, getcontext
from itertools import product

import mpmath
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.counts import Counts
from shoal.data.people.households import Households
from shoal.data.people.survey_weights import in_units
from shoal.risk import (
    household_risk,
    population_risk,
    release_household_risk,
    release_population_risk,
    release_risk_in_population,
)
from shoal.risk.inverse_class_size import expected_inverse

SIZES = (1, 2, 3, 7, 30, 59, 60, 61, 100, 5000, 20_000)  # beyond, mpmath takes a minute
SHARES = (1e-9, 1e-4, 0.01, 0.1, 0.3, 0.49, 0.5, 0.5000001, 0.7, 0.9, 1 - 1e-12, 1.0)


def test_individual_risk_is_the_hypergeometric_function_to_fourteen_digits():
    """Both branches: series and recursion."""
    with mpmath.workdps(60):
        for f, p in product(SIZES, SHARES):
            exact = mpmath.mpf(p) / f * mpmath.hyp2f1(1, 1, f + 1, 1 - mpmath.mpf(p))
            assert abs(expected_inverse(np.array([f]), np.array([p]))[0] - exact) < 1e-14 * exact, (f, p)


@pytest.mark.parametrize(
    ("f", "p", "risk"),
    [
        (1, 0.1, 0.255842788),
        (2, 0.1, 0.082684135),
        (3, 0.5, 0.193147181),
        (10, 0.2, 0.021695652),
        (50, 0.9, 0.018035431),
    ],
)
def test_individual_risk_of_the_oracle(f, p, risk):
    assert expected_inverse(np.array([f]), p)[0] == pytest.approx(risk, abs=1e-9)


@given(st.integers(1, 500), st.floats(1e-6, 1))
def test_individual_risk_rises_with_the_share_and_falls_with_the_class(f, p):
    here, next_size, less = expected_inverse(np.array([f, f + 1, f]), np.array([p, p, p * 0.999]))
    assert p / f <= here <= 1 / f
    assert next_size <= here * (1 + 1e-14)
    assert less <= here * (1 + 1e-14)


def test_a_table_of_the_population_counts_the_people_of_each_class():
    rng = np.random.default_rng(3)
    everybody = rng.integers(0, 60, 400)
    people = pa.table({"age": everybody[:80]})
    known = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 59))
    known = known.with_column("age", hierarchy=shoal.intervals(10, 20))
    table = shoal.OptimalLattice(k=2, suppression_limit=0.0).anonymize(people, known).outcome
    codes = Counts.of(("age",), [everybody], (60,))
    outcome = replace(table, table=replace(table.table, population=codes))
    found = release_risk_in_population(outcome)
    width = 60 // table.recoding.lookup(table.table["age"]).size
    for side, wide in ((found.before, 1), (found.after, width)):
        chances = [1 / np.sum(everybody // wide == age // wide) for age in everybody[:80]]
        assert side.journalist.highest == pytest.approx(max(chances))
        assert side.marketer == pytest.approx(np.mean(chances))
    assert release_risk_in_population(table) is None


def test_population_risk_by_definition():
    found = population_risk(np.array([1, 1, 3]), np.array([4.0, 1.0, 30.0]), threshold=0.3)
    chances = [float(-0.25 * np.log(0.25) / 0.75), 1.0, float(expected_inverse(np.array([3]), 0.1)[0])]
    assert found.persons == 5
    assert found.people == 35
    assert found.k_map == 1
    assert found.uniques == pytest.approx(1.25)
    assert found.found == pytest.approx(chances[0] + chances[1] + 3 * chances[2])
    assert found.individual.highest == 1
    assert found.individual.records_at_risk == 2
    assert found.journalist.average == pytest.approx((0.25 + 1 + 3 / 30) / 5)


def test_weights_are_summed_exactly_or_rounded_down():
    units, scale = in_units([Decimal("1.5"), Decimal("0.25")], np.array([2, 4]))
    assert (units.tolist(), scale) == ([150, 25], 100)
    getcontext().prec = 40
    units, scale = in_units([Decimal("300000000.123456789123")], np.array([1]))
    assert scale == 10**7
    assert units.tolist() == [3000000001234567]


def test_a_household_is_found_by_any_member():
    two = Households(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1, 2, 1]), 2)
    found = household_risk(np.array([0.2, 0.5]), two)
    assert found.least.tolist() == [0.5, 0.5]
    assert found.independent.tolist() == pytest.approx([1 - 0.8 * 0.25, 0.5])
    assert found.most.tolist() == [1.0, 0.5]


def release(rows, k=2, **whom):
    schema = shoal.Schema(**whom).with_column(
        "age", role="quasi-identifier", domain=(0, 9), hierarchy=shoal.intervals(5)
    )
    method = shoal.OptimalLattice(k=k, suppression_limit=0.2)
    return method.anonymize(pa.Table.from_pylist(rows), schema, one_record_each=True).outcome


ROWS = [
    {"age": 1, "p": "a", "h": "x", "w": 2.5},
    {"age": 1, "p": "b", "h": "x", "w": 4.0},
    {"age": 2, "p": "a", "h": "x", "w": 2.5},
    {"age": 2, "p": "c", "h": "y", "w": 10.0},
    {"age": 7, "p": "d", "h": "y", "w": 100.0},
    {"age": 7, "p": "c", "h": "y", "w": 10.0},
]


def test_persons_count_once_with_one_weight():
    outcome = release(ROWS, person="p", household="h", weight="w")
    found = release_population_risk(outcome)
    assert found.before.persons == 4
    assert found.before.people == 116.5
    assert found.before.k_map == 6.5
    first, second, third = expected_inverse(np.array([2, 2, 2]), np.array([2 / 6.5, 2 / 12.5, 2 / 110]))
    assert found.before.found == pytest.approx(first + first + second + third)  # by the class that is searched best
    households = release_household_risk(outcome)
    assert households.least.tolist() == [0.5, 0.5]
    assert households.most.tolist() == [1.0, 1.0]
    assert households.independent.tolist() == [0.75, 0.75]


def test_records_are_persons_where_nothing_else_is_said():
    rows = [{"age": row["age"], "h": row["h"], "w": row["w"]} for row in ROWS]
    outcome = release(rows, person="row", household="h", weight="w")
    found = release_population_risk(outcome)
    assert found.after.people == pytest.approx(sum(row["w"] for row in rows))
    assert release_household_risk(outcome).least.tolist() == [0.5, 0.5]


def test_households_are_counted_in_classes():
    rows = [{"age": row["age"], "h": row["h"]} for row in ROWS]
    outcome = release(rows, person="row", household="h", protect="household")
    assert outcome.table.people == 2
    assert all(size >= 2 for size in outcome.classes.people[~outcome.suppressed])
    assert release_household_risk(outcome) is None


def test_utility_is_weighed():
    outcome = release(ROWS, person="p", household="h", weight="w")
    (plain,), (weighed,) = (shoal.evaluate.marginals(outcome, weighted=weighted) for weighted in (False, True))
    assert plain.before[7] == pytest.approx(2 / 6)
    assert weighed.before[7] == pytest.approx(110 / 129)
    query = [shoal.evaluate.Query({"age": (7, 7)})]
    assert shoal.evaluate.query_errors(outcome, query, weighted=True).truth[0] == pytest.approx(110)
    with pytest.raises(shoal.SchemaError, match="no weights are known"):
        shoal.evaluate.marginals(release([{"age": 1}, {"age": 1}]), weighted=True)
