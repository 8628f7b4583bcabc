"""The center of each cluster, and how far its records are from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from shoal.arrays import Codes, Floats, Nodes, Sizes
from shoal.cluster.space import Axis, CategoryAxis, NumberAxis, Space
from shoal.cluster.taxonomy import UNIT
from shoal.data.partition import Partition
from shoal.kernels import grouping

Center: TypeAlias = Floats | Nodes
"""Of each cluster, on one axis: steps from the lower bound, NaN where every number is missing; or a node of a tree."""

_EXACT = 1 << 53
"""Below this, sums of doubles are exact."""


def step_sums(axis: NumberAxis, codes: Codes, partition: Partition, missing: int) -> Sizes:
    """The steps of each cluster's records, added up exactly; `missing` stands for a missing number."""
    steps = axis.places(codes, missing)[partition.source] * partition.sizes
    if axis.width * int(partition.sizes.sum()) < _EXACT:  # by what is public: no record decides how sums are made
        return grouping.totals(partition.label, partition.groups, steps)
    sums = np.zeros(partition.groups, dtype=np.int64)
    np.add.at(sums, partition.label, steps)
    return sums


def histograms(axis: CategoryAxis, codes: Codes, partition: Partition) -> Sizes:
    """`histograms[cluster, value]`: how many records of a cluster carry a value."""
    values = axis.taxonomy.values
    cells = partition.label * values + codes[partition.source]
    return grouping.totals(cells, partition.groups * values, partition.sizes).reshape(partition.groups, values)


def centers(space: Space, codes: Sequence[Codes], partition: Partition) -> list[Center]:
    """The mean of the numbers that are there, and the marginality centroid of categories, axis by axis."""
    return [_center(axis, column, partition) for axis, column in zip(space.axes, codes, strict=True)]


def _center(axis: Axis, codes: Codes, partition: Partition) -> Center:
    if isinstance(axis, CategoryAxis):
        return axis.taxonomy.centroids(histograms(axis, codes, partition))
    there = partition.totals
    if axis.missing is not None:
        gone = np.where(codes[partition.source] == axis.missing, partition.sizes, 0)
        there = there - grouping.totals(partition.label, partition.groups, gone)
    with np.errstate(invalid="ignore"):
        means: Floats = step_sums(axis, codes, partition, 0) / there
    return means


def squares(axis: Axis, codes: Codes, center: Center) -> Floats:
    """The squared distance of records to centers on one axis, pair by pair; 0 where either number is missing.

    Numbers in steps, categories in semantic distances.
    """
    if isinstance(axis, CategoryAxis):
        return (axis.taxonomy.units[center.astype(np.int64), codes] / UNIT) ** 2
    away = axis.places(codes, np.nan) - center
    result: Floats = np.where(np.isnan(away), 0.0, away * away)
    return result


def squared_error(space: Space, codes: Sequence[Codes], partition: Partition, at: Sequence[Center]) -> Floats:
    """SSE on each axis: the squared distances of all records to the center of their cluster, numbers in steps.

    Paper: Microaggregation-DP §5.2.
    """
    return np.array(
        [
            float(squares(axis, column[partition.source], center[partition.label]) @ partition.sizes)
            for axis, column, center in zip(space.axes, codes, at, strict=True)
        ]
    )


def lost_share(space: Space, codes: Sequence[Codes], partition: Partition, at: Sequence[Center]) -> float:
    """SSE/SST: squared distances in the space to the centers, by those to the center of the whole table.

    0 when every record is its own center, 1 when nothing is left but one center for all; more with noise.
    """
    whole = Partition(partition.source, np.zeros_like(partition.label), partition.sizes)
    scale = space.scales**2
    total = float((squared_error(space, codes, whole, centers(space, codes, whole)) / scale).sum())
    return float((squared_error(space, codes, partition, at) / scale).sum()) / total if total else 0.0


def standardized(space: Space, codes: Sequence[Codes], sizes: Sizes) -> Space:
    """The space in which columns count alike: distances are divided by the deviation of the records on each axis.

    The deviation is the root of the mean square of the distances to the center, of numbers the standard deviation. A
    missing number takes no part in it.
    """
    whole = Partition(np.arange(len(sizes)), np.zeros(len(sizes), dtype=np.int64), sizes)
    errors = squared_error(space, codes, whole, centers(space, codes, whole))
    there = [
        sizes if isinstance(axis, CategoryAxis) or axis.missing is None else sizes[column != axis.missing]
        for axis, column in zip(space.axes, codes, strict=True)
    ]
    records = np.array([max(int(here.sum()), 1) for here in there])
    return Space(space.axes, tuple(np.sqrt(errors / records).tolist()))
