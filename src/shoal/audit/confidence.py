"""Confidence bounds for a probability, from counts alone."""

from __future__ import annotations

import math

from shoal.errors import ParameterError

_SAFETY = 1 - 1e-6  # lgamma is good to ten digits here; give up six of them
_BISECTIONS = 60


def clopper_pearson(successes: int, trials: int, alpha: float) -> tuple[float, float]:
    """Bounds that each miss the true probability with probability at most α (Clopper & Pearson 1934).

    The two-sided interval therefore misses with probability at most 2α. Bounds are rounded outward.

    >>> low, high = clopper_pearson(5, 100, alpha=0.025)
    >>> round(low, 4), round(high, 4)
    (0.0164, 0.1128)
    """
    if not 0 <= successes <= trials or trials < 1 or not 0 < alpha < 1:
        raise ParameterError(
            f"clopper_pearson: needs 0 <= successes <= trials and 0 < alpha < 1; got {successes}, {trials}, {alpha}."
        )
    return _lower(successes, trials, alpha), 1 - _lower(trials - successes, trials, alpha)


def _lower(successes: int, trials: int, alpha: float) -> float:
    """The p at which so many successes, or more, have probability α; found from below."""
    if successes == 0:
        return 0.0
    low, high = 0.0, successes / trials
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if upper_tail(successes, trials, middle) <= alpha * _SAFETY:
            low = middle
        else:
            high = middle
    return low


def upper_tail(successes: int, trials: int, p: float) -> float:
    """P[Binomial(trials, p) >= successes].

    >>> round(upper_tail(3, 4, 0.5), 4)
    0.3125
    """
    if successes <= 0 or p >= 1:
        return float(successes <= trials)
    if successes > trials or p <= 0:
        return 0.0
    if p * trials > successes:  # the other side is the shorter one
        return 1.0 - upper_tail(trials - successes + 1, trials, 1.0 - p)
    log_first = (
        math.lgamma(trials + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(trials - successes + 1)
        + successes * math.log(p)
        + (trials - successes) * math.log1p(-p)
    )
    total = term = 1.0
    for k in range(successes, trials):  # terms fall from the first on
        term *= (trials - k) / (k + 1) * p / (1 - p)
        total += term
        if term < total * 1e-17:
            break
    return min(math.exp(log_first) * total, 1.0)
