"""What a specialization is worth by itself, as DiffGen and TDS have it: from the records of the value alone.

Max(D, v) = Σ_c max_y |D_c^y| over the children c of v; InfoGain(D, v) = H_v(D) − H_{v|c}(D), in bits. Neither changes
when another value is specialized, so each value is scored once.

Paper: DiffGen §4.2 (1), Equations (3) and (4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.search.top_down.cut import GrowingCut
from shoal.search.top_down.scores import Candidates, Places, splits

Measure: TypeAlias = Callable[[Sizes], Sizes | Floats]
"""From `counts[child, candidate, class]` to the score of each candidate."""


def largest_classes(counts: Sizes) -> Sizes:
    """Max: the records of the most frequent class, added up over the children."""
    return np.asarray(counts.max(axis=2).sum(axis=0))


def information_gain(counts: Sizes) -> Floats:
    """InfoGain in bits; 0 where there are no records. Each is within 10^−9 of the exact number."""
    joint, whole = _n_log_n(counts).sum(axis=(0, 2)), counts.sum(axis=(0, 2))
    classes, children = _n_log_n(counts.sum(axis=0)).sum(axis=1), _n_log_n(counts.sum(axis=2)).sum(axis=0)
    bits = _n_log_n(whole) + joint - classes - children
    return np.asarray(bits / np.maximum(whole, 1))


class ValueScores:
    """The candidates of each value of a growing cut, scored by a measure of the value alone."""

    def __init__(self, cut: GrowingCut, measure: Measure) -> None:
        self._cut, self._measure = cut, measure
        self._places = Places(cut)
        self._histograms = [self._places.histogram(cut, column) for column in range(len(cut.axes))]

    def of(self, column: int, value: int) -> Candidates:
        """All ways to specialize one value: one by its taxonomy, or the runs of split points."""
        axis, histogram = self._cut.axes[column], self._histograms[column]
        present = self._places.present[column]
        low, high = np.searchsorted(present, [axis.firsts[value], axis.tops[value] + 1])
        if axis.is_ordered:
            below = np.zeros((high - low + 1, self._cut.classes), dtype=np.int64)
            np.cumsum(histogram[low:high], axis=0, out=below[1:])
            score = self._measure(np.stack([below, below[-1] - below]))
            return splits(axis, column, value, present[low:high], score)
        starts = axis.child_starts(value, -1) - axis.firsts[value]
        counts = np.add.reduceat(histogram[axis.firsts[value] : axis.lasts[value] + 1], starts, axis=0)
        one = np.ones(1, dtype=np.int64)
        return Candidates(column * one, value * one, -one, one, self._measure(counts[:, None, :]))


def _n_log_n(counts: Sizes) -> Floats:
    return np.asarray(counts * np.log2(np.maximum(counts, 1)))
