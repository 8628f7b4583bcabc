"""Groups of a few columns in compiled loops, against sets of tuples; also where keys are too large to be counted."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from shoal.search.top_down import combinations_kernel as kernel

NARROW, SPREAD, HUGE = 4, 1_000_003, 2_000_000_000
"""Widths of columns: counted in a table, hashed, and hashed more than once because their product has no room."""


def drawn(width, seed, columns=5, records=300):
    rng = np.random.default_rng(seed)
    few = rng.integers(0, width, size=(columns, 3))
    codes = np.array([rng.choice(few[i], records) for i in range(columns)], dtype=np.int32)
    place = np.sort(rng.integers(0, 6, records)).astype(np.int32)
    labels = rng.integers(-1, 2, size=(1, records)).astype(np.int32)
    return codes, np.full(columns, width), place, labels, rng.integers(1, 4, records)


def is_whole(keys, labels, sizes, k, share):
    """No group is too small or has too much of a value."""
    groups, often = Counter(), Counter()
    for key, label, size in zip(keys, labels, sizes, strict=True):
        groups[key] += size
        often[key, label] += size if label >= 0 else 0
    return all(n >= k for n in groups.values()) and all(n <= share * groups[key] for (key, _), n in often.items())


@pytest.mark.parametrize("width", [NARROW, SPREAD, HUGE])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("k", "share"), [(1, 1.0), (2, 1.0), (1, 0.9), (1, 0.7)])
def test_groups_are_judged_as_by_hand(width, seed, k, share):
    codes, widths, place, labels, sizes = drawn(width, seed)
    chosen = np.array(list(combinations(range(5), 3)))
    rows = [[tuple(codes[list(c), r]) for r in range(len(sizes))] for c in chosen]
    whole = all(is_whole(keys, labels[0], sizes, k, share) for keys in rows)
    assert kernel.broken_branches(chosen, codes, widths, labels, 2, sizes, k, share) == (not whole)
    expected = [
        all(
            is_whole([(key, p > point) for key, p in zip(keys, place, strict=True)], labels[0], sizes, k, share)
            or not _parts(keys, place, point, labels[0], sizes, k, share)
            for keys in rows
        )
        for point in range(5)
    ]
    found = kernel.whole_splits(chosen, codes, widths, labels, 2, sizes, place, 5, k, share)
    assert found.tolist() == expected


def _parts(keys, place, point, labels, sizes, k, share):
    """Whether a group that the point does part is broken by it; others were as they are before."""
    sides = {}
    for key, p, label, size in zip(keys, place, labels, sizes, strict=True):
        sides.setdefault(key, ([], []))[int(p > point)].append((label, size))
    for low, high in sides.values():
        for side in (low, high) if low and high else ():
            if not is_whole([0] * len(side), [label for label, _ in side], [size for _, size in side], k, share):
                return True
    return False
