"""The units of two classes divided anew, as well as can be: a search that leaves out what cannot cost less."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.cell_prices import Prices, joined, node_price
from shoal.kernels.jit import compiled
from shoal.methods.local_recoding.joins_kernel import Joins

MOST_UNITS = 64
"""Two classes that have more together are not divided anew."""

_MOST_WORK = 9_000
"""So many cells are joined at most, one per column for each unit that is tried in a half; then the best that was found
is taken."""


class Search(NamedTuple):
    """Room for the search. At depth i, i units are in a half.

    Attributes:
        unit: The units, those first that have least in common.
        half: The half of each unit on the way that is being tried.
        best: The half of each unit on the best way so far.
        nodes: `nodes[depth, half, column]`.
        cost: `cost[depth, half]`: what a record of a half costs.
        size: `size[depth, half]`.
        away: How much each unit costs with the nearest of those that stand before it.
    """

    unit: Keys
    half: Keys
    best: Keys
    nodes: Nodes
    cost: Floats
    size: Keys
    away: Floats


@compiled
def room_to_search(columns: int) -> Search:
    """Room for the units of two classes."""
    return Search(
        np.empty(MOST_UNITS, dtype=np.int64),
        np.empty(MOST_UNITS, dtype=np.int64),
        np.empty(MOST_UNITS, dtype=np.int64),
        np.zeros((MOST_UNITS + 1, 2, columns), dtype=np.int32),
        np.zeros((MOST_UNITS + 1, 2), dtype=np.float64),
        np.zeros((MOST_UNITS + 1, 2), dtype=np.int64),
        np.empty(MOST_UNITS, dtype=np.float64),
    )


@compiled
def _spread_out(prices: Prices, joins: Joins, leaves: Nodes, many: int, search: Search) -> None:
    """Put those first that cost most together: the sooner a half is dear, the sooner it is left."""
    unit, away, start, nodes = search.unit, search.away, joins.start, joins.nodes
    for i in range(many):
        away[i] = np.inf
    last = 0
    for place in range(many):
        if place > 0:
            last = place
            for i in range(place + 1, many):
                if away[i] > away[last]:
                    last = i
        unit[place], unit[last] = unit[last], unit[place]
        away[last] = away[place]
        for i in range(place + 1, many):
            cost = 0.0
            for j in range(leaves.shape[1]):
                one, other = leaves[unit[place], j], leaves[unit[i], j]
                if one == other:
                    continue
                if start[j] >= 0:
                    cost += joins.price[start[j] + other * nodes[j] + one]
                else:
                    cost += node_price(prices, j, joined(prices, j, one, other))
                if cost >= away[i]:
                    break
            away[i] = min(away[i], cost)


@compiled
def divided(prices: Prices, joins: Joins, leaves: Nodes, many: int, k: int, most: float, search: Search) -> bool:
    """Whether the first units of `search.unit` cost less than `most` as two classes of k or as one; `best` says how.

    A half costs at least its price times k, whatever else comes into it, and no unit costs less than the cheaper half.
    """
    _spread_out(prices, joins, leaves, many, search)
    d, half, nodes, cost, size = leaves.shape[1], search.half, search.nodes, search.cost, search.size
    first = search.unit[0]
    half[0], size[1, 0], size[1, 1] = 0, 1, 0
    cost[1, 0], cost[1, 1] = 0.0, 0.0
    for j in range(d):
        nodes[1, 0, j] = leaves[first, j]
    is_found, depth, steps = False, 1, 0
    half[1] = -1
    while depth > 0 and steps * d < _MOST_WORK:
        half[depth] += 1
        here = half[depth]
        if here > 1:
            depth -= 1
            continue
        steps += 1
        other, unit = 1 - here, search.unit[depth]
        large = max(size[depth, here] + 1, k)
        rest = max(size[depth, other], k) if size[depth, other] > 0 else 0
        free = many - large - rest
        if free < 0:
            continue
        price, is_first = 0.0, size[depth, here] == 0
        for j in range(d):
            node = leaves[unit, j]
            if not is_first and node != nodes[depth, here, j]:
                if joins.start[j] >= 0:
                    place = joins.start[j] + node * joins.nodes[j] + nodes[depth, here, j]
                    node = joins.node[place]
                    price += joins.price[place]
                else:
                    node = joined(prices, j, nodes[depth, here, j], node)
                    price += node_price(prices, j, node)
            nodes[depth + 1, here, j] = node
        low = min(price, cost[depth, other])
        if rest == 0:  # the other half has none yet
            low = 0.0 if free >= k else price
        spent = large * price + rest * cost[depth, other] + free * low
        if spent >= most:
            continue
        if depth == many - 1:
            most, is_found = spent, True
            for i in range(many):
                search.best[i] = half[i]
            continue
        depth += 1
        for j in range(d):
            nodes[depth, other, j] = nodes[depth - 1, other, j]
        cost[depth, here], cost[depth, other] = price, cost[depth - 1, other]
        size[depth, here], size[depth, other] = size[depth - 1, here] + 1, size[depth - 1, other]
        half[depth] = -1
    return is_found
