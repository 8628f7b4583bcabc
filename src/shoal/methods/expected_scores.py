"""Scores of a scheme by what it is expected to publish, exact in integers, and how far one record can move them.

SafePub scores a scheme on one sample after suppressing classes below k. There, one record decides over a whole class:
the score can jump by k records. But the release will draw its own sample, so what matters is what is published *on
average* over that draw: a class of n records publishes Bin(n, β) of them if that is at least k,

    g(n) = E[X; X ≥ k],   p(n) = P[X ≥ k],   X ~ Bin(n, β).

Both grow smoothly with n: one record more adds at most a few published records to g, not k, and a few hundredths to p.
So the same budget distinguishes schemes ten times as finely (`docs/methods/safepub.md`). The table of g or p is rounded
to whole multiples of a public unit once; the rounded table *is* the score, sums of it are exact, and its largest step
is the exact sensitivity (`docs/proofs/safepub.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.errors import ParameterError
from shoal.quality import CellModel, Classification, GroupSize, QualityModel
from shoal.quality.base import checked_weights
from shoal.search.lattice import Node, NodeClasses

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

_STEP = 1 << 16
"""Units in the largest step of a table."""
_CELL = 1 << 10
"""Units in the worth of an original cell with the largest weight."""
_WIDEST = 1 << 63


class SchemeScore(Protocol):
    """A score of generalization schemes of one table, in whole units."""

    range: int
    """How far one record more can move it up; it never moves down."""

    def of(self, node: Node) -> int:
        """The score of a scheme."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class SurvivalTable:
    """What a class of n records is expected to publish, in whole units.

    Attributes:
        values: The table for n = 0, 1, …: it starts with 0 and never falls.
        slope: What each record beyond its end adds.
        unit: What a unit is worth, in published records or classes.
    """

    values: Sizes
    slope: int
    unit: float

    @staticmethod
    def records(rate: float, k: int) -> SurvivalTable:
        """E[X; X ≥ k] = n β P[Bin(n − 1, β) ≥ k − 1]; a record more in a large class adds β."""
        tails = _tails(rate, k - 1)
        sizes = np.arange(1, len(tails) + 1)
        return SurvivalTable.of(np.concatenate([[0.0], sizes * rate * tails]), rate)

    @staticmethod
    def classes(rate: float, k: int) -> SurvivalTable:
        """P[X ≥ k]."""
        return SurvivalTable.of(_tails(rate, k), 0.0)

    @staticmethod
    def of(expected: Floats, slope: float) -> SurvivalTable:
        """Round to units so small that the largest step has about 2^16, and never let a larger class be worth less."""
        unit = max(float(np.diff(expected).max()), slope) / _STEP
        values = np.maximum.accumulate(np.rint(expected / unit).astype(np.int64))
        return SurvivalTable(values, round(slope / unit), unit)

    @property
    def largest_step(self) -> int:
        """The most that one record adds to a class."""
        return max(int(np.diff(self.values).max()), self.slope)

    def at(self, sizes: Sizes) -> Sizes:
        """The worth of classes of these sizes."""
        last = len(self.values) - 1
        beyond = np.maximum(sizes - last, 0)
        worth: Sizes = self.values[np.minimum(sizes, last)] + beyond * self.slope
        return worth


def _tails(rate: float, k: int) -> Floats:
    """P[Bin(n, β) ≥ k] for n = 0, 1, … until it is 1 to the last digit.

    P[Bin(n + 1, β) ≥ k] = P[Bin(n, β) ≥ k] + β P[Bin(n, β) = k − 1]: the record more is the one that makes it k.
    """
    if k <= 0:
        return np.ones(2)
    most = int(np.ceil((k + 60) / rate + 20 * np.sqrt(k + 60) / rate))
    sizes = np.arange(most + 1, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_choose = np.cumsum(np.concatenate([[0.0], np.log(sizes[1:])]))
        exactly = (
            log_choose
            - log_choose[k - 1]
            - np.where(sizes >= k - 1, log_choose[np.maximum(sizes - k + 1, 0).astype(int)], np.inf)
            + (k - 1) * np.log(rate)
            + (sizes - k + 1) * np.log1p(-rate)
        )
    tails: Floats = np.concatenate([[0.0], np.cumsum(rate * np.where(sizes >= k - 1, np.exp(exactly), 0.0))])
    return np.minimum(tails, 1.0, out=tails)


def expected_score(model: QualityModel, table: EncodedTable, rate: float, k: int) -> SchemeScore | None:
    """The expected score of a quality model on a table, or None if it has none."""
    match model:
        case Classification():
            return _ExpectedMajorities(SurvivalTable.records(rate, k), model.target, table)
        case GroupSize():
            return _ExpectedClasses(SurvivalTable.classes(rate, k), table)
        case CellModel():
            return _ExpectedCells(SurvivalTable.records(rate, k), model, table)
        case _:
            return None


class _ExpectedClasses:
    """Σ_E p(|E|): classes expected to be published."""

    def __init__(self, survival: SurvivalTable, table: EncodedTable) -> None:
        self._survival, self._classes = survival, NodeClasses(table)
        self.range = survival.largest_step

    def of(self, node: Node) -> int:
        return int(self._survival.at(self._classes.at(node).sizes).sum())


class _ExpectedCells:
    """Σ_E g(|E|) Σ_i w_i (1 − cost_i(E)): what the published cells are worth.

    Only the proportions of the weights matter, so they are scaled to a largest weight of 1: whatever the weights, the
    score of n records in m columns stays below 2^27 n m.
    """

    def __init__(self, survival: SurvivalTable, model: CellModel, table: EncodedTable) -> None:
        weights = checked_weights(model.weights, table)
        costs = [model.costs(attribute.hierarchy) for attribute in table.quasi_identifiers]
        self._survival, self._classes = survival, NodeClasses(table)
        self._worth = [
            np.rint(w * (1 - np.clip(cost, 0, 1)) * _CELL).astype(np.int64)
            for w, cost in zip(weights / weights.max(), costs, strict=True)
        ]
        self.range = survival.largest_step * max(int(sum(worth.max() for worth in self._worth)), 1)

    def of(self, node: Node) -> int:
        classes = self._classes.at(node)
        expected = self._survival.at(classes.sizes)
        alive = np.flatnonzero(expected)  # most classes of a fine scheme are too small to be published
        rows = classes.members.take(alive)
        worth = np.zeros(len(alive), dtype=np.int64)
        for i, of_node in enumerate(self._worth):
            worth += of_node.take(classes.row_nodes(i, rows))
        return _dot(expected.take(alive), worth)


def _dot(expected: Sizes, worth: Sizes) -> int:
    """Σ expected · worth, in Python's integers where 63 bits might not suffice: a sum that wraps has no sensitivity."""
    if int(expected.sum()) * int(worth.max(initial=0)) < _WIDEST:
        return int((expected * worth).sum())
    return sum(a * b for a, b in zip(expected.tolist(), worth.tolist(), strict=True))


class _ExpectedMajorities:
    """Σ_f max_c g(n(f, c)): published records of the majority class of their features.

    Classes include the target, as all published columns must; so a cell (f, c) is a class.
    """

    def __init__(self, survival: SurvivalTable, target: str, table: EncodedTable) -> None:
        names = [attribute.name for attribute in table.quasi_identifiers]
        if target not in names or len(names) == 1:
            raise ParameterError(f"the target {target!r} must be a counted column, and there must be another one.")
        self._survival, self._classes = survival, NodeClasses(table, last=names.index(target))
        self.range = survival.largest_step

    def of(self, node: Node) -> int:
        classes, features = self._classes.at_with_features(node)
        starts = np.flatnonzero(np.diff(features, prepend=-1))
        return int(np.maximum.reduceat(self._survival.at(classes.sizes), starts).sum()) if len(starts) else 0
