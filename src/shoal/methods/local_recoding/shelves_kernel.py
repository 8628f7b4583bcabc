"""Classes on shelves by their nodes in a few columns: one look tells of a whole shelf that its classes cost more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Nodes
from shoal.kernels.cell_prices import Prices, joined, node_count, node_price
from shoal.kernels.jit import compiled
from shoal.methods.local_recoding.joins_kernel import Joins

_SHELVES = 2048
"""At most so many."""

_PAIRS = 512
"""Pairs of units that tell how much a column costs that is not the same."""


class Shelves(NamedTuple):
    """Which classes have the same nodes in the chosen columns.

    Attributes:
        columns: The chosen columns.
        shelf: The shelf of each class, −1 if it is on none yet.
        head: The first class of each shelf, −1 if it is empty.
        following: The next class of the same shelf, −1 behind the last.
        before: The one before, −1 at the head.
        used: Shelves that have or had a class, in the order of their first one.
        many: How many these are, in an array of one.
        at: `at[i, column]`: the nodes of such a shelf.
        price: What its nodes cost.
        known: Whether a shelf is among them.
    """

    columns: Keys
    shelf: Keys
    head: Keys
    following: Keys
    before: Keys
    used: Keys
    many: Keys
    at: Nodes
    price: Floats
    known: Mask


@compiled
def _chosen(leaves: Nodes, prices: Prices, joins: Joins) -> Keys:
    """The columns in which units that have nothing to do with each other cost most, as far as shelves suffice."""
    units, d = leaves.shape
    mean, chosen, count, shelves = np.zeros(d), np.empty(d, dtype=np.int64), 0, 1
    for j in range(d):
        for pair in range(_PAIRS):
            one = pair * units // _PAIRS
            other = (one + units // 2 + pair * 7) % units
            mean[j] += node_price(prices, j, joined(prices, j, leaves[one, j], leaves[other, j]))
    for _ in range(d):
        dearest = -1
        for j in range(d):
            if mean[j] > 0 and (dearest < 0 or mean[j] > mean[dearest]):
                dearest = j
        if dearest < 0:
            break
        mean[dearest] = 0
        if joins.start[dearest] >= 0 and node_count(prices, dearest) <= _SHELVES // shelves:
            shelves *= node_count(prices, dearest)
            chosen[count] = dearest
            count += 1
    return chosen[:count]


@compiled
def empty_shelves(leaves: Nodes, classes: int, prices: Prices, joins: Joins) -> Shelves:
    """Shelves for the classes of such units, by columns whose joins are written down."""
    columns, shelves = _chosen(leaves, prices, joins), 1
    for j in columns:
        shelves *= node_count(prices, j)
    return Shelves(
        columns,
        np.full(classes, -1, dtype=np.int64),
        np.full(shelves, -1, dtype=np.int64),
        np.empty(classes, dtype=np.int64),
        np.empty(classes, dtype=np.int64),
        np.empty(shelves, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.empty((shelves, len(columns)), dtype=np.int32),
        np.zeros(shelves, dtype=np.float64),
        np.zeros(shelves, dtype=np.bool_),
    )


@compiled
def put(shelves: Shelves, prices: Prices, c: int, nodes: Nodes) -> None:
    """Put a class where its nodes belong."""
    target = 0
    for j in shelves.columns:
        target = target * node_count(prices, j) + nodes[j]
    source = shelves.shelf[c]
    if source == target:
        return
    if source >= 0:
        before, following = shelves.before[c], shelves.following[c]
        if before >= 0:
            shelves.following[before] = following
        else:
            shelves.head[source] = following
        if following >= 0:
            shelves.before[following] = before
    first = shelves.head[target]
    if first >= 0:
        shelves.before[first] = c
    elif not shelves.known[target]:
        i = shelves.many[0]
        for column in range(len(shelves.columns)):
            j = shelves.columns[column]
            shelves.at[i, column] = nodes[j]
            shelves.price[i] += node_price(prices, j, nodes[j])
        shelves.used[i], shelves.known[target] = target, True
        shelves.many[0] += 1
    shelves.shelf[c], shelves.following[c], shelves.before[c], shelves.head[target] = target, first, -1, c


@compiled
def least_dearer(shelves: Shelves, i: int, price: Floats, row: Keys, size: int, weight: int) -> float:
    """By how much a class of a used shelf becomes dearer at least when a unit joins it.

    Args:
        shelves: The shelves.
        i: The number of the shelf among those that are used.
        price: What nodes cost together with leaves.
        row: Where those with the leaves of the unit start, per column.
        size: No class has fewer records.
        weight: How many records the unit is.
    """
    together = 0.0
    for column in range(len(shelves.columns)):
        together += price[row[shelves.columns[column]] + shelves.at[i, column]]
    return float(size * (together - shelves.price[i]) + weight * together)
