"""Better classes whose cells are nodes of hierarchies: dissolve dear ones, move records, put others in their place."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Keys, Nodes, Sizes
from shoal.kernels.cell_prices import Prices
from shoal.kernels.jit import compiled

_LITTLE = 1e-9
"""Gains below this are rounding errors."""


@compiled
def _joined(prices: Prices, column: int, node: int, leaf: int) -> int:
    """The lowest node over a node and a leaf."""
    offset = prices.offset[column]
    while leaf < prices.first[offset + node] or leaf >= prices.first[offset + node] + prices.under[offset + node]:
        node = prices.parent[offset + node]
    return node


@compiled
def _cost(prices: Prices, column: int, node: int) -> float:
    return float(prices.scale[column] * (prices.under[prices.offset[column] + node] - 1))


@compiled
def _closure(prices: Prices, leaves: Nodes, following: Keys, unit: int, skipped: int, nodes: Keys) -> float:
    """The lowest nodes over the units of a list but one, into `nodes`; returns what a record under them costs."""
    is_first = True
    while unit >= 0:
        if unit != skipped:
            for j in range(len(nodes)):
                nodes[j] = leaves[unit, j] if is_first else _joined(prices, j, nodes[j], leaves[unit, j])
            is_first = False
        unit = following[unit]
    cost = 0.0
    for j in range(len(nodes)):
        cost += _cost(prices, j, nodes[j])
    return cost


@compiled
def _best_class(
    prices: Prices, leaf: Nodes, table: Floats, nodes: Keys, size: Sizes, cost: Floats, but: int, limit: float
) -> tuple[int, float]:
    """The class that becomes dearer by least when a record joins it, and by how much; −1 if by `limit` or more."""
    d = len(leaf)
    for j in range(d):
        end = prices.offset[j + 1] if j + 1 < d else len(prices.parent)
        for node in range(end - prices.offset[j]):
            table[prices.offset[j] + node] = _cost(prices, j, _joined(prices, j, node, leaf[j]))
    best, chosen = limit, -1
    for c in range(len(size)):
        if size[c] == 0 or c == but:
            continue
        before = size[c] * cost[c]
        most = (best + before) / (size[c] + 1)
        here = 0.0
        for j in range(d):
            here += table[prices.offset[j] + nodes[c, j]]
            if here >= most:
                break
        if here < most:
            best, chosen = (size[c] + 1) * here - before, c
    return chosen, best


@compiled
def _best_donor(  # noqa: PLR0917
    prices: Prices,
    nodes: Keys,
    table: Floats,
    leaves: Nodes,
    donors: Keys,
    label: Keys,
    size: Sizes,
    k: int,
    but: Keys,
    limit: float,
) -> int:
    """The unit of a class that can spare it with which a record under `nodes` costs least; −1 if `limit` or more."""
    for j in range(len(nodes)):
        for leaf in range(prices.leaves[j]):
            table[prices.offset[j] + leaf] = _cost(prices, j, _joined(prices, j, nodes[j], leaf))
    chosen = -1
    for unit in donors:
        if size[label[unit]] <= k or label[unit] == but[0] or label[unit] == but[1]:
            continue
        here = 0.0
        for j in range(len(nodes)):
            here += table[prices.offset[j] + leaves[unit, j]]
            if here >= limit:
                break
        if here < limit:
            limit, chosen = here, unit
    return chosen


@compiled
def _move(unit: int, label: Keys, head: Keys, following: Keys, size: Sizes, target: int) -> None:
    """Take a unit out of its class and put it into another."""
    source = label[unit]
    if head[source] == unit:
        head[source] = following[unit]
    else:
        before = head[source]
        while following[before] != unit:
            before = following[before]
        following[before] = following[unit]
    following[unit], head[target], label[unit] = head[target], unit, target
    size[source] -= 1
    size[target] += 1


@compiled
def class_moves(leaves: Nodes, label: Keys, classes: int, k: int, prices: Prices, passes: int) -> Keys:
    """Better classes of the same units, each of at least k of them if it was so before.

    Classes are visited from the one that loses most. A class is dissolved if its units cost less elsewhere; otherwise
    each of its units goes where it costs less, if the class can spare it or gets a unit that fits better from a class
    that can. Every step lowers the loss.

    Args:
        leaves: `leaves[unit, column]`.
        label: The class of each unit, 0…classes−1.
        classes: How many classes there are.
        k: The least size.
        prices: What nodes cost.
        passes: How often all classes are visited at most.
    """
    units, d = leaves.shape
    label = label.copy()
    head, following = np.full(classes, -1, dtype=np.int64), np.empty(units, dtype=np.int64)
    size, cost = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.float64)
    nodes, without = np.zeros((classes, d), dtype=np.int64), np.empty(d, dtype=np.int64)
    for unit in range(units):
        following[unit], head[label[unit]] = head[label[unit]], unit
        size[label[unit]] += 1
    for c in range(classes):
        cost[c] = _closure(prices, leaves, following, head[c], -1, nodes[c])
    table = np.empty(len(prices.parent), dtype=np.float64)
    members, target = np.empty(units, dtype=np.int64), np.empty(units, dtype=np.int64)
    spared, touched = np.empty(2, dtype=np.int64), np.empty(units, dtype=np.int64)
    for _ in range(passes):
        improved = False
        donors = np.flatnonzero(size[label] > k)
        for a in np.argsort(-size * cost):
            if size[a] == 0 or cost[a] <= 0:
                continue
            count, unit = 0, head[a]
            while unit >= 0:
                members[count] = unit
                count += 1
                unit = following[unit]
            # Dissolve: every member to where it costs least, if that is less than they cost here.
            spent, budget, homes = 0.0, count * cost[a] - _LITTLE, 0
            while homes < count:
                home, more = _best_class(prices, leaves[members[homes]], table, nodes, size, cost, a, budget - spent)
                if home < 0:
                    break
                target[homes] = home
                spent += more
                homes += 1
            if homes == count:
                before, after = count * cost[a], 0.0
                for i in range(count):
                    touched[i] = target[i]
                    is_new = True
                    for other in range(i):
                        is_new &= touched[other] != target[i]
                    if is_new:
                        before += size[target[i]] * cost[target[i]]
                for i in range(count):
                    _move(members[i], label, head, following, size, target[i])
                for i in range(count):
                    home = target[i]
                    cost[home] = _closure(prices, leaves, following, head[home], -1, nodes[home])
                    is_new = True
                    for other in range(i):
                        is_new &= touched[other] != home
                    if is_new:
                        after += size[home] * cost[home]
                if after < before - _LITTLE:
                    improved = True
                    cost[a] = 0.0
                    continue
                for i in range(count - 1, -1, -1):  # several went to one class and cost more there together
                    _move(members[i], label, head, following, size, a)
                for i in range(count):
                    home = target[i]
                    cost[home] = _closure(prices, leaves, following, head[home], -1, nodes[home])
            for i in range(count):
                unit = members[i]
                if size[a] < 2:
                    continue
                here = _closure(prices, leaves, following, head[a], unit, without)
                is_short = size[a] <= k
                gain = size[a] * cost[a] - (size[a] if is_short else size[a] - 1) * here
                if gain <= _LITTLE:
                    continue
                home, more = _best_class(prices, leaves[unit], table, nodes, size, cost, a, gain - _LITTLE)
                if home < 0:
                    continue
                donor = -1
                if is_short:
                    spared[0], spared[1] = a, home
                    most = here + (gain - more - _LITTLE) / size[a]
                    donor = _best_donor(prices, without, table, leaves, donors, label, size, k, spared, most)
                    if donor < 0:
                        continue
                _move(unit, label, head, following, size, home)
                if donor >= 0:
                    giver = label[donor]
                    _move(donor, label, head, following, size, a)
                    cost[giver] = _closure(prices, leaves, following, head[giver], -1, nodes[giver])
                cost[a] = _closure(prices, leaves, following, head[a], -1, nodes[a])
                cost[home] = _closure(prices, leaves, following, head[home], -1, nodes[home])
                improved = True
        if not improved:
            break
    return label
