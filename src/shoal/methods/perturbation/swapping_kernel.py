"""Exchange values between records of near ranks."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Codes, Keys
from shoal.kernels.jit import compiled


@compiled
def partners(window: int, draws: Keys) -> Keys:
    """With whom each record exchanges its value, itself if nobody is left: records are numbered by rank.

    From the first rank on, whoever has no partner yet gets one drawn among the next `window` ranks; a draw that falls
    on a record with a partner moves on to the next without one, and starts again at the first in the window.

    Args:
        window: How many ranks two partners may be apart, at most.
        draws: For each rank a number below `window`.
    """
    n = len(draws)
    partner = np.arange(n)
    free = np.arange(n + 1)  # the next record without a partner, from each one on; shortened whenever it is asked
    for i in range(n):
        if free[i] != i:
            continue
        free[i] = i + 1
        last = min(i + window, n - 1)
        if i + 1 > last:
            continue
        chosen = _next(free, min(i + 1 + draws[i], last))
        if chosen > last:
            chosen = _next(free, i + 1)
        if chosen <= last:
            partner[i], partner[chosen] = chosen, i
            free[chosen] = chosen + 1
    return partner


@compiled
def _next(free: Codes, start: int) -> int:
    end = start
    while free[end] != end:
        end = free[end]
    while free[start] != end:
        free[start], start = end, free[start]
    return end
