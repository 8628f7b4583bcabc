"""Domains: every value has one code, and nothing is rounded on the way."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import categoricals, date_ranges, examples, grids

from shoal.data.domain import LARGEST_DOMAIN, Categorical, Dates, Grid, Origin
from shoal.errors import SchemaError


@given(st.integers(-500, 500), st.integers(1, 40), st.integers(0, 200), st.integers(0, 6))
@examples(150)
def test_a_grid_writes_exactly_the_decimals_it_was_declared_with(first, stride, steps, places):
    """Against a loop in decimal arithmetic."""
    unit = Decimal(1).scaleb(-places)
    low, step = first * unit, stride * unit
    grid = Grid.between(low, low + steps * step, step)
    assert grid.size == steps + 1
    assert [Decimal(label) for label in grid.labels(range(grid.size))] == [low + i * step for i in range(steps + 1)]


def test_steps_of_a_tenth_given_as_floats_are_steps_of_a_tenth():
    grid = Grid.between(0.1, 1.3, 0.1)
    assert grid.labels(range(grid.size)) == [
        *("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1", "1.1", "1.2", "1.3")
    ]


def test_numbers_are_written_without_trailing_zeros_or_exponents():
    assert Grid.between(-100, 100, 50).labels(range(5)) == ["-100", "-50", "0", "50", "100"]
    assert Grid.between("-0.5", "10.0", "0.5").labels([0, 1, 2, 21]) == ["-0.5", "0", "0.5", "10"]
    assert Grid.between("1e3", "3e3", "1e3").labels(range(3)) == ["1000", "2000", "3000"]
    assert Grid.between("0.00001", "0.00003", "0.00001").labels([0]) == ["0.00001"]


@given(grids())
@examples(50)
def test_scaled_numbers_are_the_labels_times_a_power_of_ten(grid):
    numbers = grid.scaled(np.arange(grid.steps + 1, dtype=np.int64)).tolist()
    labels = grid.labels(range(grid.steps + 1))
    assert numbers == [int(Decimal(label) * 10**grid.decimals) for label in labels]


@pytest.mark.parametrize(
    "bounds", [(0, 10, 3), (0, 1, "0.3"), ("0.05", 1, "0.1"), (1, 2, "0.7"), (-1, 1, "0.3"), (0, "0.5", 1)]
)
def test_a_grid_whose_last_step_misses_its_end_is_refused(bounds):
    with pytest.raises(SchemaError, match="is not a whole number of steps"):
        Grid.between(*bounds)


@pytest.mark.parametrize("bounds", [(10, 0, 1), (0, 10, 0), (0, 10, -1)])
def test_an_empty_grid_is_refused(bounds):
    with pytest.raises(SchemaError, match="is empty; expected from <= to, step > 0"):
        Grid.between(*bounds)


@pytest.mark.parametrize(
    ("bounds", "name"),
    [(("x", 1, 1), "from"), ((0, "nan", 1), "to"), ((0, 1, "inf"), "step"), ((None, 1, 1), "from"), ((0, [], 1), "to")],
)
def test_a_bound_that_is_no_number_is_refused_by_name(bounds, name):
    with pytest.raises(SchemaError, match=f"{name!r} of a numeric domain must be a number"):
        Grid.between(*bounds)


def test_a_grid_of_too_many_values_is_refused_and_the_largest_is_not():
    assert Grid.between(1, LARGEST_DOMAIN).size == LARGEST_DOMAIN
    with pytest.raises(SchemaError, match=r"has 10,000,001 values; at most 10,000,000 are supported.*coarser step"):
        Grid.between(0, LARGEST_DOMAIN)
    with pytest.raises(SchemaError, match="at most 10,000,000 are supported"):
        Grid.between(0, 1, "1e-9")


@pytest.mark.parametrize(
    "bounds",
    [
        (10**20, 10**20 + 30, 1),  # more than 64 bits
        (-(2**63) - 1, -(2**63) + 30, 1),
        ("1e17", "1.000000000000000001e17", "0.01"),
        ("1.00000000000000000000000000001", "1.00000000000000000000000000003", "1e-29"),  # more than 28 digits
    ],
)
def test_numbers_with_more_digits_than_can_be_kept_are_refused_and_not_rounded(bounds):
    with pytest.raises(SchemaError):
        Grid.between(*bounds)


def test_a_grid_of_one_number_has_one_value():
    assert Grid.between(7, 7).labels([0]) == ["7"]
    assert Grid.between(7, 7, missing=True).labels([0, 1]) == ["7", "missing"]


@pytest.mark.parametrize(("values", "named"), [(("a", "b", "a"), "'a'"), (("x", "y", "y", "x", "z"), "'x', 'y'")])
def test_a_category_listed_twice_is_refused_by_name(values, named):
    with pytest.raises(SchemaError, match=f"a domain lists {named} twice"):
        Categorical(values)


def test_dates_that_end_before_they_begin_are_refused():
    with pytest.raises(SchemaError, match="from 2020-01-02 to 2020-01-01 is empty"):
        Dates(dt.date(2020, 1, 2), dt.date(2020, 1, 1))


@given(date_ranges(max_days=400))
@examples(40)
def test_dates_are_written_day_by_day(domain):
    labels = domain.labels(range(domain.days))
    assert [dt.date.fromisoformat(label) for label in labels] == [
        domain.first + dt.timedelta(days=i) for i in range(domain.days)
    ]
    assert labels[-1] == domain.last.isoformat()


def test_dates_cross_a_leap_day():
    assert Dates(dt.date(2024, 2, 28), dt.date(2024, 3, 1)).labels([0, 1, 2]) == [
        *("2024-02-28", "2024-02-29", "2024-03-01")
    ]


@given(st.one_of(categoricals(), grids(), date_ranges(max_days=40)))
@examples(100)
def test_a_place_for_missing_values_is_one_code_and_changes_no_other(domain):
    wider = domain.with_missing()
    assert wider.missing is not None
    assert wider.with_missing() == wider
    assert wider.labels([wider.missing]) == ["missing"]
    before, after = domain.labels(range(domain.size)), wider.labels(range(wider.size))
    assert after == (before if domain.missing is not None else [*before, "missing"])
    assert len(set(after)) == wider.size
    assert wider.ordered == domain.ordered
    assert wider.origin is domain.origin


def test_a_value_called_missing_is_not_the_missing_one():
    domain = Categorical(("missing", "(missing)", "a")).with_missing()
    assert domain.values == ("missing", "(missing)", "a", "((missing))")
    assert domain.missing == 3


@given(categoricals(), st.randoms(use_true_random=False))
@examples(60)
def test_reordering_moves_values_and_the_missing_one_with_them(domain, random):
    order = list(range(domain.size))
    random.shuffle(order)
    moved = domain.reordered(order)
    assert [domain.values.index(value) for value in moved.values] == order
    assert (moved.missing is None) == (domain.missing is None)
    if domain.missing is not None:
        assert moved.values[moved.missing] == domain.values[domain.missing]


def test_a_domain_is_declared_unless_it_says_that_it_was_observed():
    today = dt.date(2020, 1, 1)
    domains = [Categorical(("a",)), Grid.between(0, 1), Dates(today, today)]
    assert {domain.origin for domain in domains} == {Origin.DECLARED}
    assert Grid.between(0, 1, origin=Origin.OBSERVED).origin is Origin.OBSERVED
