"""How likely a match is right if the class in the population is known only through a sample of it."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.errors import ParameterError

_FEW = 60
"""From so many records on, and for shares above a half, a series converges at once."""
_TERMS = 64


def expected_inverse(sizes: Sizes, fraction: float | Floats) -> Floats:
    """E[1/F | f] for classes of f = `sizes` records, a share p = `fraction` of their people: the individual risk.

    Given f, F is taken as negative binomial: P(F = h | f) = C(h−1, f−1) p^f (1−p)^(h−f), h ≥ f. Then
    E[1/F | f] = (p/f) ₂F₁(1, 1; f+1; 1−p), all terms of which are above 0: the first is p/f, and the i-th next one
    (1−p) i/(f+i) times the one before. Few records of a share up to a half converge slowly; for them
    r_1 = −p ln p/(1−p) and r_(f+1) = p/(1−p) · (1/f − r_f), which is stable since p/(1−p) ≤ 1.

    It lies between p/f and 1/f, rises in p and falls in f.

    Paper: Benedetti & Franconi 1998; Polettini & Seri 2004 (μ-Argus).
    """
    f = np.maximum(np.asarray(sizes, dtype=np.float64), 1.0)
    p = np.broadcast_to(np.asarray(fraction, dtype=np.float64), f.shape)
    require_fraction(float(p.min(initial=1.0)))
    require_fraction(float(p.max(initial=1.0)))
    term = p / f
    risk = term.copy()
    for i in range(1, _TERMS):
        term = term * ((1 - p) * i / (f + i))
        risk += term
    slow = np.flatnonzero((p <= 0.5) & (f < _FEW))
    share, left = p[slow], f[slow]
    ratio = share / (1 - share)
    found = -share * np.log(share) / (1 - share)
    for step in range(1, _FEW):
        here = left == step
        risk[slow[here]] = found[here]
        found = ratio * (1 / step - found)
    return np.clip(risk, p / f, 1 / f)


def require_fraction(fraction: float) -> None:
    """Refuse what is not a share of a population."""
    if not 0 < fraction <= 1:
        raise ParameterError(f"the sampling fraction is a share above 0 and at most 1; got {fraction!r}.")
