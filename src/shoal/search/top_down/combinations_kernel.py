"""What a specialization does to the groups of every combination of a few columns: the inner loop of LKC-privacy."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Sizes
from shoal.kernels.jit import compiled

_LARGEST = 1 << 62
_FEWEST_SLOTS = 1 << 12
_SPREAD = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio: spreads neighboring keys over a table."""


@compiled
def broken_branches(
    combinations: Keys, codes: Codes, widths: Keys, labels: Codes, values: int, sizes: Sizes, k: int, share: float
) -> bool:
    """Whether, for some combination of columns, a group is smaller than k or has too much of one protected value.

    Args:
        combinations: `combinations[c]` are the columns of one.
        codes: `codes[column, record]`.
        widths: How many codes each column has.
        labels: `labels[s, record]`: the protected value of a record in sensitive column s, −1 for one that is not.
        values: How many protected values there are, over all sensitive columns.
        sizes: How often each record occurs.
        k: The size of the smallest group allowed.
        share: The largest share of a value allowed.
    """
    records = len(sizes)
    group, slots = np.empty(records, np.int64), _slots(records)
    total, of_value = np.empty(records, np.int64), np.empty((records, max(values, 1)), np.int64)
    for c in range(len(combinations)):
        groups = _number(combinations[c], codes, widths, group, slots)
        total[:groups] = 0
        of_value[:groups] = 0
        for r in range(records):
            total[group[r]] += sizes[r]
            for s in range(len(labels)):
                if labels[s, r] >= 0:
                    of_value[group[r], labels[s, r]] += sizes[r]
        for g in range(groups):
            if total[g] < k or _exceeds(of_value[g], total[g], values, share):
                return True
    return False


@compiled
def whole_splits(  # noqa: PLR0917  a kernel takes arrays, not objects
    combinations: Keys,
    codes: Codes,
    widths: Keys,
    labels: Codes,
    values: int,
    sizes: Sizes,
    place: Codes,
    points: int,
    k: int,
    share: float,
) -> Mask:
    """Which of a value's split points break no group of any combination; point i parts places up to i from the others.

    Records come in the order of their places; the other arguments are those of `broken_branches`.
    """
    records = len(sizes)
    group, slots = np.empty(records, np.int64), _slots(records)
    ends, order = np.empty(records + 1, np.int64), np.empty(records, np.int64)
    left, right = np.zeros(max(values, 1), np.int64), np.zeros(max(values, 1), np.int64)
    broken = np.zeros(points + 1, np.int64)  # +1 where a run of broken points begins, −1 after its end
    whole = np.ones(points, np.bool_)
    for c in range(len(combinations)):
        groups = _number(combinations[c], codes, widths, group, slots)
        ends[: groups + 1] = 0
        for r in range(records):
            ends[group[r] + 1] += 1
        for g in range(groups):
            ends[g + 1] += ends[g]
        for r in range(records):
            order[ends[group[r]]] = r
            ends[group[r]] += 1
        i = 0
        for g in range(groups):  # the records of group g now end at ends[g]
            total, below = 0, 0
            left[:] = 0
            right[:] = 0
            for j in range(i, ends[g]):
                r = order[j]
                total += sizes[r]
                for s in range(len(labels)):
                    if labels[s, r] >= 0:
                        right[labels[s, r]] += sizes[r]
            for j in range(i, ends[g] - 1):
                r = order[j]
                below += sizes[r]
                for s in range(len(labels)):
                    if labels[s, r] >= 0:
                        left[labels[s, r]] += sizes[r]
                        right[labels[s, r]] -= sizes[r]
                low, high = place[r], place[order[j + 1]]
                if low < high and (
                    min(below, total - below) < k
                    or _exceeds(left, below, values, share)
                    or _exceeds(right, total - below, values, share)
                ):
                    broken[low] += 1
                    broken[high] -= 1
            i = ends[g]
        running, any_left = 0, False
        for p in range(points):
            running += broken[p]
            whole[p] = running == 0
            any_left |= whole[p]
        if not any_left:
            break
    return whole


@compiled
def _exceeds(of_value: Sizes, total: int, values: int, share: float) -> bool:
    for v in range(values):  # noqa: SIM110  numba has no generators in any()
        if of_value[v] > share * total:
            return True
    return False


@compiled
def _slots(records: int) -> Keys:
    """Room for numbering: two rows, keys and numbers, each of a power of two that is twice the records or more."""
    size = _FEWEST_SLOTS
    while size < 2 * records:
        size *= 2
    return np.empty((2, size), np.int64)


@compiled
def _number(columns: Keys, codes: Codes, widths: Keys, group: Keys, slots: Keys) -> int:
    """Number the records 0…G−1 by the codes of some columns, into `group`; G."""
    group[:] = 0
    domain, groups = 1, 1
    is_compact = True
    for i in range(len(columns)):
        width = widths[columns[i]]
        if domain > _LARGEST // width:
            domain = _compact(group, domain, slots)
        for r in range(len(group)):
            group[r] = group[r] * width + codes[columns[i], r]
        domain *= width
        is_compact = False
    if not is_compact:
        groups = _compact(group, domain, slots)
    return groups


@compiled
def _compact(keys: Keys, domain: int, slots: Keys) -> int:
    """Renumber keys in the order of their first appearance; how many there are."""
    found, size = 0, slots.shape[1]
    if domain <= size:
        slots[1, :domain] = -1
        for r in range(len(keys)):
            key = keys[r]
            if slots[1, key] < 0:
                slots[1, key] = found
                found += 1
            keys[r] = slots[1, key]
        return found
    slots[1, :] = -1
    for r in range(len(keys)):
        key = keys[r]
        at = np.int64((np.uint64(key) * np.uint64(_SPREAD)) >> np.uint64(20)) & (size - 1)
        while slots[1, at] >= 0 and slots[0, at] != key:
            at = (at + 1) & (size - 1)
        if slots[1, at] < 0:
            slots[0, at], slots[1, at] = key, found
            found += 1
        keys[r] = slots[1, at]
    return found
