"""Numbers and days that a domain does not hold, moved to the nearest one that it holds."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.data.domain import Dates, Grid

if TYPE_CHECKING:
    from collections.abc import Sequence


def nearest_of_numbers(numbers: NDArray[np.float64], domain: Grid) -> NDArray[np.int64]:
    """The code of the step nearest to each number, infinite ones included; none of them is NaN."""
    scale, last = 10**domain.decimals, domain.lower + domain.steps * domain.step
    inside = np.clip(numbers, domain.lower / scale, last / scale)
    steps = np.rint((inside * scale - domain.lower) / domain.step)
    codes: NDArray[np.int64] = np.clip(steps, 0, domain.steps).astype(np.int64)
    return codes


def nearest_of_labels(labels: Sequence[str | None], domain: Grid | Dates) -> NDArray[np.int64]:
    """The same for texts, which are numbers or days."""
    texts = [(label or "").strip() for label in labels]
    if isinstance(domain, Dates):
        return np.array([_nearest_day(dt.date.fromisoformat(text), domain) for text in texts], dtype=np.int64)
    scale, last = Decimal(1).scaleb(-domain.decimals), domain.lower + domain.steps * domain.step
    inside = [min(max(Decimal(text), domain.lower * scale), last * scale) for text in texts]
    return nearest_of_numbers(np.array([float(number) for number in inside]), domain)


def _nearest_day(day: dt.date, domain: Dates) -> int:
    return (min(max(day, domain.first), domain.last) - domain.first).days
