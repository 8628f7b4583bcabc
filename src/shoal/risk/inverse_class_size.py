"""How likely a match is right if the class in the population is known only through a sample of it."""

from __future__ import annotations

from math import log

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.errors import ParameterError

_TABLE = 2_000


def expected_inverse(sizes: Sizes, fraction: float) -> Floats:
    """E[1/F | f] for classes of f = `sizes` records in a sample of a share π = `fraction` of the population.

    Given f, F is taken as negative binomial: P(F = h | f) = C(h−1, f−1) π^f (1−π)^(h−f), h ≥ f. Then
    E[1/F | f] = r ∫_0^1 u^(f−1) / (r + u) du with r = π / (1−π); the integrals J_f satisfy J_1 = ln(1 + 1/r) and
    J_(f+1) = 1/f − r J_f, which is stable forwards for r ≤ 1 and backwards for r > 1.

    Paper: Benedetti & Franconi 1998; Polettini & Seri 2004 (μ-Argus).
    """
    require_fraction(fraction)
    if fraction == 1:
        return 1 / np.maximum(sizes, 1)
    r = fraction / (1 - fraction)
    last = int(min(sizes.max(initial=1), _TABLE))
    table = np.zeros(last + 1)
    if r <= 1:
        integral = log(1 + 1 / r)
        for f in range(1, last + 1):
            table[f] = integral
            integral = 1 / f - r * integral
    else:
        integral = float(_large(np.array([last + 60.0]), r)[0])
        for f in range(last + 59, 0, -1):
            integral = (1 / f - integral) / r
            if f <= last:
                table[f] = integral
    small = np.clip(sizes, 0, last)
    return np.asarray(r * np.where(sizes <= last, table[small], _large(sizes.astype(float), r)))


def require_fraction(fraction: float) -> None:
    """Refuse what is not a share of a population."""
    if not 0 < fraction <= 1:
        raise ParameterError(f"the sampling fraction is a share above 0 and at most 1; got {fraction!r}.")


def _large(f: Floats, r: float) -> Floats:
    """∫ u^(f−1) / (r + u) du for large f, from integrating by parts twice; the error is of the order f^−3."""
    f = np.maximum(f, 1.0)
    return np.asarray(1 / (f * (1 + r)) + 1 / (f * (f + 1) * (1 + r) ** 2))
