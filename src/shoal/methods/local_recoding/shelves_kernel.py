"""Classes on shelves by their nodes, one column more at each level: one look tells that all below cost more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.cell_prices import Prices, joined, node_price
from shoal.kernels.jit import compiled
from shoal.methods.local_recoding.joins_kernel import Joins

_DEPTH = 6
"""Columns that tell shelves apart, at most."""

_PAIRS = 512
"""Pairs of units that tell how much a column costs that is not the same."""


class Shelves(NamedTuple):
    """Shelves on which classes have the same nodes in the first of the chosen columns, as a tree.

    Shelf 0 is the root, above all columns. Below a shelf of the last column are classes, below others shelves.

    Attributes:
        columns: The chosen columns, one for each level below the root.
        node: The node of each shelf in the column of its level.
        price: What this node costs.
        above: The shelf that a shelf is on.
        below: The first shelf, or class, on each shelf, −1 if there is none.
        following: The next shelf on the same one, −1 behind the last.
        before: The one before, −1 if it is the first.
        shelf: The shelf of each class, −1 if it is on none yet.
        next_class: The next class of the same shelf, −1 behind the last.
        class_before: The one before, −1 if it is the first.
        free: Shelves that are not used.
        many: How many these are, in an array of one.
    """

    columns: Keys
    node: Nodes
    price: Floats
    above: Nodes
    below: Nodes
    following: Nodes
    before: Nodes
    shelf: Nodes
    next_class: Nodes
    class_before: Nodes
    free: Nodes
    many: Keys


@compiled
def _chosen(leaves: Nodes, prices: Prices, joins: Joins) -> Keys:
    """The columns that tell most at one look: where few nodes cost much for units that have nothing to do with them."""
    units, d = leaves.shape
    told, chosen, count = np.zeros(d), np.empty(min(d, _DEPTH), dtype=np.int64), 0
    for j in range(d):
        for pair in range(_PAIRS if joins.start[j] >= 0 else 0):
            one = pair * units // _PAIRS
            other = (one + units // 2 + pair * 7) % units
            told[j] += node_price(prices, j, joined(prices, j, leaves[one, j], leaves[other, j])) / joins.nodes[j]
    while count < len(chosen):
        best = 0
        for j in range(d):
            if told[j] > told[best]:
                best = j
        if told[best] <= 0:
            break
        told[best], chosen[count] = 0.0, best
        count += 1
    return chosen[:count]


@compiled
def empty_shelves(leaves: Nodes, classes: int, prices: Prices, joins: Joins) -> Shelves:
    """Shelves for the classes of such units, by columns whose joins are written down."""
    columns = _chosen(leaves, prices, joins)
    most = classes * len(columns) + len(columns) + 1  # a class is put on its new shelf before the old one is free
    free, many = np.empty(most, dtype=np.int32), np.empty(1, dtype=np.int64)
    for i in range(most):
        free[i] = most - 1 - i
    many[0] = most - 1
    return Shelves(
        columns,
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.float64),
        np.empty(most, dtype=np.int32),
        np.full(most, -1, dtype=np.int32),
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.int32),
        np.full(classes, -1, dtype=np.int32),
        np.empty(classes, dtype=np.int32),
        np.empty(classes, dtype=np.int32),
        free,
        many,
    )


@compiled
def put(shelves: Shelves, prices: Prices, c: int, nodes: Nodes) -> None:
    """Put a class where its nodes belong."""
    target, source = 0, shelves.shelf[c]
    for j in shelves.columns:
        here = shelves.below[target]
        while here >= 0 and shelves.node[here] != nodes[j]:
            here = shelves.following[here]
        if here < 0:
            shelves.many[0] -= 1
            here, first = shelves.free[shelves.many[0]], shelves.below[target]
            shelves.node[here], shelves.price[here] = nodes[j], node_price(prices, j, nodes[j])
            shelves.above[here], shelves.below[here] = target, -1
            shelves.following[here], shelves.before[here], shelves.below[target] = first, -1, here
            if first >= 0:
                shelves.before[first] = here
        target = here
    if source == target:
        return
    if source >= 0:
        _take(shelves, c)
    first = shelves.below[target]
    if first >= 0:
        shelves.class_before[first] = c
    shelves.shelf[c], shelves.next_class[c], shelves.class_before[c], shelves.below[target] = target, first, -1, c


@compiled
def _take(shelves: Shelves, c: int) -> None:
    """Take a class from its shelf, and away each shelf that has nothing on it then."""
    here, following, before = shelves.shelf[c], shelves.next_class[c], shelves.class_before[c]
    if following >= 0:
        shelves.class_before[following] = before
    if before >= 0:
        shelves.next_class[before] = following
    else:
        shelves.below[here] = following
    while here > 0 and shelves.below[here] < 0:
        above, following, before = shelves.above[here], shelves.following[here], shelves.before[here]
        if following >= 0:
            shelves.before[following] = before
        if before >= 0:
            shelves.following[before] = following
        else:
            shelves.below[above] = following
        shelves.free[shelves.many[0]] = here
        shelves.many[0] += 1
        here = above
