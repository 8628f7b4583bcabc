"""Sequential improvement of clusters: one record after another moves to where the table loses least."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.jit import compiled
from shoal.methods.nsvdist.kernel import Trees


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
    columns, number = leaf.shape
    sensitive = len(value)
    widest = 1
    for s in range(sensitive):
        for i in range(number):
            widest = max(widest, value[s, i] + 1)
    size = np.zeros(groups, np.int64)
    tally = np.zeros((groups, sensitive, widest), np.int64)
    low, high = np.full((groups, columns), -1, np.int32), np.full((groups, columns), -1, np.int32)
    cost = np.zeros(groups)
    following, before = np.full(number, -1, np.int64), np.full(number, -1, np.int64)
    head = np.full(groups, -1, np.int64)
    for i in range(number):
        g = label[i]
        size[g] += 1
        for s in range(sensitive):
            tally[g, s, value[s, i]] += 1
        for column in range(columns):
            if low[g, column] < 0:
                low[g, column] = high[g, column] = leaf[column, i]
            else:
                low[g, column], high[g, column] = _joined(
                    trees, column, low[g, column], high[g, column], leaf[column, i]
                )
        following[i] = head[g]
        if head[g] >= 0:
            before[head[g]] = i
        head[g] = i
    for g in range(groups):
        for column in range(columns):
            cost[g] += _price(trees, scale, column, low[g, column], high[g, column])
    rest_low, rest_high = np.empty(columns, np.int32), np.empty(columns, np.int32)
    done = 0
    while done < passes:
        done += 1
        moved = 0
        for i in range(number):
            g = label[i]
            if size[g] <= k:
                continue
            fits = True
            for s in range(sensitive):
                for v in range(widest):
                    count = tally[g, s, v] - (value[s, i] == v)
                    fits = fits and count * diversity <= (size[g] - 1) * (1 + 1e-12)
            if not fits:
                continue
            # What its cluster would cost without it: only if it lies on the edge of the closure.
            edge = False
            for column in range(columns):
                x = leaf[column, i]
                edge = edge or trees.offset[column] >= 0 or x == low[g, column] or x == high[g, column]
            rest = cost[g]
            if edge:
                rest_low[:] = -1
                j = head[g]
                while j >= 0:
                    if j != i:
                        for column in range(columns):
                            if rest_low[column] < 0:
                                rest_low[column] = rest_high[column] = leaf[column, j]
                            else:
                                rest_low[column], rest_high[column] = _joined(
                                    trees, column, rest_low[column], rest_high[column], leaf[column, j]
                                )
                    j = following[j]
                rest = 0.0
                for column in range(columns):
                    rest += _price(trees, scale, column, rest_low[column], rest_high[column])
            gain = size[g] * cost[g] - (size[g] - 1) * rest
            best, spent = -1, 0.0
            for h in range(groups):
                if h == g or size[h] == 0:
                    continue
                limit = gain if best < 0 else spent
                grown, extra = 0.0, 0.0
                for column in range(columns):
                    a, b = _joined(trees, column, low[h, column], high[h, column], leaf[column, i])
                    grown += _price(trees, scale, column, a, b)
                    extra = (size[h] + 1) * grown - size[h] * cost[h]
                    if extra >= limit:  # prices only add up
                        break
                if extra >= limit or (best < 0 and extra >= gain * (1 - 1e-12)):
                    continue
                fits = True
                for s in range(sensitive):
                    fits = fits and (tally[h, s, value[s, i]] + 1) * diversity <= (size[h] + 1) * (1 + 1e-12)
                if fits:
                    best, spent = h, extra
            if best < 0:
                continue
            moved += 1
            if before[i] >= 0:
                following[before[i]] = following[i]
            else:
                head[g] = following[i]
            if following[i] >= 0:
                before[following[i]] = before[i]
            before[i], following[i] = -1, head[best]
            if head[best] >= 0:
                before[head[best]] = i
            head[best] = i
            label[i] = best
            size[g] -= 1
            size[best] += 1
            for s in range(sensitive):
                tally[g, s, value[s, i]] -= 1
                tally[best, s, value[s, i]] += 1
            if edge:
                low[g] = rest_low
                high[g] = rest_high
                cost[g] = rest
            cost[best] = 0.0
            for column in range(columns):
                low[best, column], high[best, column] = _joined(
                    trees, column, low[best, column], high[best, column], leaf[column, i]
                )
                cost[best] += _price(trees, scale, column, low[best, column], high[best, column])
        if moved == 0:
            break
    return done
