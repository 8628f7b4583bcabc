"""Take records in turn from several sorted lists of the same records, k at a time."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Nodes, Sizes
from shoal.kernels.jit import compiled


@compiled
def take_in_turn(orders: Nodes, sizes: Sizes, k: int, groups: int) -> tuple[Keys, Keys, Sizes]:
    """Groups of k records: group g takes the first that are left in `orders[g % len(orders)]`; the last takes the rest.

    `orders[i]` lists all rows; row r stands for `sizes[r]` records and may be divided. Returns parts: which row, in
    which group, how many records.
    """
    rows = len(sizes)
    left = sizes.copy()
    start = np.zeros(len(orders), dtype=np.int64)
    source = np.empty(rows + groups, dtype=np.int64)
    label = np.empty(rows + groups, dtype=np.int64)
    taken = np.empty(rows + groups, dtype=np.int64)
    parts = 0
    for group in range(groups - 1):
        which = group % len(orders)
        wanted = k
        while wanted > 0:
            row = orders[which, start[which]]
            if left[row] == 0:
                start[which] += 1
                continue
            count = min(wanted, left[row])
            left[row] -= count
            wanted -= count
            source[parts], label[parts], taken[parts] = row, group, count
            parts += 1
    for row in range(rows):
        if left[row] > 0:
            source[parts], label[parts], taken[parts] = row, groups - 1, left[row]
            parts += 1
    return source[:parts], label[:parts], taken[:parts]
