"""Insensitive microaggregation: clusters that one record changes by one record each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Codes, Keys, Sizes
from shoal.cluster.orders import CornerKeys, References, corner_sequence
from shoal.cluster.space import Space
from shoal.data.partition import Partition
from shoal.parameters import read_as

_MOST_CORNERS = 64
_MOST_PLACES = 1 << 26
"""How many places of records in sorted lists may be kept at once."""


def cluster_sizes(records: int, k: int) -> Sizes:
    """K records each, the last one k to 2k − 1: a public function of n and k. One cluster if there are fewer than 2k.

    >>> cluster_sizes(11, 3).tolist()
    [3, 3, 5]
    """
    clusters = max(1, records // k)
    sizes = np.full(clusters, k, dtype=np.int64)
    sizes[-1] = records - (clusters - 1) * k
    return sizes


def insensitive_clusters(
    space: Space, codes: Sequence[Codes], sizes: Sizes, k: int, references: References = References.CORNERS
) -> Partition:
    """Clusters of k records each, nearest to one corner of the domain after the other; the last one is the rest.

    Args:
        space: The axes.
        codes: Per axis, the codes of the distinct records, in lexicographic order.
        sizes: How many records are equal to each.
        k: Records in a cluster; the last one has k to 2k − 1.
        references: Which corners. With one axis all references come to the same: consecutive values.

    Guarantee: for tables that differ in one record, clusters of the same number differ in one record at most.
    Paper: Microaggregation-DP Algorithm 2, Proposition 2, §4.1 to §4.4; `docs/proofs/microaggregation.md`, section 1.
    """
    references = read_as(References, "references", references)
    records = int(sizes.sum())
    clusters = len(cluster_sizes(records, k))
    # The number of corners is decided by what is public: the number of records, not of distinct ones.
    most = min(clusters, _MOST_CORNERS, max(2, _MOST_PLACES // max(records, 1)))
    kind = References.ONE if len(space.wide) < 2 else references
    corners = corner_sequence(len(space.wide), kind, most)
    keys = CornerKeys(space)
    if len(corners) == 1:
        return _consecutive(np.argsort(keys.of(corners[0], codes), kind="stable"), sizes, k, clusters)
    from shoal.cluster.taking_kernel import take_in_turn

    orders = np.empty((len(corners), len(sizes)), dtype=np.int32)
    for i, corner in enumerate(corners):
        orders[i] = np.argsort(keys.of(corner, codes), kind="stable")
    return _sorted(*take_in_turn(orders, sizes, k, clusters))


def _consecutive(order: Keys, sizes: Sizes, k: int, clusters: int) -> Partition:
    """Blocks of k along one order, the last one the rest; a distinct record may be divided."""
    ends = np.cumsum(sizes[order])
    cuts = k * np.arange(1, clusters, dtype=np.int64)
    at = np.searchsorted(ends, cuts)
    inside = ends[at] != cuts
    at, cuts = at[inside], cuts[inside]
    stops, source = np.insert(ends, at, cuts), np.insert(order, at, order[at])
    taken = np.diff(stops, prepend=0)
    return _sorted(source, np.minimum((stops - taken) // k, clusters - 1), taken)


def _sorted(source: Keys, label: Keys, sizes: Sizes) -> Partition:
    order = np.argsort(source, kind="stable")
    return Partition(source[order], label[order], sizes[order])
