"""Average relative error: Eq. (8) against harmonic means, zeros left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.quality.relative_error import expected_relative_error, measured_relative_error


@given(
    classes=st.lists(st.lists(st.integers(1, 200), min_size=1, max_size=6), min_size=1, max_size=4),
    epsilon=st.floats(0.1, 20),
)
def test_it_is_the_sum_over_classes_of_diameters_over_harmonic_means(classes, epsilon):
    n = sum(map(len, classes))
    by_classes = 0.0
    for members in classes:
        harmonic = len(members) / sum(1 / v for v in members)
        by_classes += (max(members) - min(members)) * len(members) / (harmonic * n)
    values = np.array([float(v) for members in classes for v in members])
    scales = np.array([(max(members) - min(members)) / epsilon for members in classes for _ in members])
    assert expected_relative_error(values, scales) == pytest.approx(by_classes / epsilon)


def test_values_of_zero_are_left_out_and_signs_do_not_matter():
    assert measured_relative_error(np.array([-4.0, 0.0]), np.array([-5.0, 3.0])) == 0.25
    assert np.isnan(measured_relative_error(np.zeros(2), np.ones(2)))
