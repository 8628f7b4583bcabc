"""Number the distinct combinations of several code columns, fast.

Grouping is where a lattice search spends its time. A combination becomes one integer (mixed radix); as long as the
product of the cardinalities is comparable to the number of records, counting is a `bincount` into a dense table, and
whenever the product grows beyond that, the combinations seen so far are renumbered first. So nothing is sorted unless
a single column is far wider than the table is long, and no product overflows however many columns there are.
Numbering follows the lexicographic order of the columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Codes, Keys, Sizes

_DENSE_CELLS_PER_RECORD = 16
_SMALLEST_DENSE = 1 << 14
_SAFE_PRODUCT = 1 << 62


def dense_limit(records: int) -> int:
    """How many cells a counting table may have before renumbering is cheaper than counting."""
    return max(_DENSE_CELLS_PER_RECORD * records, _SMALLEST_DENSE)


def compact(keys: Keys, domain: int) -> tuple[Keys, int]:
    """Renumber `keys` from 0…domain−1 to 0…G−1, G the number of distinct keys, keeping their order."""
    if domain <= dense_limit(len(keys)):
        seen = np.zeros(domain, dtype=np.bool_)
        seen[keys] = True
        number = np.cumsum(seen, dtype=np.int64)
        return number[keys] - 1, int(number[-1]) if domain else 0
    distinct, renumbered = np.unique(keys, return_inverse=True)
    return renumbered.astype(np.int64, copy=False), len(distinct)


def pack(columns: Sequence[Codes], cardinalities: Sequence[int], records: int) -> tuple[Keys, int]:
    """One integer below `domain` per record, equal exactly where all columns are equal, ordered as the columns are."""
    keys = np.zeros(records, dtype=np.int64)
    domain = 1
    limit = dense_limit(records)
    for column, cardinality in zip(columns, cardinalities, strict=True):
        if cardinality == 1:
            continue
        if domain == 1:
            keys[:] = column
            domain = cardinality
            continue
        product = domain * cardinality
        if product > limit and (domain > records or product > _SAFE_PRODUCT):
            keys, domain = compact(keys, domain)
        keys *= cardinality
        keys += column
        domain *= cardinality
    return keys, domain


def group(columns: Sequence[Codes], cardinalities: Sequence[int], records: int) -> tuple[Keys, int]:
    """The number of each record's group, 0…G−1 in lexicographic order, and G."""
    keys, domain = pack(columns, cardinalities, records)
    return compact(keys, domain)


def totals(labels: Keys, groups: int, sizes: Sizes) -> Sizes:
    """Records per group. Exact below 2^53 records, where the doubles of `bincount` are."""
    return np.bincount(labels, weights=sizes, minlength=groups).astype(np.int64)


def representatives(labels: Keys, groups: int) -> Keys:
    """One record of each group: the position of its last one."""
    last = np.empty(groups, dtype=np.int64)
    last[labels] = np.arange(len(labels), dtype=np.int64)
    return last
