"""The solver of integer programs against trying everything."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.search.integer_program import Conditions, cheapest


def tried(costs, most, matrix, low, high):
    """What the cheapest of all vectors of whole numbers costs; None if none meets the conditions."""
    all_of_them = np.array(list(product(*(range(limit + 1) for limit in most))))
    sums = all_of_them @ matrix.T
    fits = ((sums >= low) & (sums <= high)).all(axis=1)
    return (all_of_them[fits] @ costs).min() if fits.any() else None


@st.composite
def programs(draw):
    numbers, sums = draw(st.integers(1, 4)), draw(st.integers(1, 3))

    def drawn(least, greatest, *shape):
        size = int(np.prod(shape))
        return np.array(draw(st.lists(st.integers(least, greatest), min_size=size, max_size=size))).reshape(shape)

    low = drawn(-6, 4, sums)
    return (
        drawn(-3, 3, numbers),
        drawn(0, 3, numbers),
        drawn(-2, 2, sums, numbers),
        low,
        low + drawn(0, 4, sums),
    )


@given(programs())
@settings(max_examples=150, deadline=None)
def test_the_cheapest_numbers_are_found_or_that_there_are_none(program):
    costs, most, matrix, low, high = program
    row, column = matrix.nonzero()
    found = cheapest(costs, most, Conditions(row, column, matrix[row, column], low, high))
    least = tried(costs, most, matrix, low, high)
    assert (found is None) == (least is None)
    if found is not None:
        sums = matrix @ found.numbers
        assert found.is_best
        assert ((sums >= low) & (sums <= high)).all()
        assert ((found.numbers >= 0) & (found.numbers <= most)).all()
        assert costs @ found.numbers == least
