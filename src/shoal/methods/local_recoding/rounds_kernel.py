"""The cheapest generalized cells first: every cell that still has k records becomes a class, from cheap to dear."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes, Sizes
from shoal.kernels.heads import Pairs
from shoal.kernels.jit import compiled

_SPREAD = np.int64(-7046029254386353131)  # 2^64 / golden ratio: spreads keys over a hash table


class Levels(NamedTuple):
    """The levels of all hierarchies side by side: level l of column j starts at `at[j, l]`.

    Attributes:
        group: Which node of the level each value is under, numbered from 0.
        cost: What a cell with this node costs.
        at: Where the values of a level start.
        size: How many nodes a level has.
        heights: How many levels each column has above its values.
    """

    group: Keys
    cost: Floats
    at: Keys
    size: Keys
    heights: Keys


@compiled
def _people(head: int, following: Keys, left: Keys, pairs: Pairs, k: int, marks: Keys, stamp: int, record: Keys) -> int:
    """How many persons have a record of a list, but k if they are more: counting stops there."""
    people, i = 0, head
    while i >= 0:
        here = record[left[i]]
        for pair in range(pairs.starts[here], pairs.starts[here + 1]):
            if marks[pairs.person[pair]] != stamp:
                marks[pairs.person[pair]] = stamp
                people += 1
                if people == k:
                    return people
        i = following[i]
    return people


@compiled
def cell_rounds(  # noqa: PLR0917  compiled functions take positions
    codes: Nodes,
    sizes: Sizes,
    k: int,
    levels: Levels,
    least: Keys,
    step: float,
    rounds: int,
    record: Keys,
    pairs: Pairs,
) -> tuple[Keys, int]:
    """The class of each row, −1 where none was found, and how many classes there are.

    A node of the lattice is first looked at in round `least[node]`; in round r its cells with k left that cost
    less than (r + 1) · step become classes, and the node comes back in the round of the next dearer such cell.

    Args:
        codes: `codes[row, column]`: values numbered 0, 1, … per column.
        sizes: How many records each row stands for; where persons are counted, how many persons have it.
        k: How many records, or persons, a class has at least.
        levels: The hierarchies.
        least: The first round of each node of the lattice, the last column's level running fastest.
        step: The price range of one round.
        rounds: How many rounds there are.
        record: The number of each row in the table.
        pairs: Who has which records, if persons are counted.
    """
    n, d = codes.shape
    due = least.copy()
    room = 16
    while room < 2 * n:
        room *= 2
    key, total, stamp = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    number = np.empty(room, dtype=np.int64)
    left, slot = np.arange(n), np.empty(n, dtype=np.int64)
    label, classes, remaining, visit = np.full(n, -1, dtype=np.int64), 0, n, 0
    at, size = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64)
    by_persons = len(pairs.starts) > 0
    marks, mark = np.zeros(pairs.people, dtype=np.int64), 0
    head, following = np.full(room, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for turn in range(rounds):
        for node in range(len(due)):
            if due[node] != turn or remaining == 0:
                continue
            visit += 1
            rest = node
            for j in range(d - 1, -1, -1):
                level = rest % (levels.heights[j] + 1)
                rest //= levels.heights[j] + 1
                at[j], size[j] = levels.at[j, level], levels.size[j, level]
            found = False
            for i in range(remaining):
                row = left[i]
                packed = np.int64(0)
                for j in range(d):
                    packed = packed * size[j] + levels.group[at[j] + codes[row, j]]
                spread = packed * _SPREAD
                place = (spread ^ (spread >> 32)) & (room - 1)
                while stamp[place] == visit and key[place] != packed:
                    place = (place + 1) & (room - 1)
                if stamp[place] != visit:
                    stamp[place], key[place], total[place], number[place] = visit, packed, 0, -1
                total[place] += sizes[row]
                slot[i] = place
                found |= total[place] >= k
            due[node] = -1
            if not found:
                continue
            if by_persons:  # cells with persons enough if nobody had two records in one
                found = False
                for i in range(remaining):
                    following[i], head[slot[i]] = head[slot[i]], i
                for i in range(remaining):
                    place = slot[i]
                    if head[place] >= 0 and total[place] >= k:
                        mark += 1
                        total[place] = _people(head[place], following, left, pairs, k, marks, mark, record)
                        found |= total[place] >= k
                    head[place] = -1
                if not found:
                    continue
            later, kept = np.inf, 0
            for i in range(remaining):
                row, place = left[i], slot[i]
                if total[place] >= k:
                    cost = 0.0
                    for j in range(d):
                        cost += levels.cost[at[j] + codes[row, j]]
                    if cost < (turn + 1) * step:
                        if number[place] < 0:
                            number[place] = classes
                            classes += 1
                        label[row] = number[place]
                        continue
                    later = min(later, cost)
                left[kept] = row
                kept += 1
            remaining = kept
            if later < np.inf:
                due[node] = max(turn + 1, min(int(later / step), rounds - 1))
    return label, classes
