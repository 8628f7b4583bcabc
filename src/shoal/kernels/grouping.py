"""Number and count the distinct combinations of several code columns, fast.

Grouping is where a lattice search spends its time. A combination becomes one integer (mixed radix); as long as the
product of the cardinalities is comparable to the number of records, counting is a `bincount` into a dense table, and
whenever the product grows beyond that, the combinations seen so far are renumbered first. So nothing is sorted unless
a single column is far wider than the table is long, and no product overflows however many columns there are.
Numbering follows the lexicographic order of the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Sizes

_DENSE_CELLS_PER_RECORD = 4
_SMALLEST_DENSE = 1 << 12


def narrowest(cardinality: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The smallest unsigned dtype that holds the codes 0…cardinality−1."""
    return np.min_scalar_type(max(cardinality - 1, 0))


def dense_limit(records: int) -> int:
    """How many cells a counting table may have before renumbering is cheaper than counting."""
    return max(_DENSE_CELLS_PER_RECORD * records, _SMALLEST_DENSE)


def compact(keys: Keys, domain: int) -> tuple[Keys, int]:
    """Renumber `keys` from 0…domain−1 to 0…G−1, G the number of distinct keys, keeping their order."""
    if domain <= 4 * dense_limit(len(keys)):
        seen = np.zeros(domain, dtype=np.bool_)
        seen[keys] = True
        present = np.flatnonzero(seen)
        number = np.empty(domain, dtype=np.int64)
        number[present] = np.arange(len(present))
        return number[keys], len(present)
    distinct, renumbered = np.unique(keys, return_inverse=True)
    return renumbered.astype(np.int64, copy=False), len(distinct)


def extend(keys: Keys, domain: int, column: Codes, cardinality: int) -> tuple[Keys, int]:
    """Keys that tell one column more apart, and the number of values they can take."""
    if cardinality == 1:
        return keys, domain
    if domain == 1:
        return column.astype(np.int64), cardinality
    if domain > len(keys) and domain * cardinality > dense_limit(len(keys)):
        keys, domain = compact(keys, domain)
    keys = keys * cardinality
    keys += column
    return keys, domain * cardinality


def pack(columns: Sequence[Codes], cardinalities: Sequence[int], records: int) -> tuple[Keys, int]:
    """One integer below `domain` per record, equal exactly where all columns are equal, ordered as the columns are."""
    keys, domain = np.zeros(records, dtype=np.int64), 1
    for column, cardinality in zip(columns, cardinalities, strict=True):
        keys, domain = extend(keys, domain, column, cardinality)
    return keys, domain


def group(columns: Sequence[Codes], cardinalities: Sequence[int], records: int) -> tuple[Keys, int]:
    """The number of each record's group, 0…G−1 in lexicographic order, and G."""
    return compact(*pack(columns, cardinalities, records))


def totals(keys: Keys | Codes, domain: int, sizes: Sizes | Floats) -> Sizes:
    """Records per key. Exact below 2^53 records, where the doubles of `bincount` are."""
    return np.bincount(keys, weights=sizes, minlength=domain).astype(np.int64)


def members(keys: Keys, domain: int) -> Keys:
    """One record of each key, the last one; undefined where there is none."""
    last = np.empty(domain, dtype=np.int64)
    last[keys] = np.arange(len(keys), dtype=np.int64)
    return last


def distinct_rows(
    columns: Sequence[Codes], cardinalities: Sequence[int], sizes: Sizes | int
) -> tuple[list[Codes], Sizes]:
    """The distinct rows of some columns in lexicographic order, and the records of each.

    `sizes` is how many records each row stands for, or the number of rows that stand for one each. Rows are packed into
    one integer each and counted or sorted; the distinct ones are taken apart again, so that no row is looked up.
    """
    rows = sizes if isinstance(sizes, int) else len(sizes)
    if prod(cardinalities) > np.iinfo(np.int64).max:
        labels, groups = group(columns, cardinalities, rows)
        first = members(labels, groups)
        weights = None if isinstance(sizes, int) else sizes
        counted = np.bincount(labels, weights=weights, minlength=groups).astype(np.int64)
        return [column[first] for column in columns], counted
    keys, domain = np.zeros(rows, dtype=np.int64), 1
    for column, cardinality in zip(columns, cardinalities, strict=True):
        if cardinality > 1:
            if domain > 1:
                keys *= cardinality
            keys += column
            domain *= cardinality
    keys, counted = _count(keys, domain, sizes)
    digits: list[Codes] = []
    for cardinality in reversed(cardinalities):
        if cardinality == 1:
            digits.append(np.zeros(len(keys), dtype=np.uint8))
        else:
            above = keys // cardinality
            digits.append((keys - above * cardinality).astype(narrowest(cardinality)))
            keys = above
    return digits[::-1], counted


def _count(keys: Keys, domain: int, sizes: Sizes | int) -> tuple[Keys, Sizes]:
    """The distinct keys in order, and the records of each. May reorder `keys`."""
    if domain <= dense_limit(len(keys)) // 2:
        counted = np.bincount(keys, weights=None if isinstance(sizes, int) else sizes, minlength=domain)
        present = np.flatnonzero(counted > 0)
        return present, counted[present].astype(np.int64)
    if isinstance(sizes, int):
        keys.sort()
        starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
        return keys[starts], np.diff(starts, append=len(keys)).astype(np.int64)
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    return keys[starts], np.add.reduceat(sizes[order], starts) if len(starts) else sizes
