"""Average relative error of noisy numbers: expected, before any noise is drawn, and measured.

Paper: (k, ε)-anonymity §V-A, Eqs. (4) to (8).
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats


def expected_relative_error(values: Floats, deviations: Floats) -> float:
    """The mean of E|noise_i| / |value_i|; for Laplace noise E|noise| is its scale b = diam / ε.

    Per class this is diam / (ε H), H the harmonic mean of the absolute values (Eq. 7); over all records Eq. (8). A
    value of 0 has no relative error and is left out; NaN if all are.

    >>> classes = np.array([150, 160, 170, 180, 165, 168, 171.0])
    >>> round(expected_relative_error(classes, np.array([15, 15, 15, 15, 3, 3, 3.0])), 7)
    0.0598431
    """
    return _mean_share(deviations, values)


def measured_relative_error(values: Floats, noisy: Floats) -> float:
    """The mean of |noisy_i − value_i| / |value_i|, values of 0 left out; NaN if all are."""
    return _mean_share(np.abs(noisy - values), values)


def _mean_share(errors: Floats, values: Floats) -> float:
    counts = values != 0
    if not counts.any():
        return float("nan")
    return float(np.mean(np.abs(errors[counts] / values[counts])))
