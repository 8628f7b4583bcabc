"""Centers drawn to their mean: nearer to the truth where noise is large, and no further where it is small."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.microaggregation.noise import shrunk


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12), st.floats(0, 1e4))
def test_centers_come_nearer_to_each_other_and_keep_their_order(values, variance):
    given_values = np.array(values)
    found = shrunk(given_values, np.full(len(values), variance), 100.0)
    assert np.ptp(found) <= np.ptp(given_values) + 1e-9
    assert (np.diff(found[np.argsort(given_values, kind="stable")]) >= -1e-9).all()
    if len(values) < 4 or variance == 0:
        assert found == pytest.approx(given_values)


@pytest.mark.parametrize("spread", [0, 5, 30, 100])
@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_the_squared_error_is_lower_whatever_the_truth_is(spread, law):
    """Means of 4,000 tables of 12 centers; a difference of one part in twenty is five of their deviations."""
    rng = np.random.default_rng(7)
    truth = 40 + np.linspace(-spread / 2, spread / 2, 12)
    noise = getattr(rng, law)(0, 20 if law == "normal" else 20 / np.sqrt(2), (4000, 12))
    noisy = truth + noise
    drawn = np.array([shrunk(row, np.full(12, 400.0), 100.0) for row in noisy])
    before, after = ((noisy - truth) ** 2).mean(), ((drawn - truth) ** 2).mean()
    assert after < before * (0.4 if spread == 0 else 1.0)
