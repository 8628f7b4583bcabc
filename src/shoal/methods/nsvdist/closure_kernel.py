"""The closure of a growing set of records, and what it would cost with others.

Two kinds of columns. In an *interval* column the loss is the distance between the highest and the lowest coordinate. In
a *tree* column it is the price of the lowest node above all leaves; the nodes above the present one form a chain of
nested leaf ranges, and a leaf outside a range pays the step to the next one: no lookup, only comparisons.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Nodes
from shoal.kernels.jit import compiled
from shoal.methods.nsvdist.layout import Trees

# Functions that are called for every block or record take plain arrays: tuples of arrays cost more to hand over.
#
# closure[column]: the lowest and the highest leaf of an interval column, the node of a tree column twice.
# ends[column]: the lowest and the highest coordinate of an interval column.
# chain[column, h]: the nodes from the present one of a tree column up to below the root, `length[column]` of them: the
#     first and the last leaf of each, and what a leaf outside of it pays on top.


@compiled
def _climb(trees: Trees, column: int, node: int, chain: Nodes) -> int:
    """Write down the chain above a node; how long it is."""
    offset = trees.offset[column]
    length = 0
    while trees.parent[offset + node] != node:
        up = trees.parent[offset + node]
        chain[length, 0], chain[length, 1] = trees.first[offset + node], trees.last[offset + node]
        chain[length, 2] = trees.price[offset + up] - trees.price[offset + node]
        length += 1
        node = up
    return length


@compiled
def add_interval(cost: Nodes, low: Nodes, high: Nodes, ends: Nodes) -> None:
    """Add the width of the interval that also holds the nearest point of [low, high]."""
    least, most = ends[0], ends[1]
    for i in range(len(cost)):
        cost[i] += max(most, low[i]) - min(least, high[i])


@compiled
def _move_interval(cost: Nodes, low: Nodes, high: Nodes, ends: Nodes, point: int) -> None:
    """Add how much wider the interval that also holds the nearest point of [low, high] gets with one point more."""
    least, most = ends[0], ends[1]
    lower, higher = min(least, np.int32(point)), max(most, np.int32(point))
    for i in range(len(cost)):
        cost[i] += max(higher, low[i]) - min(lower, high[i]) - (max(most, low[i]) - min(least, high[i]))


@compiled
def add_step(cost: Nodes, low: Nodes, high: Nodes, link: Nodes, inside: int, outside: int) -> None:
    """Add the step of a link of a chain so many times where a leaf from low to high is in its range, or where none is.

    Both times are 0 or 1.
    """
    first, last, within, beyond = link[0], link[1], np.int32(inside * link[2]), np.int32(outside * link[2])
    for i in range(len(cost)):
        cost[i] += beyond if (high[i] < first) | (low[i] > last) else within


@compiled
def start_closure(  # noqa: PLR0917  compiled functions take positions
    seed: int,
    coordinate: Nodes,
    leaf: Nodes,
    trees: Trees,
    box_low: Nodes,
    box_high: Nodes,
    closure: Nodes,
    ends: Nodes,
    chain: Nodes,
    length: Nodes,
    bound: Nodes,
) -> int:
    """The closure of a seed alone, with lower bounds for all blocks; what the closure costs in tree columns."""
    base = 0
    bound[:] = 0
    for column in range(len(leaf)):
        closure[column] = leaf[column, seed]
        if trees.offset[column] < 0:
            ends[column] = coordinate[column, seed]
            add_interval(bound, box_low[column], box_high[column], ends[column])
        else:
            length[column] = _climb(trees, column, leaf[column, seed], chain[column])
            base += trees.price[trees.offset[column] + leaf[column, seed]]
            for h in range(length[column]):
                add_step(bound, box_low[column], box_high[column], chain[column, h], 0, 1)
    for g in range(len(bound)):
        bound[g] += base
    return base


@compiled
def grow_closure(  # noqa: PLR0917
    record: int,
    coordinate: Nodes,
    leaf: Nodes,
    trees: Trees,
    box_low: Nodes,
    box_high: Nodes,
    closure: Nodes,
    ends: Nodes,
    chain: Nodes,
    length: Nodes,
    bound: Nodes,
) -> tuple[bool, int]:
    """Let the closure hold one record more; whether its price grew, and by how much in tree columns.

    Bounds of blocks follow, column by column.
    """
    grown, step = False, 0
    for column in range(len(leaf)):
        x = leaf[column, record]
        if trees.offset[column] < 0:
            closure[column, 0], closure[column, 1] = min(closure[column, 0], x), max(closure[column, 1], x)
            y = coordinate[column, record]
            if y < ends[column, 0] or y > ends[column, 1]:
                _move_interval(bound, box_low[column], box_high[column], ends[column], y)
                ends[column, 0], ends[column, 1] = min(ends[column, 0], y), max(ends[column, 1], y)
                grown = True
            continue
        h = 0
        while h < length[column] and (x < chain[column, h, 0] or x > chain[column, h, 1]):
            add_step(bound, box_low[column], box_high[column], chain[column, h], 1, 0)
            step += chain[column, h, 2]
            closure[column] = trees.parent[trees.offset[column] + closure[column, 0]]
            h += 1
        if h > 0:
            length[column] -= h
            for j in range(length[column]):
                chain[column, j] = chain[column, j + h]
            grown = True
    return grown, step
