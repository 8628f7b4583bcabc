"""How many groups can be published, and how often to specialize: from public numbers alone."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.errors import InfeasibleError, ParameterError

if TYPE_CHECKING:
    from shoal.dp.mechanisms.cells import CellNoise

MOST_ROWS = 5_000_000
"""How many groups with nobody in them may be expected in a release."""
MOST_RECORDS = 100_000_000
"""How many records of nobody may be expected in them: groups come with wide noise, and each of its steps is a row."""
MOST_CELLS = 1 << 33
"""How many groups there may be at all: drawing how many of them show takes two random bits for each."""


def recommended_specializations(epsilon: Fraction, records: int) -> int:
    """√(ε n / 300), between 1 and 20.

    With h choices for ε/h each, a choice errs by about h ln(candidates) / ε records; the h-th best specialization gains
    about n / h of them. The two are in balance at h² proportional to ε n. The constant was found on folds of Adult's
    training records (`experiments/diffgen/settings.py`).

    >>> [recommended_specializations(Fraction(e), 30_162) for e in ("0.1", "0.25", "0.5", "1")]
    [3, 5, 7, 10]
    """
    if records < 1:
        raise ParameterError(f"the number of records must be 1 or more; got {records!r}.")
    return max(1, min(20, round(math.sqrt(float(epsilon) * records / 300))))


def has_room(cells: int, noise: CellNoise, least: int, units: int = 1) -> bool:
    """Whether a table of so many cells can be published with this noise and threshold, both in so many units each."""
    groups = cells * float(noise.tail(least))
    records = groups * (least + 1 / noise.exponent) / units
    return cells <= MOST_CELLS and groups <= MOST_ROWS and records <= MOST_RECORDS


def require_room(cells: int, noise: CellNoise, least: int) -> None:
    """Refuse a table that cannot be held, and say what would help."""
    if has_room(cells, noise, least):
        return
    if cells > MOST_CELLS:
        advice = "use fewer specializations, or taxonomies with fewer branches"
    else:
        enough = least
        while not has_room(cells, noise, enough):
            enough *= 2
        enough = bisect_left(range(enough + 1), True, lo=least + 1, key=lambda tried: has_room(cells, noise, tried))
        advice = f"set threshold = {enough}, which leaves out smaller groups, or use fewer specializations"
    raise InfeasibleError(
        f"the cut has {cells:,} groups, of which about {int(cells * float(noise.tail(least))):,} would be published "
        f"though nobody may be in them, with noise of about {float(1 / noise.exponent):,.0f} records; at most "
        f"{MOST_ROWS:,} groups and {MOST_RECORDS:,} such records are. Nothing was spent; {advice}."
    )
