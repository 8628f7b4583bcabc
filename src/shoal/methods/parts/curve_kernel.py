"""The order along a curve of very many records, compiled."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.kernels.jit import compiled


@compiled
def halved_along(places: Floats) -> Keys:
    """Records halved along the column in which they differ most, the lower half first: their order (`rings.curve`).

    Args:
        places: `places[record, column]`; put into that order as well.
    """
    records, columns = places.shape
    order, aside = np.arange(records), np.empty(records, dtype=np.int64)
    moved = np.empty((records, columns))
    values = np.empty(records)
    starts, ends = np.empty(records + 1, dtype=np.int64), np.empty(records + 1, dtype=np.int64)
    starts[0], ends[0], depth = 0, records, 1
    while depth > 0:
        depth -= 1
        first, end = starts[depth], ends[depth]
        if end - first <= 2:
            continue
        widest, width = 0, -1.0
        for column in range(columns):
            low, high = places[first, column], places[first, column]
            for i in range(first + 1, end):
                low, high = min(low, places[i, column]), max(high, places[i, column])
            if high - low > width:
                widest, width = column, high - low
        if width <= 0:
            continue
        least = np.inf
        for i in range(first, end):
            values[i - first] = places[i, widest]
            least = min(least, places[i, widest])
        half = _ranked(values, end - first, (end - first) // 2)
        left, right = first, 0
        for i in range(first, end):
            if places[i, widest] < half or (half == least and places[i, widest] == half):
                order[left] = order[i]
                for column in range(columns):
                    places[left, column] = places[i, column]
                left += 1
            else:
                aside[right] = order[i]
                for column in range(columns):
                    moved[right, column] = places[i, column]
                right += 1
        for i in range(right):
            order[left + i] = aside[i]
            for column in range(columns):
                places[left + i, column] = moved[i, column]
        starts[depth], ends[depth] = first, left
        starts[depth + 1], ends[depth + 1] = left, end
        depth += 2
    return order


@compiled
def _ranked(values: Floats, count: int, rank: int) -> float:
    """The value that would stand at a place if the first `count` values were sorted; changes their order."""
    low, high = 0, count - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return float(values[rank])
