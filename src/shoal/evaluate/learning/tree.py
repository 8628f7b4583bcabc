"""A decision tree in the manner of C4.5, for coded features: it splits a node into one branch per value.

All nodes of one depth are grown together from grouped counts, so that the time goes into a few passes over the distinct
records for each depth, however many nodes there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Sizes
from shoal.errors import ParameterError
from shoal.evaluate.learning.examples import Examples
from shoal.kernels import grouping
from shoal.parameters import read_parameters

_LEAF = -1
_ROUNDING = 1e-9
_SLACK_OF_GAIN = 1e-3
"""C4.5 lets a split compete whose gain is so little below the average."""
_SLACK_OF_PRUNING = 0.1
"""C4.5 cuts a subtree that is expected to save less than so many errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionTree:
    """Split by gain ratio among the splits of at least average gain; prune where a leaf is not expected to err more.

    A split needs two branches of `smallest` records. A leaf that errs on E of its N records is expected to err as often
    as the upper limit of a confidence interval for E / N says; a subtree, as the sum of its leaves.

    Different from C4.5 and from J48: columns are categories, also those that were numbers; a subtree is replaced by a
    leaf, never raised.

    Attributes:
        confidence: The less, the more is pruned; 1 prunes nothing but what saves no error.
        smallest: How many records two branches of a split must have.

    Paper: Quinlan 1993, C4.5.
    """

    confidence: float = 0.25
    smallest: int = 2

    def __post_init__(self) -> None:
        read_parameters(self)
        if not 0 < self.confidence <= 1:
            raise ParameterError(f"confidence must be above 0 and at most 1; got {self.confidence!r}.")
        if self.smallest < 1:
            raise ParameterError(f"smallest is a number of records, 1 or more; got {self.smallest!r}.")

    def fit(self, examples: Examples) -> Tree:
        """Grow, then prune."""
        if examples.total == 0:
            raise ParameterError("a tree cannot be grown without examples.")
        return Tree(_prune(self._grow(examples), self.confidence))

    def _grow(self, examples: Examples) -> list[_Depth]:
        matrix, widest = examples.matrix(), max(examples.cardinalities, default=1)
        rows, node, nodes = np.arange(len(examples)), np.zeros(len(examples), dtype=np.int64), 1
        parents = np.zeros(1, dtype=np.int64)
        depths: list[_Depth] = []
        while nodes:
            labels, weights = examples.labels[rows], examples.weights[rows]
            cells = grouping.totals(node * examples.classes + labels, nodes * examples.classes, weights)
            counts = cells.reshape(nodes, examples.classes)
            splits = [
                _measure(node, counts, feature[rows], cardinality, labels, weights, self.smallest)
                for feature, cardinality in zip(examples.features, examples.cardinalities, strict=True)
            ]
            split = _best(splits, nodes)
            goes_on = split[node] != _LEAF
            rows, node = rows[goes_on], node[goes_on]
            keys = node * widest + matrix[split[node], rows]
            node, nodes_below = grouping.compact(keys, nodes * widest)
            branches = keys[grouping.members(node, nodes_below)] if nodes_below else keys[:0]
            depths.append(_Depth(split, counts, parents, branches, widest))
            parents, nodes = branches // widest, nodes_below
        return depths


@dataclass(frozen=True, slots=True, eq=False)
class _Depth:
    """The nodes of one depth.

    Attributes:
        split: The feature each node splits by, or −1.
        counts: `counts[node, label]`.
        parents: The parent of each node, one depth above.
        branches: node · widest + value for each node one depth below, in rising order.
        widest: The largest domain of a feature.
    """

    split: Keys
    counts: Sizes
    parents: Keys
    branches: Keys
    widest: int

    @property
    def majority(self) -> Keys:
        """The most frequent label of each node, the first of equals."""
        return np.asarray(self.counts.argmax(axis=1))

    @property
    def errors(self) -> Floats:
        """Records of each node that do not have its majority label."""
        return np.asarray(self.counts.sum(axis=1) - self.counts.max(axis=1), dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """Splitting each node of one depth by one feature: what it gains per record, by what ratio, and if it may."""

    gain: Floats
    ratio: Floats
    allowed: Mask


def _measure(
    node: Keys, counts: Sizes, feature: Codes, cardinality: int, labels: Codes, weights: Sizes, smallest: int
) -> _Split:
    """Gain and gain ratio in bits: N · entropy = N log N − Σ n log n, over labels, branches, and labels in branches."""
    nodes, classes = counts.shape
    branch, branches = grouping.compact(node * cardinality + feature, nodes * cardinality)
    cell, cells = grouping.compact(branch * classes + labels, branches * classes)
    branch_sizes = np.bincount(branch, weights=weights, minlength=branches)
    cell_sizes = np.bincount(cell, weights=weights, minlength=cells)
    owner, cell_owner = node[grouping.members(branch, branches)], node[grouping.members(cell, cells)]
    sizes = counts.sum(axis=1)
    in_branches = np.bincount(owner, weights=_n_log_n(branch_sizes), minlength=nodes)
    in_cells = np.bincount(cell_owner, weights=_n_log_n(cell_sizes), minlength=nodes)
    whole = _n_log_n(sizes)
    gain = (whole - _n_log_n(counts).sum(axis=1)) - (in_branches - in_cells)
    width = whole - in_branches
    large = np.bincount(owner[branch_sizes >= smallest], minlength=nodes)
    allowed = (large >= 2) & (gain > _ROUNDING * sizes) & (width > _ROUNDING * sizes)
    return _Split(gain / sizes, gain / np.where(allowed, width, 1.0), allowed)


def _best(splits: Sequence[_Split], nodes: int) -> Keys:
    """For each node the split of the best ratio among those of at least average gain, or none."""
    if not splits:
        return np.full(nodes, _LEAF, dtype=np.int64)
    allowed = np.stack([split.allowed for split in splits])
    gains = np.stack([split.gain for split in splits])
    average = np.where(allowed, gains, 0.0).sum(axis=0) / np.maximum(allowed.sum(axis=0), 1)
    competes = allowed & (gains >= average - _SLACK_OF_GAIN)
    ratios = np.where(competes, np.stack([split.ratio for split in splits]), -np.inf)
    return np.where(competes.any(axis=0), ratios.argmax(axis=0), _LEAF)


def _n_log_n(sizes: Sizes | Floats) -> Floats:
    return np.asarray(sizes * np.log2(np.maximum(sizes, 1)))


def _prune(depths: list[_Depth], confidence: float) -> list[_Depth]:
    """From the leaves up: a node becomes a leaf where that is not expected to err more than its branches."""
    pruned: list[_Depth] = []
    below, parents = np.zeros(0), np.zeros(0, dtype=np.int64)
    for depth in reversed(depths):
        as_leaf = expected_errors(depth.counts.sum(axis=1), depth.errors, confidence)
        as_tree = np.bincount(parents, weights=below, minlength=len(as_leaf))
        is_leaf = (depth.split == _LEAF) | (as_leaf <= as_tree + _SLACK_OF_PRUNING)
        split = np.where(is_leaf, _LEAF, depth.split)
        pruned.append(_Depth(split, depth.counts, depth.parents, depth.branches, depth.widest))
        below, parents = np.where(is_leaf, as_leaf, as_tree), depth.parents
    return pruned[::-1]


def expected_errors(records: Sizes | Floats, errors: Floats, confidence: float) -> Floats:
    """The errors of leaves on as many new records: upper limits of one-sided confidence intervals, as C4.5 has them.

    Exact without errors, N (1 − CF^(1/N)); on a straight line between none and one; Wilson's limit with continuity
    correction above; never more than N.
    """
    n, e = np.asarray(records, dtype=float), np.asarray(errors, dtype=float)
    if confidence >= 1:
        return e
    z = NormalDist().inv_cdf(1 - confidence)

    def wilson(e: Floats) -> Floats:
        f = (e + 0.5) / n
        root = np.sqrt(np.maximum(f / n - f * f / n + z * z / (4 * n * n), 0.0))
        limit = (f + z * z / (2 * n) + z * root) / (1 + z * z / n)
        return np.where(e + 0.5 >= n, n, np.minimum(limit * n, n))

    none = n * (1 - confidence ** (1 / n))
    few = none + e * (wilson(np.ones_like(e)) - none)
    return np.where(e < 1, few, wilson(e))


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A grown tree."""

    _depths: Sequence[_Depth]

    @property
    def root(self) -> int | None:
        """The feature of the first split; None if the tree is one leaf."""
        first = int(self._depths[0].split[0])
        return None if first == _LEAF else first

    @property
    def leaves(self) -> int:
        """Number of leaves that training records reach."""
        alive, leaves = np.ones(1, dtype=np.bool_), 0
        for depth in self._depths:
            leaves += int(np.count_nonzero(alive & (depth.split == _LEAF)))
            parents = depth.branches // depth.widest
            alive = alive[parents] & (depth.split[parents] != _LEAF)
        return leaves

    def predict(self, examples: Examples) -> Keys:
        """The label of each row: the majority of the deepest node it reaches."""
        labels = np.zeros(len(examples), dtype=np.int64)
        for depth, rows, node in self._reached(examples):
            labels[rows] = depth.majority[node]
        return labels

    def scores(self, examples: Examples) -> Floats:
        """The shares of labels in the deepest node of each row, one record of each label added (Laplace)."""
        shares = np.zeros((examples.classes, len(examples)))
        for depth, rows, node in self._reached(examples):
            counts = depth.counts[node] + 1.0
            shares[:, rows] = (counts / counts.sum(axis=1, keepdims=True)).T
        return shares

    def _reached(self, examples: Examples) -> Iterator[tuple[_Depth, Keys, Keys]]:
        """Depth by depth the rows that come there, and their nodes."""
        matrix = examples.matrix()
        rows, node = np.arange(len(examples)), np.zeros(len(examples), dtype=np.int64)
        for depth in self._depths:
            yield depth, rows, node
            goes_on = depth.split[node] != _LEAF
            rows, node = rows[goes_on], node[goes_on]
            if len(rows) == 0:
                break
            keys = node * depth.widest + matrix[depth.split[node], rows]
            at = np.minimum(np.searchsorted(depth.branches, keys), len(depth.branches) - 1)
            is_known = depth.branches[at] == keys  # a value no training record of the node had ends here
            rows, node = rows[is_known], at[is_known]
