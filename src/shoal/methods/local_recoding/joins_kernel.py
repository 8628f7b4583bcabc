"""What a node and a leaf cost together, written down once: moves ask for the same joins again and again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.cell_prices import Prices, joined, node_count, node_price
from shoal.kernels.jit import compiled

WIDE = 512
"""Of a hierarchy with more nodes, joins are not written down but found whenever they are asked for."""

_ROOM = 1 << 22
"""So many joins are written down in all at most; columns that find no room are treated like wide ones."""


class Joins(NamedTuple):
    """The lowest node over a node and a leaf, and its price: of column j at `start[j] + leaf · nodes + node`.

    Attributes:
        start: Where the joins of each column start, −1 if they are not written down.
        nodes: How many nodes each column has.
        node: The lowest node over both.
        price: What it costs.
    """

    start: Keys
    nodes: Keys
    node: Nodes
    price: Floats


@compiled
def all_joins(prices: Prices) -> Joins:
    """The joins of all columns that are not too wide."""
    d = len(prices.leaves)
    start, nodes, end = np.full(d, -1, dtype=np.int64), np.empty(d, dtype=np.int64), 0
    for j in range(d):
        nodes[j] = node_count(prices, j)
        if nodes[j] <= WIDE and end + nodes[j] * prices.leaves[j] <= _ROOM:
            start[j] = end
            end += nodes[j] * prices.leaves[j]
    node, price = np.empty(end, dtype=np.int32), np.empty(end, dtype=np.float64)
    for j in range(d):
        if start[j] < 0:
            continue
        place = start[j]
        for leaf in range(prices.leaves[j]):
            for other in range(nodes[j]):
                node[place] = joined(prices, j, other, leaf)
                price[place] = node_price(prices, j, node[place])
                place += 1
    return Joins(start, nodes, node, price)
