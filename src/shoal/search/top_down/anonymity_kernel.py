"""How small groups become when one of their columns is split: the inner loop of top-down specialization."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.kernels.jit import compiled


@compiled
def least_sides(group: Keys, place: Keys, firsts: Sizes, lasts: Sizes, value: Keys, points: Keys, most: int) -> Sizes:
    """The smallest group that each split point leaves behind, among groups that it splits; `most` if it splits none.

    Split points are numbered through, value after value, and so are places, of which each value has one more: in value
    v, point i parts places up to i + v from those after it.

    Args:
        group: The group of each cell, ascending.
        place: The place of each cell, ascending within a group.
        firsts: The records of each cell; or the persons who have none in a lower place of the group.
        lasts: The records of each cell; or the persons who have none in a higher place of the group.
        value: The value that each group has in the column; −1 for one that cannot be split.
        points: How many split points each value has.
        most: What is larger than every group.
    """
    total = 0
    for v in range(len(points)):
        total += points[v]
    height = 1
    while (1 << height) <= total:
        height += 1
    # least[h, i] is for the points i … i + 2^h − 1: two entries cover any range, and are handed down at the end.
    least = np.full((height, max(total, 1)), most)
    i = 0
    while i < len(group):
        end = i
        while end < len(group) and group[end] == group[i]:
            end += 1
        v = value[group[i]]
        if v >= 0 and points[v] > 0:
            below, above = 0, 0
            for k in range(i, end):
                above += lasts[k]
            for k in range(i, end - 1):
                below += firsts[k]
                above -= lasts[k]
                _lower(least, place[k] - v, place[k + 1] - v, min(below, above))
        i = end
    for h in range(height - 1, 0, -1):
        half = 1 << (h - 1)
        for k in range(total):
            here = least[h, k]
            least[h - 1, k] = min(least[h - 1, k], here)
            if k + half < total:
                least[h - 1, k + half] = min(least[h - 1, k + half], here)
    return least[0, :total].copy()


@compiled
def _lower(least: Sizes, low: int, high: int, to: int) -> None:
    """No point from `low` up to and without `high` is above `to`."""
    if high <= low:
        return
    h = 0
    while (2 << h) <= high - low:
        h += 1
    least[h, low] = min(least[h, low], to)
    least[h, high - (1 << h)] = min(least[h, high - (1 << h)], to)


@compiled
def spans(group: Keys, place: Keys, groups: int, record: Keys, person: Keys) -> tuple[Keys, Keys, Keys]:
    """For each person in each group: the group, and their lowest and highest place in it.

    Args:
        group: The group of each record; −1 if it takes no part.
        place: The place of each record.
        groups: How many groups there are.
        record: The record of each pair of a record and a person, in the order of persons.
        person: Its person.
    """
    of_group, first = np.empty(len(record), np.int64), np.empty(len(record), np.int64)
    last = np.empty(len(record), np.int64)
    whose, slot = np.full(groups, -1, np.int64), np.empty(groups, np.int64)
    number = 0
    for pair in range(len(record)):
        here, at = group[record[pair]], place[record[pair]]
        if here < 0:
            continue
        if whose[here] != person[pair]:
            whose[here], slot[here] = person[pair], number
            of_group[number], first[number], last[number] = here, at, at
            number += 1
        else:
            first[slot[here]] = min(first[slot[here]], at)
            last[slot[here]] = max(last[slot[here]], at)
    return of_group[:number], first[:number], last[:number]
