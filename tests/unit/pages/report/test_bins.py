import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of, categoricals, date_ranges, examples, grids

from shoal.data.domain import Categorical, Grid
from shoal.data.hierarchies.build import Flat
from shoal.pages.report.bins import binned, binned_sizes


@given(domain=st.one_of(categoricals(max_size=30), grids(), date_ranges()), data=st.data())
@examples(60)
def test_nothing_is_lost_when_values_are_put_together(domain, data):
    attribute = attribute_of("x", Flat(), domain)
    before, after = (
        np.array(data.draw(st.lists(st.integers(0, 5), min_size=domain.size, max_size=domain.size)), dtype=float)
        for _ in range(2)
    )
    names, first, second, _ = binned(attribute, before, after)
    assert len(names) == len(first) == len(second) <= 25
    assert first.sum() == pytest.approx(before.sum())
    assert second.sum() == pytest.approx(after.sum())


def test_rare_categories_are_set_aside_and_neighbors_joined():
    many = attribute_of("x", Flat(), Categorical(tuple(f"v{i}" for i in range(20))))
    shares = np.arange(20) / 190
    names, first, _, upright = binned(many, shares, shares[::-1])
    assert names[-1] == "13 others"
    assert len(names) == 8
    assert not upright
    assert first.sum() == pytest.approx(1)
    ages = attribute_of("x", Flat(), Grid.between(0, 99))
    names, first, _, upright = binned(ages, np.full(100, 0.01), np.full(100, 0.01))
    assert upright
    assert names[0] == "0"
    assert len(names) == 24


def test_classes_are_counted_in_ranges_that_grow():
    assert binned_sizes({1: 2, 2: 1, 7: 3, 9: 1, 2_000_000: 1}) == {"1": 2, "2": 1, "5-9": 4, "1,000,000+": 1}
