"""What becomes of noisy counts before they are published: whole numbers of 0 or more that add up to what there is."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.search.top_down.cut import GrowingCut


def balanced(counts: Sizes, total: int) -> Sizes:
    """The counts lowered by one number until they add up to `total`, none below 0: the nearest such list.

    Leaving out negative counts makes the rest too many by what the noise of empty cells adds. The result minimizes the
    squared distance to `counts` among lists of non-negative numbers with this total, and is then rounded to whole
    numbers by largest remainders. Counts that add up to less stay as they are. Sees noisy numbers only: costs nothing.

    >>> balanced(np.array([10, 4, 2, 1, 1]), 13).tolist()
    [9, 3, 1, 0, 0]
    """
    total = max(total, 0)
    if total >= int(counts.sum()):
        return counts
    descending = np.sort(counts)[::-1].astype(np.float64)
    excess = (np.cumsum(descending) - total) / np.arange(1, len(descending) + 1)
    last = int(np.flatnonzero(descending > excess)[-1]) if (descending > excess).any() else 0
    lowered = np.maximum(counts - excess[last], 0.0)
    whole: Sizes = np.floor(lowered).astype(np.int64)
    missing = total - int(whole.sum())
    if missing > 0:
        remainders = np.argsort(whole - lowered, kind="stable")  # the largest remainder first, then the first cell
        whole[remainders[:missing]] += 1
    return whole


def agreement(cut: GrowingCut, keys: Keys, counts: Sizes) -> int:
    """How many records have the class that prevails in their published group, or, if that is not published, overall.

    For a fixed release one record more adds 0 or 1.
    """
    group, label = np.divmod(keys, cut.classes)
    overall = int(np.bincount(label, weights=counts, minlength=cut.classes).argmax()) if len(keys) else 0
    order = np.lexsort(
        (-label, counts, group)
    )  # the last of each group has the most records, the first class of equals
    last = np.flatnonzero(np.diff(group[order], append=-1))
    groups, prevails = group[order][last], label[order][last]
    held, sizes = cut.cell_keys()
    asked, true = np.divmod(held, cut.classes)
    at = np.minimum(np.searchsorted(groups, asked), max(len(groups) - 1, 0))
    predicted = np.where(groups[at] == asked, prevails[at], overall) if len(groups) else np.full(len(asked), overall)
    return int(sizes[predicted == true].sum())
