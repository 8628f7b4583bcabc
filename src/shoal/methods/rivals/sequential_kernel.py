"""Sequential improvement of clusters: one record after another moves to where the table loses least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.jit import compiled
from shoal.methods.nsvdist.layout import Trees


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
        leaf: `leaf[column, record]`.
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
        cost: What the closure of each cluster costs.
        head: One record of each cluster; the others follow it.
        following: The record of the same cluster after each one, −1 behind the last.
        before: The one before, −1 at the head.
    """

    label: Keys
    size: Keys
    tally: Keys
    low: Nodes
    high: Nodes
    cost: Floats
    head: Keys
    following: Keys
    before: Keys


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
        leaf: `leaf[column, record]`.
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
    columns, number = leaf.shape
    low, high = np.empty(columns, np.int32), np.empty(columns, np.int32)  # of a cluster without the record
    done = 0
    while done < passes:
        done += 1
        moved = 0
        for i in range(number):
            if not _may_leave(i, given, clusters):
                continue
            home = label[i]
            on_edge = _is_on_edge(i, given, clusters)
            rest = _cost_without(i, given, clusters, low, high) if on_edge else clusters.cost[home]
            gain = clusters.size[home] * clusters.cost[home] - (clusters.size[home] - 1) * rest
            best = _best_cluster(i, gain, given, clusters)
            if best < 0:
                continue
            moved += 1
            if on_edge:
                clusters.low[home] = low
                clusters.high[home] = high
                clusters.cost[home] = rest
            _move(i, best, given, clusters)
        if moved == 0:
            break
    return done


@compiled
def _clusters(given: Given, label: Keys, groups: int) -> Clusters:
    """The clusters of given labels."""
    leaf, value, trees, scale = given.leaf, given.value, given.trees, given.scale
    columns, number = leaf.shape
    widest = 1
    for s in range(len(value)):
        for i in range(number):
            widest = max(widest, value[s, i] + 1)
    size, tally = np.zeros(groups, np.int64), np.zeros((groups, len(value), widest), np.int64)
    low, high = np.full((groups, columns), -1, np.int32), np.full((groups, columns), -1, np.int32)
    cost, head = np.zeros(groups), np.full(groups, -1, np.int64)
    following, before = np.full(number, -1, np.int64), np.full(number, -1, np.int64)
    for i in range(number):
        g = label[i]
        size[g] += 1
        for s in range(len(value)):
            tally[g, s, value[s, i]] += 1
        _join(leaf, trees, i, low[g], high[g])
        _link(i, g, head, following, before)
    for g in range(groups):
        cost[g] = _cost(trees, scale, low[g], high[g])
    return Clusters(label, size, tally, low, high, cost, head, following, before)


@compiled
def _join(leaf: Nodes, trees: Trees, i: int, low: Nodes, high: Nodes) -> None:
    """Let a closure hold a record; −1 stands for a closure that holds none."""
    for column in range(len(low)):
        if low[column] < 0:
            low[column] = high[column] = leaf[column, i]
        else:
            low[column], high[column] = _joined(trees, column, low[column], high[column], leaf[column, i])


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
def _is_on_edge(i: int, given: Given, clusters: Clusters) -> bool:
    """Whether the closure of its cluster may be smaller without a record."""
    g, leaf, offset = clusters.label[i], given.leaf, given.trees.offset
    for column in range(len(leaf)):
        x = leaf[column, i]
        if offset[column] >= 0 or x == clusters.low[g, column] or x == clusters.high[g, column]:
            return True
    return False


@compiled
def _cost_without(i: int, given: Given, clusters: Clusters, low: Nodes, high: Nodes) -> float:
    """What its cluster would cost without a record, whose closure is put into `low` and `high`."""
    leaf, trees, following = given.leaf, given.trees, clusters.following
    low[:] = -1
    j = clusters.head[clusters.label[i]]
    while j >= 0:
        if j != i:
            _join(leaf, trees, j, low, high)
        j = following[j]
    return _cost(trees, given.scale, low, high)


@compiled
def _best_cluster(i: int, gain: float, given: Given, clusters: Clusters) -> int:
    """The cluster that would cost least more with a record, less than `gain`, and stay diverse; −1 if there is none."""
    leaf, value, trees, scale, diversity = given.leaf, given.value, given.trees, given.scale, given.diversity
    size, tally, low, high, cost = clusters.size, clusters.tally, clusters.low, clusters.high, clusters.cost
    home, best, spent = clusters.label[i], -1, 0.0
    for h in range(len(size)):
        if h == home or size[h] == 0:
            continue
        limit = gain if best < 0 else spent
        grown, extra = 0.0, 0.0
        for column in range(len(leaf)):
            a, b = _joined(trees, column, low[h, column], high[h, column], leaf[column, i])
            grown += _price(trees, scale, column, a, b)
            extra = (size[h] + 1) * grown - size[h] * cost[h]
            if extra >= limit:  # prices only add up
                break
        if extra >= limit or (best < 0 and extra >= gain * (1 - 1e-12)):
            continue
        fits = True
        for s in range(len(value)):
            fits = fits and (tally[h, s, value[s, i]] + 1) * diversity <= (size[h] + 1) * (1 + 1e-12)
        if fits:
            best, spent = h, extra
    return best


@compiled
def _move(i: int, best: int, given: Given, clusters: Clusters) -> None:
    """Put a record into another cluster; what the one it leaves costs is settled before."""
    home, value = clusters.label[i], given.value
    _unlink(i, home, clusters.head, clusters.following, clusters.before)
    _link(i, best, clusters.head, clusters.following, clusters.before)
    clusters.label[i] = best
    clusters.size[home] -= 1
    clusters.size[best] += 1
    for s in range(len(value)):
        clusters.tally[home, s, value[s, i]] -= 1
        clusters.tally[best, s, value[s, i]] += 1
    _join(given.leaf, given.trees, i, clusters.low[best], clusters.high[best])
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
