"""The hardened NSVDist: clusters that are diverse, rings within them, and the distribution of the whole cluster."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Mask, Nodes
from shoal.criteria import Criterion, FrequencyDiversity, KAnonymity
from shoal.kernels import grouping
from shoal.methods.mondrian.judged import judged_classes
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.closures import lifted
from shoal.methods.parts.judge import Judge
from shoal.methods.parts.publish import Publish
from shoal.methods.parts.rings import Rings, curve

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.data.partition import Partition
    from shoal.methods.nsvdist.greedy import Masked


def hardened(
    table: EncodedTable, k: int, diversity: Fraction, is_interval: Mask, weights: Floats, publish: Publish
) -> tuple[Masked, dict[str, object]]:
    """For every record the closure of its stretch of the ring, and its cluster's distribution."""
    from shoal.methods.nsvdist.greedy import Masked

    partition = diverse_clusters(table, k, diversity, weights, publish)
    rings, low, high = ring_closures(table, partition, is_interval, weights, k)
    joint, combinations = table.counts.group([attribute.name for attribute in table.sensitive])
    cells = grouping.totals(
        partition.label * combinations + joint[partition.source], partition.groups * combinations, partition.sizes
    )
    counts = cells.reshape(partition.groups, combinations).astype(np.int32)
    order = np.argsort(rings.record, kind="stable")
    masked = Masked(
        rings.record[order],
        np.ones(len(order), dtype=np.int64),
        low[:, order],
        high[:, order],
        rings.label[order],
        counts,
        np.zeros((len(order), 0), dtype=np.int32),
        0,
    )
    return masked, {"clusters": partition.groups}


def diverse_clusters(table: EncodedTable, k: int, diversity: Fraction, weights: Floats, publish: Publish) -> Partition:
    """Mondrian: clusters of k or more in which no value of a sensitive column has more than 1/diversity.

    Whoever asked has made sure that the whole table is such a cluster.
    """
    criteria: list[Criterion] = [KAnonymity(k)]
    criteria += [FrequencyDiversity(float(diversity), attribute.name) for attribute in table.sensitive]
    named = {a.name: float(w) for a, w in zip(table.quasi_identifiers, weights, strict=True)}
    cells = Cells.of(table, publish, named)
    return judged_classes(cells, Judge(table, criteria), is_relaxed=False)


def ring_closures(
    table: EncodedTable, partition: Partition, is_interval: Mask, weights: Floats, width: int
) -> tuple[Rings, Nodes, Nodes]:
    """The rings of all clusters, and the closure of each record with the `width` − 1 that follow it."""
    attributes = table.quasi_identifiers
    leaves = np.stack([table.counts.column(a.name).astype(np.int32) for a in attributes])
    spans = np.array([max(a.domain.size - 1, 1) for a in attributes])
    rings = Rings.of(partition, curve(leaves * (weights / spans)[:, None]))
    low, high = rings.extremes(leaves[:, rings.record], width)
    return (rings, *lifted(attributes, is_interval, low, high))
