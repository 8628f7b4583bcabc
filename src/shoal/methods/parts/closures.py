"""Closures of sets of records, as they are published: intervals of numbers, nodes of hierarchies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Nodes, Sizes
from shoal.data.attribute import Attribute
from shoal.data.domain import Categorical
from shoal.data.shown import Distributions, Shown, Spans, TreeNodes
from shoal.kernels import grouping
from shoal.methods.parts.publish import Publish


def intervals_among(attributes: Sequence[Attribute], publish: Publish) -> Mask:
    """Which columns are published as intervals."""
    return np.array([publish is Publish.INTERVALS and not isinstance(a.domain, Categorical) for a in attributes])


def lifted(attributes: Sequence[Attribute], is_interval: Mask, low: Nodes, high: Nodes) -> tuple[Nodes, Nodes]:
    """From the lowest and highest leaf of each set to its closure: the leaves themselves, or the node above both."""
    low, high = low.copy(), high.copy()
    for column, attribute in enumerate(attributes):
        if not is_interval[column]:
            low[column] = high[column] = attribute.hierarchy.common_ancestor(low[column], high[column])
    return low, high


def shown_closures(
    attributes: Sequence[Attribute], is_interval: Mask, low: Nodes, high: Nodes
) -> dict[str, tuple[Shown, Codes]]:
    """Per column what is shown, and which entry of it each closure gets."""
    shown: dict[str, tuple[Shown, Codes]] = {}
    for column, attribute in enumerate(attributes):
        if is_interval[column]:
            size = attribute.domain.size
            keys, entry = np.unique(low[column].astype(np.int64) * size + high[column], return_inverse=True)
            first, last = np.divmod(keys, size)
            shown[attribute.name] = (Spans(first, last), entry)
        else:
            nodes, entry = np.unique(low[column], return_inverse=True)
            shown[attribute.name] = (TreeNodes(nodes.astype(np.int32)), entry)
    return shown


def loss_metric(attributes: Sequence[Attribute], is_interval: Mask, weights: Floats, low: Nodes, high: Nodes) -> Floats:
    """The loss of each closure, 0 to 1 (NSVDist Eq. 2); a column with one value costs nothing."""
    lost = np.zeros(low.shape[1])
    for column, attribute in enumerate(attributes):
        values = high[column] - low[column] if is_interval[column] else attribute.hierarchy.leaf_count[low[column]] - 1
        lost += weights[column] * values / max(attribute.domain.size - 1, 1)
    return np.asarray(lost / weights.sum())


def shown_distributions(counts: Sizes, *, is_reduced: bool = False, as_columns: bool = False) -> tuple[Shown, Codes]:
    """Distributions with the counts `counts[set, leaf]`, and the entry of each set; in lowest terms if asked."""
    if is_reduced:
        divisors = np.gcd.reduce(counts, axis=1)
        counts = counts // np.maximum(divisors, 1)[:, None]
    cardinalities = [int(column.max()) + 1 for column in counts.T]
    entry, entries = grouping.group(list(counts.T), cardinalities, len(counts))
    shares = counts[grouping.members(entry, entries)].astype(np.int64)
    return Distributions(shares, shares.sum(axis=1), as_columns=as_columns), entry


def marginal_counts(joint: Sizes, value: Keys, leaves: int) -> Sizes:
    """Counts of one column from counts of combinations; combination c has the leaf `value[c]`."""
    counts = np.zeros((len(joint), leaves), dtype=np.int64)
    for leaf in np.unique(value).tolist():
        counts[:, leaf] = joint[:, value == leaf].sum(axis=1)
    return counts
