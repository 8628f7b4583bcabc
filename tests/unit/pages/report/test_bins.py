from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of, categoricals, date_ranges, examples, grids

from shoal.data.domain import Categorical, Grid
from shoal.data.hierarchies.build import Flat, Intervals
from shoal.data.recoding import FullDomain
from shoal.pages.report.bins import binned, binned_sizes, places


@given(domain=st.one_of(categoricals(max_size=30), grids(), date_ranges()), data=st.data())
@examples(60)
def test_nothing_is_lost_when_values_are_put_together(domain, data):
    attribute = attribute_of("x", Flat(), domain)
    before, after = (
        np.array(data.draw(st.lists(st.integers(0, 5), min_size=domain.size, max_size=domain.size)), dtype=float)
        for _ in range(2)
    )
    names, first, second, _ = binned(attribute, places(attribute, before, after))
    assert len(names) == len(first) == len(second) <= 25
    assert first.sum() == pytest.approx(before.sum())
    assert second.sum() == pytest.approx(after.sum())


def test_rare_categories_are_set_aside_and_neighbors_joined():
    many = attribute_of("x", Flat(), Categorical(tuple(f"v{i}" for i in range(20))))
    shares = np.arange(20) / 190
    names, first, _, upright = binned(many, places(many, shares, shares[::-1]))
    assert names[-1] == "13 others"
    assert len(names) == 8
    assert not upright
    assert first.sum() == pytest.approx(1)
    ages = attribute_of("x", Flat(), Grid.between(0, 99))
    names, first, _, upright = binned(ages, places(ages, np.full(100, 0.01), np.full(100, 0.01)))
    assert upright
    assert names[0] == "0"
    assert len(names) == 24


def test_classes_are_counted_in_ranges_that_grow():
    assert binned_sizes({1: 2, 2: 1, 7: 3, 9: 1, 2_000_000: 1}) == {"1": 2, "2": 1, "5-9": 4, "1,000,000+": 1}


def test_columns_are_drawn_by_the_groups_that_are_published():
    ages = attribute_of("age", Intervals((Decimal(20), Decimal(40))), Grid.between(0, 99))
    before, after = np.zeros(100), np.zeros(100)
    before[[3, 25, 27]] = [0.5, 0.25, 0.25]
    after[:40] = [0.5 / 20] * 20 + [0.5 / 20] * 20
    found = places(ages, before, after, FullDomain({"age": 1}).lookup(ages))
    names, first, second, upright = binned(ages, found)
    assert (names, upright) == (["0-19", "20-39"], True)
    assert first == pytest.approx([0.5, 0.5])
    assert second == pytest.approx([0.5, 0.5])
    assert found.overlap == pytest.approx(1)


def test_a_place_made_for_what_a_domain_does_not_hold_is_no_bar_where_nothing_was_missing():
    towns = replace(attribute_of("town", Flat(), Categorical(("A", "B")).with_missing()), absorbs=True)
    names, *_ = binned(towns, places(towns, np.array([0.5, 0.5, 0.0]), np.full(3, 1 / 3)))
    assert sorted(names) == ["A", "B"]
    hidden = places(towns, np.array([0.5, 0.5, 0.0]), np.full(3, 1 / 3))
    assert hidden.after == pytest.approx([0.5, 0.5, 0.0])
    names, *_ = binned(towns, places(towns, np.array([0.5, 0.4, 0.1]), np.full(3, 1 / 3)))
    assert "missing" in names
