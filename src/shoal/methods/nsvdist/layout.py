"""What NSVDist's kernels work on: records, hierarchies and blocks as arrays, and room for what they find."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Mask, Nodes

GONE = np.int32(1 << 30)
"""The price of a record that cannot be picked; every loss is below it."""


class Records(NamedTuple):
    """Distinct records in the order of their blocks.

    Attributes:
        coordinate: `[column, record]`: a scaled position in an interval column, the leaf in a tree column.
        leaf: `[column, record]`: the leaf code.
        rank: The place of each record in the order that decides ties.
        size: How many records each stands for.
        joint: The combination of sensitive values of each record.
        value: `[sensitive column, record]`: its values one by one.
    """

    coordinate: Nodes
    leaf: Nodes
    rank: Nodes
    size: Nodes
    joint: Nodes
    value: Nodes


class Trees(NamedTuple):
    """The hierarchies of the tree columns, one after the other; those of interval columns are empty.

    Attributes:
        offset: Where the nodes of each column begin; −1 for an interval column.
        parent: The parent of each node, numbered within its column; the root is its own.
        first: The first leaf under each node.
        last: The last leaf under each node.
        price: What each node costs.
        height: The most steps from a leaf to a root.
    """

    offset: Nodes
    parent: Nodes
    first: Nodes
    last: Nodes
    price: Nodes
    height: int


class Blocks(NamedTuple):
    """Records `start[g]` to `start[g + 1]` form block g, whose coordinates lie from `low[:, g]` to `high[:, g]`."""

    start: Nodes
    low: Nodes
    high: Nodes


class Wanted(NamedTuple):
    """Sets of `k` records, none of whose sensitive values occurs more than `cap[column]` times.

    Attributes:
        k: The size of a set.
        cap: The most records with one value, per sensitive column.
        fair: Whether ties go to the record used least so far, rather than to the first one.
    """

    k: int
    cap: Nodes
    fair: bool


class Closures(NamedTuple):
    """What became of each seed.

    Attributes:
        low: `[column, seed]`: the lowest leaf of an interval column, the node of a tree column.
        high: The highest leaf; the node again.
        counts: `[seed, combination of sensitive values]`: how many records of the set carry it.
        member: `[seed, 0…k−1]`: the records of the set in the order they were picked, the seed first; may be empty.
        stuck: Which seeds could not be given k records.
    """

    low: Nodes
    high: Nodes
    counts: Nodes
    member: Nodes
    stuck: Mask


def empty(columns: int, seeds: int, combinations: int, members: int) -> Closures:
    """Room for the closures of some seeds."""
    nodes: NDArray[np.int32] = np.zeros((columns, seeds), dtype=np.int32)
    return Closures(
        nodes,
        nodes.copy(),
        np.zeros((seeds, combinations), dtype=np.int32),
        np.zeros((seeds, members), dtype=np.int32),
        np.zeros(seeds, dtype=np.bool_),
    )
