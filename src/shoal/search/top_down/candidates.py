"""What could be specialized next in a growing cut, and what each way of doing it is worth by itself.

The worth of a specialization, by information gain or by balance, depends on the records that have the value and on
nothing else that was specialized. So it is counted once, when the value appears; later steps only strike out what has
become inadmissible. For criteria that survive merging that is for good: the cut only gets finer, and a class that
breaks the rule falls apart into classes of which one breaks it too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from shoal.arrays import Keys, Mask, Sizes
from shoal.kernels import grouping
from shoal.search.top_down.cut import Axis, GrowingCut

BRANCH = -1
"""Stands for a split point where the children are the nodes one step below in the taxonomy."""

_UNIT = 1 << 20
"""Entropies are whole multiples of 2^−20 bits, so that sums are exact and equal gains are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueCandidates:
    """The ways to specialize one value of the cut.

    Attributes:
        at: The leaf that opens the upper side of each split, ascending; `BRANCH` alone where a taxonomy is followed.
        worth: What each is worth; the larger the better.
        records: How many records have the value.
    """

    at: Keys
    worth: Sizes
    records: int

    def __len__(self) -> int:
        return len(self.at)

    def only(self, which: Mask) -> ValueCandidates:
        """Some of the ways."""
        return self if which.all() else replace(self, at=self.at[which], worth=self.worth[which])

    @property
    def best(self) -> int:
        """The way that is worth most; of equals the lowest."""
        return int(np.argmax(self.worth))


Appraisal: TypeAlias = Callable[[Axis, int, Sizes], ValueCandidates]


class CutCandidates:
    """The candidates of every value of a cut, kept up to date as it grows.

    Attributes:
        cut: The cut; specialize it through here.
        of: `of[column][value]`.
    """

    def __init__(self, cut: GrowingCut, appraise: Appraisal) -> None:
        self.cut = cut
        self._appraise = appraise
        self._histograms = [_class_histogram(cut, column) for column in range(len(cut.axes))]
        self.of = [[self._scored(column, 0)] for column in range(len(cut.axes))]

    def _scored(self, column: int, value: int) -> ValueCandidates:
        return self._appraise(self.cut.axes[column], value, self._histograms[column])

    def live(self, column: int) -> Mask:
        """Which values of a column can still be specialized."""
        return np.array([len(ways) > 0 for ways in self.of[column]], dtype=np.bool_)

    @property
    def done(self) -> float:
        """The share of the columns in which nothing is left to specialize."""
        return sum(not self.live(column).any() for column in range(len(self.of))) / len(self.of)

    def strike(self, column: int, value: int, keep: Mask) -> None:
        """Forget the ways that are not to be kept."""
        self.of[column][value] = self.of[column][value].only(keep)

    def specialize(self, column: int, value: int, at: int) -> None:
        """Replace a value by its children, and look what can be done with those."""
        before = len(self.cut.axes[column])
        self.cut.specialize(column, value, at)
        children = len(self.cut.axes[column]) - before + 1
        self.of[column][value : value + 1] = [self._scored(column, value + child) for child in range(children)]


def _class_histogram(cut: GrowingCut, column: int) -> Sizes:
    """`histogram[leaf, class]`."""
    leaves = cut.axes[column].attribute.domain.size
    keys = cut.codes[column].astype(np.int64) * cut.classes + cut.labels
    return grouping.totals(keys, leaves * cut.classes, cut.sizes).reshape(leaves, cut.classes)


def by_information(axis: Axis, value: int, histogram: Sizes) -> ValueCandidates:
    """Information gain times records, in units of 2^−20 bits.

    InfoGain(v) = I(R_v) − Σ_c |R_c| / |R_v| · I(R_c), I being the entropy of the class among the records with a value.
    Nothing is offered for a value whose records are all of one class: it would tell nothing.

    Paper: Fung, Wang & Yu 2007.
    """
    here = histogram[axis.firsts[value] : axis.lasts[value] + 1]
    whole = here.sum(axis=0)
    records = int(whole.sum())
    if np.count_nonzero(whole) < 2 or not axis.can_specialize[value]:
        return _nothing(records)
    at, parts = _ways(axis, value, here)
    if axis.is_ordered:
        after = _uncertainty(parts) + _uncertainty(whole - parts)
    else:
        after = _uncertainty(parts).sum(keepdims=True)
    return ValueCandidates(at, np.maximum(_uncertainty(whole) - after, 0), records)


def by_balance(axis: Axis, value: int, histogram: Sizes) -> ValueCandidates:
    """Minus the difference between the two sides of a split; a taxonomy has one way only, and it is worth 0."""
    here = histogram[axis.firsts[value] : axis.lasts[value] + 1].sum(axis=1, keepdims=True)
    records = int(here.sum())
    if records == 0 or not axis.can_specialize[value]:
        return _nothing(records)
    at, parts = _ways(axis, value, here)
    if not axis.is_ordered:
        return ValueCandidates(at, np.zeros(1, dtype=np.int64), records)
    return ValueCandidates(at, -np.abs(records - 2 * parts.sum(axis=1)), records)


def _nothing(records: int) -> ValueCandidates:
    none = np.zeros(0, dtype=np.int64)
    return ValueCandidates(none, none, records)


def _ways(axis: Axis, value: int, here: Sizes) -> tuple[Keys, Sizes]:
    """Where a value can be specialized, and what lies below each split, or in each child."""
    first, missing = int(axis.firsts[value]), axis.attribute.domain.missing
    if not axis.is_ordered:
        starts = axis.child_starts(value, BRANCH) - first
        return np.array([BRANCH], dtype=np.int64), np.add.reduceat(here, starts, axis=0)
    present = np.flatnonzero(here.any(axis=1))
    # Halfway between two numbers that occur, where C4.5 cuts too: a new record falls on the side it is nearer to. What
    # is missing is near nothing; it comes after all numbers.
    at = first + present[1:] - np.diff(present) // 2
    if missing is not None and len(at) and first + present[-1] == missing:
        at[-1] = missing
    return at, np.cumsum(here[present], axis=0)[:-1]


def _uncertainty(counts: Sizes) -> Sizes:
    """Records times the entropy of their classes, `counts[…, class]`: n log n − Σ n_y log n_y."""
    found: Sizes = _n_log_n(counts.sum(axis=-1)) - _n_log_n(counts).sum(axis=-1)
    return found


def _n_log_n(counts: Sizes) -> Sizes:
    return np.rint(counts * np.log2(np.maximum(counts, 1)) * _UNIT).astype(np.int64)
