"""Recipes along an order: each level against arithmetic on the labels."""

import datetime as dt
import re
from decimal import Decimal
from math import ceil, log

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import attribute_of, categoricals, date_ranges, examples, grids

from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.hierarchies.build import Balanced, DateLevels, Flat, Intervals, default_recipe, round_intervals
from shoal.data.hierarchies.paths import Prefixes
from shoal.errors import HierarchyError


def shown(attribute, level):
    """{leaf label: label of its node on a level}."""
    hierarchy, labels = attribute.hierarchy, attribute.domain.labels(range(attribute.domain.size))
    return dict(zip(labels, attribute.labels(hierarchy.up[level]), strict=True))


def bounds(label):
    """The numbers an interval's label says it covers: (low, high, whether high is one of them)."""
    if match := re.fullmatch(r"\[(\S+), (\S+)([\])])", label):
        return Decimal(match[1]), Decimal(match[2]), match[3] == "]"
    low, high = label.split("-")
    return Decimal(low), Decimal(high), True


# Intervals


@given(grids(), st.data())
@examples(150)
def test_intervals_join_exactly_the_numbers_of_one_bin(domain, data):
    step = Decimal(domain.step).scaleb(-domain.decimals)
    width = step * data.draw(st.integers(1, 9))
    origin = step * data.draw(st.integers(-9, 9))
    attribute = attribute_of("age", Intervals((width, width * 3), origin=origin), domain)
    assert attribute.hierarchy.height == 3
    for level, wide in ((1, width), (2, width * 3)):
        for number, label in shown(attribute, level).items():
            if number == "missing":
                assert label == "missing"
                continue
            low, high, closed = bounds(label)
            assert (low - origin) % wide == 0
            assert high + (1 if closed else 0) - low == wide
            assert low <= Decimal(number) <= high if closed else low <= Decimal(number) < high
    assert set(shown(attribute, 3).values()) == {"*"}


@pytest.mark.parametrize(("lower", "upper", "step", "width"), [(1, 9, 2, 4), (3, 18, 5, 10), (-1, 8, 3, 6)])
def test_an_interval_contains_the_numbers_it_stands_for_when_the_grid_does_not_start_on_a_multiple_of_its_step(
    lower, upper, step, width
):
    attribute = attribute_of("age", Intervals((Decimal(width),)), Grid.between(lower, upper, step))
    for number, label in shown(attribute, 1).items():
        low, high, closed = bounds(label)
        assert low <= int(number) <= high if closed else low <= int(number) < high


def test_intervals_are_written_with_a_hyphen_where_it_cannot_confuse():
    ages = attribute_of("age", Intervals((Decimal(5), Decimal(10))), Grid.between(-7, 12))
    assert list(dict.fromkeys(shown(ages, 1).values())) == ["[-10, -6]", "[-5, -1]", "0-4", "5-9", "10-14"]
    assert list(dict.fromkeys(shown(ages, 2).values())) == ["[-10, -1]", "0-9", "10-19"]
    tenths = attribute_of("x", Intervals((Decimal("0.5"),)), Grid.between(0, 1, "0.1"))
    assert list(dict.fromkeys(shown(tenths, 1).values())) == ["[0, 0.5)", "[0.5, 1)", "[1, 1.5)"]


@pytest.mark.parametrize("widths", [(5, 12), (10, 5), (5, 5), (3, 6, 10)])
def test_intervals_that_do_not_nest_are_refused(widths):
    with pytest.raises(HierarchyError, match=r"do not nest in intervals of width \d+; make each width a multiple"):
        Intervals(tuple(map(Decimal, widths)))


@pytest.mark.parametrize("widths", [(), (0,), (-5,), (5, -10)])
def test_intervals_need_widths_above_zero(widths):
    with pytest.raises(HierarchyError, match="at least one width, and widths above 0"):
        Intervals(tuple(map(Decimal, widths)))


@pytest.mark.parametrize(
    ("grid", "width", "origin"),
    [((0, 10, 2), 5, 0), ((0, 1, "0.1"), "0.25", 0), ((0, 10), "2.5", 0), ((0, 9), 5, "0.5")],
)
def test_intervals_that_do_not_fit_the_steps_of_their_numbers_are_refused(grid, width, origin):
    recipe = Intervals((Decimal(width),), origin=Decimal(origin))
    with pytest.raises(HierarchyError, match=f"column 'age': intervals of width {width} do not fit numbers in steps"):
        recipe.build(Grid.between(*grid), "age")


def test_an_interval_wider_than_64_bits_holds_everything_or_is_refused():
    try:
        attribute = attribute_of("age", Intervals((Decimal(10) ** 19,)), Grid.between(0, 20))
    except HierarchyError:
        return
    assert attribute.hierarchy.levels[1].size == 1


@pytest.mark.parametrize("domain", [Categorical(("1", "2")), Dates(dt.date(2020, 1, 1), dt.date(2020, 1, 2))])
def test_intervals_need_numbers(domain):
    with pytest.raises(HierarchyError, match="column 'age': intervals need numbers"):
        Intervals((Decimal(5),)).build(domain, "age")


# Dates


@given(date_ranges())
@examples(60)
def test_days_become_months_quarters_years_and_decades(domain):
    attribute = attribute_of("born", DateLevels(), domain)
    assert attribute.hierarchy.height == 5
    levels = [shown(attribute, level) for level in range(1, 5)]
    for i in range(domain.days):
        day = domain.first + dt.timedelta(days=i)
        month, quarter, year, decade = (level[day.isoformat()] for level in levels)
        assert month == f"{day.year}-{day.month:02}"
        assert quarter == f"{day.year}-Q{ceil(day.month / 3)}"
        assert year == str(day.year)
        assert decade == f"{day.year - day.year % 10}s"
    if domain.has_missing:
        assert [level["missing"] for level in levels] == ["missing"] * 4


def test_some_units_of_dates_can_be_left_out():
    domain = Dates(dt.date(2019, 12, 30), dt.date(2020, 1, 2))
    attribute = attribute_of("born", DateLevels(("year",)), domain)
    assert [attribute.labels(nodes) for nodes in attribute.hierarchy.up[1:]] == [
        ["2019", "2019", "2020", "2020"],
        ["*"] * 4,
    ]


@pytest.mark.parametrize("units", [(), ("week",), ("year", "month"), ("month", "month")])
def test_units_of_dates_come_finest_first_and_are_known(units):
    with pytest.raises(HierarchyError, match="dates become month, quarter, year, decade, in this order"):
        DateLevels(units)


def test_a_hierarchy_of_dates_needs_dates():
    with pytest.raises(HierarchyError, match="column 'born': a hierarchy of dates needs a domain of dates"):
        DateLevels().build(Grid.between(0, 1), "born")


# Balanced


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 24, 25, 26, 124, 125, 126, 630])
def test_the_automatic_tree_of_nsvdist_has_the_height_of_its_paper(size):
    """NSVDist §5.2: sorted alphabetically, height ⌈log₅ |S|⌉, at most 5 children a node, leaves single values."""
    values = [f"{i * 7919 % 1000:03}" for i in range(size)]
    attribute = attribute_of("x", Balanced(), Categorical(tuple(values)))
    hierarchy = attribute.hierarchy
    assert list(attribute.domain.values) == sorted(values)
    height = next(h for h in range(10) if 5**h >= size)
    assert hierarchy.height == height == ceil(round(log(size, 5), 9))
    children = {}
    for node, parent in enumerate(hierarchy.parent.tolist()):
        if node != parent:
            children.setdefault(parent, set()).add(node)
    assert max(map(len, children.values())) <= 5


@given(st.one_of(categoricals(max_size=30), grids(), date_ranges(max_days=60)), st.integers(2, 5))
@examples(100)
def test_a_balanced_tree_joins_neighbors_fanout_at_a_time(domain, fanout):
    attribute = attribute_of("x", Balanced(fanout=fanout), domain)
    present = attribute.domain.size - (attribute.domain.missing is not None)
    for level in range(1, attribute.hierarchy.height):
        codes = attribute.hierarchy.levels[level].codes.tolist()
        assert codes[:present] == [i // fanout**level for i in range(present)]
        assert fanout**level < present
    assert fanout**attribute.hierarchy.height >= present


def test_a_balanced_tree_names_its_nodes_by_their_ends_and_keeps_single_values():
    attribute = attribute_of("x", Balanced(fanout=2), Categorical(("low", "mid", "high"), ordered=True))
    assert [attribute.labels(nodes) for nodes in attribute.hierarchy.up] == [
        ["low", "mid", "high"],
        ["low to mid", "low to mid", "high"],
        ["*", "*", "*"],
    ]
    assert attribute.hierarchy.up[1][2] == 2


def test_a_balanced_tree_that_names_its_values_declares_their_order():
    domain = Balanced(("s", "m", "l")).leaves()
    assert domain == Categorical(("s", "m", "l"), ordered=True)
    assert Balanced().leaves() is None


def test_a_balanced_tree_needs_two_children():
    with pytest.raises(HierarchyError, match="a fanout of 2 or more; got 1"):
        Balanced(fanout=1)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("position", range(4))
def test_a_missing_value_stays_itself_below_the_root_wherever_it_stands_and_whatever_it_is_called(ordered, position):
    """Some files write missing values as `?`: a declared category that is marked as the missing one."""
    values = ["a", "b", "c"]
    values.insert(position, "?")
    domain = Categorical(tuple(values), ordered=ordered, missing=position)
    attribute = attribute_of("x", Balanced(fanout=2), domain)
    assert shown(attribute, 1) == {"?": "?", "a": "a to b", "b": "a to b", "c": "c"}
    assert attribute.domain.values[attribute.domain.missing] == "?"


# All recipes


@given(st.one_of(categoricals(ordered=True), grids(max_steps=9), date_ranges(max_days=9)))
@examples(60)
def test_no_recipe_changes_a_declared_order(domain):
    for recipe in (Flat(), Balanced(fanout=2), default_recipe(domain)):
        assert recipe.build(domain, "x")[0] == domain


def test_prefixes_refuse_or_keep_a_declared_order_that_is_not_the_alphabet():
    domain = Categorical(("20", "31", "10", "11"), ordered=True)
    try:
        built, _ = Prefixes().build(domain, "x")
    except HierarchyError:
        return
    assert built.values == domain.values


@given(st.one_of(categoricals(), grids(), date_ranges(max_days=50)))
@examples(60)
def test_the_default_recipe_fits_every_domain_and_gives_at_least_a_root(domain):
    attribute = attribute_of("x", None, domain)
    assert attribute.hierarchy.height >= 1
    assert attribute.labels(attribute.hierarchy.up[-1]) == ["*"] * domain.size


@given(grids(max_steps=400))
@examples(60)
def test_round_intervals_are_multiples_of_the_step_and_leave_two_intervals(domain):
    recipe = round_intervals(domain)
    step = Decimal(domain.step).scaleb(-domain.decimals)
    if domain.steps + 1 < 10:
        assert recipe == Flat()
        return
    assert isinstance(recipe, Intervals)
    assert all(width % step == 0 and width / step * 2 <= domain.steps + 1 for width in recipe.widths)
    recipe.build(domain, "x")


@pytest.mark.parametrize(("domain", "recipe"), [
    (Categorical(("a", "b")), Flat()),
    (Categorical(("a", "b"), ordered=True), Balanced(fanout=2)),
    (Dates(dt.date(2020, 1, 1), dt.date(2020, 1, 2)), DateLevels()),
    (Grid.between(0, 99), Intervals((Decimal(5), Decimal(10), Decimal(20)))),
])  # fmt: skip
def test_the_default_is_what_a_careful_expert_would_choose(domain, recipe):
    assert default_recipe(domain) == recipe


@given(categoricals())
@examples(30)
def test_keeping_or_hiding_has_one_level(domain):
    attribute = attribute_of("x", Flat(), domain)
    assume(domain.size > 1)
    assert attribute.hierarchy.height == 1
    assert attribute.domain == domain


def test_recipes_that_fit_any_domain_declare_no_values():
    assert [recipe.leaves() for recipe in (Flat(), DateLevels(), Intervals((Decimal(5),)), Prefixes())] == [None] * 4
