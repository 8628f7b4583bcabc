"""What one published cell costs, from the first and last leaf and the number of different leaves it stands for."""

from __future__ import annotations

from typing import NamedTuple

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.jit import compiled

SPAN, SET, NODE = 0, 1, 2
"""How a cell is shown: as a range of leaves, as a set of them, as the lowest node of the hierarchy over them."""


class Prices(NamedTuple):
    """All columns side by side; those of column j start at `offset[j]` (nodes) and `shift[j]` (values).

    Attributes:
        kind: How each column is shown.
        scale: What one further leaf costs: weight / (leaves − 1), 0 for a column with one leaf.
        leaf: The leaf of each value, values being numbered 0, 1, … along the leaves that occur.
        shift: Where the values of each column start in `leaf`.
        parent: The parent of each node.
        first: The first leaf under each node.
        under: How many leaves are under each node.
        offset: Where the nodes of each column start.
        leaves: How many leaves each column has.
    """

    kind: Keys
    scale: Floats
    leaf: Keys
    shift: Keys
    parent: Nodes
    first: Nodes
    under: Nodes
    offset: Keys
    leaves: Keys


@compiled
def lowest_node(prices: Prices, column: int, low: int, high: int) -> int:
    """The lowest node over two leaves, and so over all between them."""
    offset = prices.offset[column]
    node = low
    while prices.first[offset + node] + prices.under[offset + node] <= high:
        node = prices.parent[offset + node]
    return node


@compiled
def cell_price(prices: Prices, column: int, low: int, high: int, different: int) -> float:
    """The price of a cell that stands for `different` values, the lowest and highest of which are given."""
    kind = prices.kind[column]
    if low == high:
        return 0.0
    if kind == SET:
        return float(prices.scale[column] * (different - 1))
    first, last = prices.leaf[prices.shift[column] + low], prices.leaf[prices.shift[column] + high]
    if kind == SPAN:
        return float(prices.scale[column] * (last - first))
    node = lowest_node(prices, column, first, last)
    return float(prices.scale[column] * (prices.under[prices.offset[column] + node] - 1))


@compiled
def joined(prices: Prices, column: int, node: int, leaf: int) -> int:
    """The lowest node over a node and a leaf."""
    offset = prices.offset[column]
    while leaf < prices.first[offset + node] or leaf >= prices.first[offset + node] + prices.under[offset + node]:
        node = prices.parent[offset + node]
    return node


@compiled
def node_price(prices: Prices, column: int, node: int) -> float:
    """What a cell with a node costs."""
    return float(prices.scale[column] * (prices.under[prices.offset[column] + node] - 1))


@compiled
def node_count(prices: Prices, column: int) -> int:
    """How many nodes the hierarchy of a column has."""
    end = prices.offset[column + 1] if column + 1 < len(prices.offset) else len(prices.parent)
    return int(end - prices.offset[column])
