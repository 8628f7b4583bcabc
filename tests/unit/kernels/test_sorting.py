"""Sorting inside of kernels is sorting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.sorting import sort_first


@given(st.lists(st.integers(-5, 5), max_size=40), st.integers(0, 3))
def test_the_first_values_are_sorted_and_the_others_stay(values, rest):
    count = max(len(values) - rest, 0)
    array = np.array(values, dtype=np.int64)
    sort_first(array, count)
    assert array.tolist() == sorted(values[:count]) + values[count:]
