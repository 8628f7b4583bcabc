"""Sequential improvement of clusters: one record after another moves to where the table loses least.

Three things that follow from the definition save most of the work. The closure of a cluster is that of its lowest and
highest leaves, so it can only shrink without a record that is one of these ends. A record that grows a cluster of s by
some price makes it cost s + 1 times that more, so one column often tells that it does not pay, of a cluster or of a
block of neighboring ones. And a record that found no better cluster need only look at those that have changed since,
unless it would gain more by leaving than then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.jit import compiled
from shoal.methods.nsvdist.layout import Trees

_BLOCK = 32
"""Clusters that are looked at together first."""
_LITTLE = 1e-9
"""A share of a sum that no order of adding it up is off by."""


@compiled
def _joined(trees: Trees, column: int, low: int, high: int, leaf: int) -> tuple[int, int]:
    """The closure of a column once a leaf joins it: ends of an interval, or the node twice."""
    if trees.offset[column] < 0:
        return min(low, leaf), max(high, leaf)
    offset, node = trees.offset[column], low
    while leaf < trees.first[offset + node] or leaf > trees.last[offset + node]:
        node = trees.parent[offset + node]
    return node, node


@compiled
def _price(trees: Trees, scale: Floats, column: int, low: int, high: int) -> float:
    """What the closure of a column costs."""
    if trees.offset[column] < 0:
        return float((high - low) * scale[column])
    return float(trees.price[trees.offset[column] + low])


class Given(NamedTuple):
    """The table, and what is asked of clusters.

    Attributes:
        leaf: `leaf[record, column]`.
        value: `value[sensitive column, record]`.
        trees: The hierarchies, priced.
        scale: What one leaf more costs in an interval column.
        k: The least size of a cluster.
        diversity: ℓ.
    """

    leaf: Nodes
    value: Nodes
    trees: Trees
    scale: Floats
    k: int
    diversity: float


class Clusters(NamedTuple):
    """The clusters as they are now.

    Attributes:
        label: The cluster of each record.
        size: How many records each cluster has.
        tally: `[cluster, sensitive column, value]`: how many of its records carry it.
        low: `[cluster, column]`: the lowest leaf of an interval, the node of a tree.
        high: The highest leaf; the node again.
        first: `[cluster, column]`: a record with the lowest leaf.
        last: One with the highest.
        cost: What the closure of each cluster costs.
        head: One record of each cluster; the others follow it.
        following: The record of the same cluster after each one, −1 behind the last.
        before: The one before, −1 at the head.
        changed: After how many moves each cluster was changed last.
    """

    label: Keys
    size: Keys
    tally: Keys
    low: Nodes
    high: Nodes
    first: Keys
    last: Keys
    cost: Floats
    head: Keys
    following: Keys
    before: Keys
    changed: Keys


class Blocks(NamedTuple):
    """Some clusters that follow each other, as one: none costs less, is smaller or has leaves beyond.

    Attributes:
        cost: What the cheapest costs.
        size: How many records the smallest has.
        low: `[block, column]`: the lowest leaf that a closure holds.
        high: The highest.
        step: By how much more a tree column costs, at least, once it has to hold a leaf that it does not.
        changed: After how many moves one of them was changed last.
        extra: Room.
    """

    cost: Floats
    size: Keys
    low: Nodes
    high: Nodes
    step: Floats
    changed: Keys
    extra: Floats


@compiled
def improve(  # noqa: PLR0917  compiled functions take positions
    leaf: Nodes,
    value: Nodes,
    trees: Trees,
    scale: Floats,
    label: Keys,
    groups: int,
    k: int,
    diversity: float,
    passes: int,
) -> int:
    """Move records between clusters until no move of one record lowers Σ |C| · loss(C); changes `label`.

    A move must leave the cluster it leaves with k records, and both clusters with no sensitive value above the share
    1/diversity. Returns how often all records were tried.

    Args:
        leaf: `leaf[record, column]`.
        value: `value[sensitive column, record]`.
        trees: The hierarchies, priced.
        scale: What one leaf more costs in an interval column.
        label: The cluster of each record.
        groups: How many clusters there are.
        k: The least size of a cluster.
        diversity: ℓ.
        passes: So often all records are tried at most.
    """
    given = Given(leaf, value, trees, scale, k, diversity)
    clusters = _clusters(given, label, groups)
    number, columns = leaf.shape
    many = (groups + _BLOCK - 1) // _BLOCK
    blocks = Blocks(
        np.zeros(many),
        np.zeros(many, np.int64),
        np.zeros((many, columns), np.int32),
        np.zeros((many, columns), np.int32),
        np.zeros((many, columns)),
        np.zeros(many, np.int64),
        np.zeros(many),
    )
    for block in range(many):
        _sum_up(block, given, clusters, blocks)
    first, last = np.empty(columns, np.int64), np.empty(columns, np.int64)  # of a cluster without the record
    asked = np.empty(columns, np.int64)
    low, high = np.empty(columns, np.int32), np.empty(columns, np.int32)
    tried, hoped = np.full(number, -1, np.int64), np.zeros(number)  # after how many moves in vain, and for which gain
    done, moves = 0, 0
    while done < passes:
        done += 1
        before = moves
        for i in range(number):
            if not _may_leave(i, given, clusters):
                continue
            home = label[i]
            is_end = _is_end(i, clusters)
            if is_end:
                _ends_without(i, home, given, clusters, first, last, asked)
                _close(given, first, last, low, high)
            rest = _cost(trees, scale, low, high) if is_end else clusters.cost[home]
            gain = clusters.size[home] * clusters.cost[home] - (clusters.size[home] - 1) * rest
            best = _best_cluster(i, gain, tried[i] if gain <= hoped[i] else -1, given, clusters, blocks)
            if best < 0:
                tried[i], hoped[i] = moves, gain
                continue
            moves += 1
            tried[i] = -1
            if is_end:
                for column in range(columns):
                    clusters.first[home, column], clusters.last[home, column] = first[column], last[column]
                    clusters.low[home, column], clusters.high[home, column] = low[column], high[column]
                clusters.cost[home] = rest
            _move(i, best, given, clusters)
            for g in (home, best):
                clusters.changed[g] = blocks.changed[g // _BLOCK] = moves
                _sum_up(g // _BLOCK, given, clusters, blocks)
        if moves == before:
            break
    return done


@compiled
def _clusters(given: Given, label: Keys, groups: int) -> Clusters:
    """The clusters of given labels."""
    leaf, value = given.leaf, given.value
    number, columns = leaf.shape
    widest = 1
    for s in range(len(value)):
        for i in range(number):
            widest = max(widest, value[s, i] + 1)
    size, tally = np.zeros(groups, np.int64), np.zeros((groups, len(value), widest), np.int64)
    low, high = np.full((groups, columns), -1, np.int32), np.full((groups, columns), -1, np.int32)
    first, last = np.full((groups, columns), -1, np.int64), np.full((groups, columns), -1, np.int64)
    cost, head = np.zeros(groups), np.full(groups, -1, np.int64)
    following, before = np.full(number, -1, np.int64), np.full(number, -1, np.int64)
    changed, asked = np.zeros(groups, np.int64), np.empty(columns, np.int64)
    clusters = Clusters(label, size, tally, low, high, first, last, cost, head, following, before, changed)
    for i in range(number):
        g = label[i]
        size[g] += 1
        for s in range(len(value)):
            tally[g, s, value[s, i]] += 1
        _link(i, g, head, following, before)
    for g in range(groups):
        if size[g] > 0:
            _ends_without(-1, g, given, clusters, first[g], last[g], asked)
            _close(given, first[g], last[g], low[g], high[g])
            cost[g] = _cost(given.trees, given.scale, low[g], high[g])
    return clusters


@compiled
def _ends_without(i: int, g: int, given: Given, clusters: Clusters, first: Keys, last: Keys, columns: Keys) -> None:
    """Records with the lowest and with the highest leaf of each column of a cluster, one record left out.

    Only columns of which that record is an end are looked at; `columns` is room for their numbers.
    """
    leaf, following = given.leaf, clusters.following
    j = clusters.head[g]
    if j == i:
        j = following[j]
    asked = 0
    for column in range(len(first)):
        first[column], last[column] = clusters.first[g, column], clusters.last[g, column]
        if first[column] == i or last[column] == i:
            first[column] = last[column] = j
            columns[asked] = column
            asked += 1
    while j >= 0:
        if j != i:
            for at in range(asked):
                column = columns[at]
                x = leaf[j, column]
                if x < leaf[first[column], column]:
                    first[column] = j
                elif x > leaf[last[column], column]:
                    last[column] = j
        j = following[j]


@compiled
def _close(given: Given, first: Keys, last: Keys, low: Nodes, high: Nodes) -> None:
    """The closure of a cluster with these ends."""
    for column in range(len(low)):
        lowest, highest = given.leaf[first[column], column], given.leaf[last[column], column]
        low[column], high[column] = _joined(given.trees, column, lowest, lowest, highest)


@compiled
def _cost(trees: Trees, scale: Floats, low: Nodes, high: Nodes) -> float:
    """What a closure costs."""
    total = 0.0
    for column in range(len(low)):
        total += _price(trees, scale, column, low[column], high[column])
    return total


@compiled
def _may_leave(i: int, given: Given, clusters: Clusters) -> bool:
    """Whether the cluster of a record would still be large and diverse enough without it."""
    g = clusters.label[i]
    size, tally, value = clusters.size[g], clusters.tally, given.value
    if size <= given.k:
        return False
    for s in range(tally.shape[1]):
        for v in range(tally.shape[2]):
            count = tally[g, s, v] - (value[s, i] == v)
            if count * given.diversity > (size - 1) * (1 + 1e-12):
                return False
    return True


@compiled
def _is_end(i: int, clusters: Clusters) -> bool:
    """Whether the closure of its cluster may be smaller without a record."""
    g = clusters.label[i]
    for column in range(clusters.first.shape[1]):
        if clusters.first[g, column] == i or clusters.last[g, column] == i:
            return True
    return False


@compiled
def _sum_up(block: int, given: Given, clusters: Clusters, blocks: Blocks) -> None:
    """What the clusters of a block have in common."""
    trees = given.trees
    blocks.cost[block], blocks.size[block] = np.inf, len(clusters.label)
    for column in range(clusters.low.shape[1]):
        blocks.low[block, column], blocks.high[block, column] = np.iinfo(np.int32).max, -1
        blocks.step[block, column] = np.inf
    for g in range(block * _BLOCK, min(block * _BLOCK + _BLOCK, len(clusters.size))):
        if clusters.size[g] == 0:
            continue
        blocks.cost[block] = min(blocks.cost[block], clusters.cost[g])
        blocks.size[block] = min(blocks.size[block], clusters.size[g])
        for column in range(clusters.low.shape[1]):
            low, high, offset = clusters.low[g, column], clusters.high[g, column], trees.offset[column]
            if offset >= 0:
                above = trees.price[offset + trees.parent[offset + low]]
                step = above - trees.price[offset + low]
                blocks.step[block, column] = min(blocks.step[block, column], step)
                low, high = trees.first[offset + low], trees.last[offset + low]
            blocks.low[block, column] = min(blocks.low[block, column], low)
            blocks.high[block, column] = max(blocks.high[block, column], high)


@compiled
def _least_extra(i: int, block: int, limit: float, given: Given, blocks: Blocks) -> float:
    """No cluster of a block would cost less more with a record; whatever is above `limit` need not be exact."""
    surely = 1 - _LITTLE * 1e-3 * len(given.leaf)  # sizes are no larger, and sums off by no more
    extra = blocks.cost[block] * surely
    for column in range(given.leaf.shape[1]):
        if extra > limit:
            break
        x, low, high = given.leaf[i, column], blocks.low[block, column], blocks.high[block, column]
        if low <= x <= high:
            continue
        if given.trees.offset[column] >= 0:
            grown = blocks.step[block, column]
        else:
            grown = (low - x if x < low else x - high) * given.scale[column]
        extra += (blocks.size[block] + 1) * grown * surely
    return float(extra)


@compiled
def _best_cluster(i: int, gain: float, since: int, given: Given, clusters: Clusters, blocks: Blocks) -> int:
    """The cluster that would cost least more with a record, less than `gain`, and stay diverse; −1 if there is none.

    Of equals the first. Only those are looked at that were changed after so many moves; all of them if that is −1. The
    block that promises most comes first, so that the others have to be better than what it holds.
    """
    promising, most = -1, np.inf
    for block in range(len(blocks.cost)):
        blocks.extra[block] = np.inf
        if blocks.changed[block] > since:
            blocks.extra[block] = _least_extra(i, block, gain, given, blocks)
            if blocks.extra[block] < most:
                promising, most = block, blocks.extra[block]
    best, spent = -1, gain
    if promising >= 0 and most <= gain:
        best, spent = _best_of_block(i, promising, best, spent, gain, since, given, clusters)
    for block in range(len(blocks.cost)):
        if block != promising and blocks.extra[block] <= spent:
            best, spent = _best_of_block(i, block, best, spent, gain, since, given, clusters)
    return best


@compiled
def _best_of_block(
    i: int, block: int, best: int, spent: float, gain: float, since: int, given: Given, clusters: Clusters
) -> tuple[int, float]:
    """The best cluster so far, or a better one of a block, and what it would cost more."""
    value, diversity, size, tally = given.value, given.diversity, clusters.size, clusters.tally
    home = clusters.label[i]
    for h in range(block * _BLOCK, min(block * _BLOCK + _BLOCK, len(size))):
        if h == home or size[h] == 0 or clusters.changed[h] <= since or _costs_more(i, h, spent, given, clusters):
            continue
        extra = _extra(i, h, given, clusters)
        if extra >= gain * (1 - 1e-12) or extra > spent or (extra == spent and best < h):
            continue
        fits = True
        for s in range(len(value)):
            fits = fits and (tally[h, s, value[s, i]] + 1) * diversity <= (size[h] + 1) * (1 + 1e-12)
        if fits:
            best, spent = h, extra
    return best, spent


@compiled
def _costs_more(i: int, h: int, limit: float, given: Given, clusters: Clusters) -> bool:
    """Whether a cluster would certainly cost more than `limit` more with a record, for all that rounding can do."""
    trees, scale, size = given.trees, given.scale, clusters.size[h] + 1
    extra = clusters.cost[h]
    slack = _LITTLE * size * extra
    if extra - slack > limit:
        return True
    for column in range(given.leaf.shape[1]):
        low, high, x = clusters.low[h, column], clusters.high[h, column], given.leaf[i, column]
        a, b = _joined(trees, column, low, high, x)
        if a != low or b != high:
            grown = _price(trees, scale, column, a, b)
            extra += size * (grown - _price(trees, scale, column, low, high))
            slack += _LITTLE * size * grown
            if extra - slack > limit:
                return True
    return False


@compiled
def _extra(i: int, h: int, given: Given, clusters: Clusters) -> float:
    """What a cluster would cost more with a record."""
    grown = 0.0
    for column in range(given.leaf.shape[1]):
        low, high, x = clusters.low[h, column], clusters.high[h, column], given.leaf[i, column]
        a, b = _joined(given.trees, column, low, high, x)
        grown += _price(given.trees, given.scale, column, a, b)
    return float((clusters.size[h] + 1) * grown - clusters.size[h] * clusters.cost[h])


@compiled
def _move(i: int, best: int, given: Given, clusters: Clusters) -> None:
    """Put a record into another cluster; what the one it leaves costs is settled before."""
    home, value, leaf = clusters.label[i], given.value, given.leaf
    _unlink(i, home, clusters.head, clusters.following, clusters.before)
    _link(i, best, clusters.head, clusters.following, clusters.before)
    clusters.label[i] = best
    clusters.size[home] -= 1
    clusters.size[best] += 1
    for s in range(len(value)):
        clusters.tally[home, s, value[s, i]] -= 1
        clusters.tally[best, s, value[s, i]] += 1
    for column in range(leaf.shape[1]):
        if leaf[i, column] < leaf[clusters.first[best, column], column]:
            clusters.first[best, column] = i
        elif leaf[i, column] > leaf[clusters.last[best, column], column]:
            clusters.last[best, column] = i
    _close(given, clusters.first[best], clusters.last[best], clusters.low[best], clusters.high[best])
    clusters.cost[best] = _cost(given.trees, given.scale, clusters.low[best], clusters.high[best])


@compiled
def _link(i: int, g: int, head: Keys, following: Keys, before: Keys) -> None:
    """Put a record at the head of a cluster."""
    before[i], following[i] = -1, head[g]
    if head[g] >= 0:
        before[head[g]] = i
    head[g] = i


@compiled
def _unlink(i: int, g: int, head: Keys, following: Keys, before: Keys) -> None:
    """Take a record out of its cluster."""
    if before[i] >= 0:
        following[before[i]] = following[i]
    else:
        head[g] = following[i]
    if following[i] >= 0:
        before[following[i]] = before[i]
