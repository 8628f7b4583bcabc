"""NSVDist's greedy choice, exactly, without looking at every record for every pick.

The loss of a set of records is a sum over columns of whole numbers that never fall as the set grows. So what adding a
record cost earlier is a lower bound of what it costs now. Records lie in small blocks of neighbors; each block keeps a
lower bound of its cheapest record, from the box around the block and from the last time its records were priced. A pick
prices again only the blocks whose bound is no higher than the cheapest record seen: the others cannot win, nor tie.

Two kinds of columns. In an *interval* column the loss is the distance between the highest and the lowest coordinate. In
a *tree* column it is the price of the lowest node above all leaves; the nodes above the present one form a chain of
nested leaf ranges, and a leaf outside a range pays the step to the next one: no lookup, only comparisons.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Keys, Mask, Nodes
from shoal.kernels.jit import compiled

GONE = np.int32(1 << 30)
"""The price of a record that cannot be picked; every loss is below it."""


class Records(NamedTuple):
    """Distinct records in the order of their blocks.

    Attributes:
        coordinate: `[column, record]`: a scaled position in an interval column, the leaf in a tree column.
        leaf: `[column, record]`: the leaf code.
        rank: The place of each record in the order that decides ties.
        size: How many records each stands for.
        joint: The combination of sensitive values of each record.
        value: `[sensitive column, record]`: its values one by one.
    """

    coordinate: Nodes
    leaf: Nodes
    rank: Nodes
    size: Nodes
    joint: Nodes
    value: Nodes


class Trees(NamedTuple):
    """The hierarchies of the tree columns, one after the other; those of interval columns are empty.

    Attributes:
        offset: Where the nodes of each column begin; −1 for an interval column.
        parent: The parent of each node, numbered within its column; the root is its own.
        first: The first leaf under each node.
        last: The last leaf under each node.
        price: What each node costs.
        height: The most steps from a leaf to a root.
    """

    offset: Nodes
    parent: Nodes
    first: Nodes
    last: Nodes
    price: Nodes
    height: int


class Blocks(NamedTuple):
    """Records `start[g]` to `start[g + 1]` form block g, whose coordinates lie from `low[:, g]` to `high[:, g]`."""

    start: Nodes
    low: Nodes
    high: Nodes


class Wanted(NamedTuple):
    """Sets of `k` records, none of whose sensitive values occurs more than `cap[column]` times.

    Attributes:
        k: The size of a set.
        cap: The most records with one value, per sensitive column.
        fair: Whether ties go to the record used least so far, rather than to the first one.
    """

    k: int
    cap: Nodes
    fair: bool


class Closures(NamedTuple):
    """What became of each seed.

    Attributes:
        low: `[column, seed]`: the lowest leaf of an interval column, the node of a tree column.
        high: The highest leaf; the node again.
        counts: `[seed, combination of sensitive values]`: how many records of the set carry it.
        member: `[seed, 0…k−1]`: the records of the set in the order they were picked, the seed first; may be empty.
        stuck: Which seeds could not be given k records.
    """

    low: Nodes
    high: Nodes
    counts: Nodes
    member: Nodes
    stuck: Mask


@compiled
def _chain(trees: Trees, column: int, node: int, steps: Nodes, firsts: Nodes, lasts: Nodes) -> int:
    """The nodes from `node` up to below the root: their ranges, and what a leaf outside pays on top; how many."""
    offset = trees.offset[column]
    length = 0
    while trees.parent[offset + node] != node:
        up = trees.parent[offset + node]
        steps[length] = trees.price[offset + up] - trees.price[offset + node]
        firsts[length], lasts[length] = trees.first[offset + node], trees.last[offset + node]
        length += 1
        node = up
    return length


@compiled
def _add_interval(cost: Nodes, low: Nodes, high: Nodes, least: int, most: int) -> None:
    """Add the width of the interval that also holds the nearest point of [low, high]."""
    for i in range(len(cost)):
        cost[i] += max(np.int32(most), low[i]) - min(np.int32(least), high[i])


@compiled
def _move_interval(cost: Nodes, low: Nodes, high: Nodes, before: tuple[int, int], after: tuple[int, int]) -> None:
    """The same, less what was added for an earlier interval."""
    least, most = np.int32(before[0]), np.int32(before[1])
    lower, higher = np.int32(after[0]), np.int32(after[1])
    for i in range(len(cost)):
        cost[i] += max(higher, low[i]) - min(lower, high[i]) - (max(most, low[i]) - min(least, high[i]))


@compiled
def _add_outside(cost: Nodes, low: Nodes, high: Nodes, first: int, last: int, step: int) -> None:
    """Add `step` where no leaf from low to high is in the range."""
    f, l, s = np.int32(first), np.int32(last), np.int32(step)  # noqa: E741
    for i in range(len(cost)):
        cost[i] += s if (high[i] < f) | (low[i] > l) else np.int32(0)


@compiled
def _add_inside(cost: Nodes, low: Nodes, high: Nodes, first: int, last: int, step: int) -> None:
    """Add `step` where a leaf from low to high is in the range."""
    f, l, s = np.int32(first), np.int32(last), np.int32(step)  # noqa: E741
    for i in range(len(cost)):
        cost[i] += np.int32(0) if (high[i] < f) | (low[i] > l) else s


@compiled
def _least(values: Nodes) -> int:
    best: int = values[0]
    for i in range(1, len(values)):
        best = min(best, values[i])
    return best


@compiled
def greedy(
    seeds: Keys, records: Records, trees: Trees, blocks: Blocks, wanted: Wanted, used: Keys, closures: Closures
) -> None:
    """Algorithm 1 for some seeds; seed number j fills column, or row, j of `closures`.

    `used` counts how often each record was picked, and decides ties where `wanted.fair`; else it is not touched.
    """
    coordinate, leaf, rank, size = records.coordinate, records.leaf, records.rank, records.size
    columns, number = coordinate.shape
    groups = len(blocks.start) - 1
    start = blocks.start
    steps = np.empty((columns, trees.height), np.int32)
    firsts, lasts = np.empty_like(steps), np.empty_like(steps)
    length = np.zeros(columns, np.int32)
    least, most = np.empty(columns, np.int32), np.empty(columns, np.int32)
    low, high = np.empty(columns, np.int32), np.empty(columns, np.int32)
    cost = np.empty(number, np.int32)  # of each record, as of the time its block was priced
    bound = np.empty(groups, np.int32)  # of each block, from its box
    key = np.empty(groups, np.int32)  # the best lower bound of each block
    priced = np.full(groups, -1, np.int64)  # when the records of each block were priced
    rest = size.copy()
    sensitive = len(wanted.cap)
    widest = 0
    for s in range(sensitive):
        for i in range(number):
            widest = max(widest, records.value[s, i] + 1)
    tally = np.zeros((sensitive, widest), np.int32)
    picked = np.empty(wanted.k, np.int64)
    now = 0
    for place in range(len(seeds)):
        seed = seeds[place]
        now += 1
        full = 0  # how many sensitive values have reached their cap
        for s in range(sensitive):
            for v in range(widest):
                tally[s, v] = 0
            tally[s, records.value[s, seed]] = 1
            full += wanted.cap[s] == 1
        picked[0] = seed
        rest[seed] -= 1
        base = 0
        for g in range(groups):
            bound[g] = 0
        for column in range(columns):
            low[column] = high[column] = leaf[column, seed]
            if trees.offset[column] < 0:
                least[column] = most[column] = coordinate[column, seed]
                _add_interval(bound, blocks.low[column], blocks.high[column], least[column], most[column])
            else:
                length[column] = _chain(trees, column, leaf[column, seed], steps[column], firsts[column], lasts[column])
                base += trees.price[trees.offset[column] + leaf[column, seed]]
                for h in range(length[column]):
                    _add_outside(
                        bound,
                        blocks.low[column],
                        blocks.high[column],
                        firsts[column, h],
                        lasts[column, h],
                        steps[column, h],
                    )
        for g in range(groups):
            bound[g] += base
            key[g] = bound[g]
        chosen = 1
        while chosen < wanted.k:
            # Price blocks until the cheapest one is up to date.
            cheapest = _least(key)
            if cheapest >= GONE:
                break
            behind = True
            while behind:
                behind = False
                for g in range(groups):
                    if key[g] == cheapest and priced[g] < now:
                        part = cost[start[g] : start[g + 1]]
                        for i in range(len(part)):
                            part[i] = base
                        for column in range(columns):
                            here = coordinate[column, start[g] : start[g + 1]]
                            if trees.offset[column] < 0:
                                _add_interval(part, here, here, least[column], most[column])
                            else:
                                for h in range(length[column]):
                                    _add_outside(
                                        part, here, here, firsts[column, h], lasts[column, h], steps[column, h]
                                    )
                        for i in range(len(part)):
                            if rest[start[g] + i] == 0:
                                part[i] = GONE
                        if full > 0:
                            for i in range(len(part)):
                                for s in range(sensitive):
                                    if tally[s, records.value[s, start[g] + i]] >= wanted.cap[s]:
                                        part[i] = GONE
                        priced[g] = now
                        key[g] = _least(part)
                        behind = True
                if behind:
                    cheapest = _least(key)
            if cheapest >= GONE:
                break
            # Among the cheapest records, the first, or the one used least.
            best = -1
            for g in range(groups):
                if key[g] == cheapest:
                    for i in range(start[g], start[g + 1]):
                        if cost[i] == cheapest:
                            if best < 0:
                                best = i
                            elif wanted.fair and used[i] * size[best] != used[best] * size[i]:
                                if used[i] * size[best] < used[best] * size[i]:
                                    best = i
                            elif rank[i] < rank[best]:
                                best = i
            picked[chosen] = best
            chosen += 1
            rest[best] -= 1
            if wanted.fair:
                used[best] += 1
            if rest[best] == 0:
                g = int(np.searchsorted(start, best, side="right")) - 1
                cost[best] = GONE
                key[g] = _least(cost[start[g] : start[g + 1]])
            for s in range(sensitive):
                value = records.value[s, best]
                tally[s, value] += 1
                if tally[s, value] == wanted.cap[s]:
                    full += 1
                    now += 1  # what was priced may be out of reach now, but none got cheaper
            # Grow the closure; bounds of blocks follow column by column.
            grown = False
            for column in range(columns):
                x = leaf[column, best]
                if trees.offset[column] < 0:
                    low[column], high[column] = min(low[column], x), max(high[column], x)
                    y = coordinate[column, best]
                    if y < least[column] or y > most[column]:
                        before = (least[column], most[column])
                        least[column], most[column] = min(least[column], y), max(most[column], y)
                        after = (least[column], most[column])
                        _move_interval(bound, blocks.low[column], blocks.high[column], before, after)
                        grown = True
                else:
                    offset = trees.offset[column]
                    node = low[column]
                    h = 0
                    while x < trees.first[offset + node] or x > trees.last[offset + node]:
                        _add_inside(
                            bound,
                            blocks.low[column],
                            blocks.high[column],
                            firsts[column, h],
                            lasts[column, h],
                            steps[column, h],
                        )
                        base += steps[column, h]
                        h += 1
                        node = trees.parent[offset + node]
                    if h > 0:
                        low[column] = high[column] = node
                        length[column] -= h
                        for j in range(length[column]):
                            steps[column, j] = steps[column, j + h]
                            firsts[column, j], lasts[column, j] = firsts[column, j + h], lasts[column, j + h]
                        grown = True
            if grown:
                now += 1
                for g in range(groups):
                    key[g] = max(key[g], bound[g])
        closures.stuck[place] = chosen < wanted.k
        for column in range(columns):
            closures.low[column, place], closures.high[column, place] = low[column], high[column]
        for i in range(chosen):
            rest[picked[i]] += 1
            closures.counts[place, records.joint[picked[i]]] += 1
        if closures.member.shape[1] > 0:
            for i in range(chosen):
                closures.member[place, i] = picked[i]


def empty(columns: int, seeds: int, combinations: int, members: int) -> Closures:
    """Room for the closures of some seeds."""
    nodes: NDArray[np.int32] = np.zeros((columns, seeds), dtype=np.int32)
    return Closures(
        nodes,
        nodes.copy(),
        np.zeros((seeds, combinations), dtype=np.int32),
        np.zeros((seeds, members), dtype=np.int32),
        np.zeros(seeds, dtype=np.bool_),
    )
