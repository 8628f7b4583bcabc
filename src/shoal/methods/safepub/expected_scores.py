"""Scores of a scheme by what it is expected to publish, exact in integers, and how far one record can move them.

SafePub scores a scheme on one sample after suppressing classes below k. There, one record decides over a whole class:
the score can jump by k records. But the release will draw its own sample, so what matters is what is published *on
average* over that draw: a class of n records publishes Bin(n, β) of them if that is at least k,

    g(n) = E[X; X ≥ k],   p(n) = P[X ≥ k],   X ~ Bin(n, β).

Both grow smoothly with n: one record more adds at most a few published records to g, not k, and a few hundredths to p.
So the same budget distinguishes schemes ten times as finely (`docs/methods/safepub.md`). The table of g or p is rounded
to whole multiples of a public unit once; the rounded table *is* what a class is worth, sums of it are exact, and its
largest step tells the exact sensitivity (`docs/proofs/safepub.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.errors import ParameterError
from shoal.progress import Progress, silent
from shoal.quality import CellModel, Classification, Discernibility, GroupSize, NonUniformEntropy, QualityModel
from shoal.quality.base import checked_weights
from shoal.search.blocks.block_scores import (
    Amounts,
    BlockScore,
    Cells,
    Classes,
    ColumnSpread,
    Majorities,
    SchemeScores,
    Spread,
    Worth,
    WorthTable,
)
from shoal.search.blocks.refinement import blocks_of
from shoal.search.lattice import Lattice, Node

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

_STEP = 1 << 16
"""Units in the largest step of a table."""
_COARSE_STEP = 1 << 8
"""The same where what classes are worth is squared."""
_CELL = 1 << 10
"""Units in the worth of an original cell, or of a column, with the largest weight."""
_WIDEST = 1 << 62
_LARGEST_SCORE = 1 << 60
_LONGEST_TABLE = 1 << 22
_LARGEST_CLASS = 1 << 24


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
    def records(rate: float, k: int, units: int = _STEP) -> SurvivalTable:
        """E[X; X ≥ k] = n β P[Bin(n − 1, β) ≥ k − 1]; a record more in a large class adds β."""
        tails = _tails(rate, k - 1)
        sizes = np.arange(1, len(tails) + 1)
        return SurvivalTable.of(np.concatenate([[0.0], sizes * rate * tails]), rate, units)

    @staticmethod
    def classes(rate: float, k: int) -> SurvivalTable:
        """P[X ≥ k]."""
        return SurvivalTable.of(_tails(rate, k), 0.0)

    @staticmethod
    def of(expected: Floats, slope: float, units: int = _STEP) -> SurvivalTable:
        """Round so that the largest step has about so many units, and never let a larger class be worth less."""
        unit = max(float(np.diff(expected).max()), slope) / units
        values = np.maximum.accumulate(np.rint(expected / unit).astype(np.int64))
        return SurvivalTable(values, round(slope / unit), unit)

    @property
    def largest_step(self) -> int:
        """The most that one record adds to a class."""
        return max(int(np.diff(self.values).max()), self.slope)

    @property
    def least(self) -> int:
        """The smallest class that is worth anything."""
        return int(np.flatnonzero(self.values)[0])

    @property
    def per_record(self) -> int:
        """The most that a class is worth per record, rounded up."""
        sizes = np.arange(1, len(self.values))
        return max(int((-(-self.values[1:] // sizes)).max()), self.slope)

    def at(self, sizes: Sizes) -> Sizes:
        """The worth of classes of these sizes."""
        return WorthTable(self.values, self.slope)(sizes)

    def worth(self, records: int, factor: int = 1) -> tuple[Worth, type]:
        """The same for classes of a table of so many records, and the type that `factor` times its sums fit into.

        Where 63 bits might not suffice, Python's integers are used: a sum that wraps has no sensitivity.
        """
        if records * self.largest_step * factor >= _WIDEST:
            return self._unbounded, object
        return WorthTable(self.values, self.slope, records if records < _LONGEST_TABLE else None), np.int64

    def _unbounded(self, sizes: Sizes) -> Amounts:
        last = len(self.values) - 1
        beyond = np.maximum(sizes - last, 0).astype(object)
        worth: Amounts = self.values[np.minimum(sizes, last)].astype(object) + beyond * self.slope
        return worth


def require_table(rate: float, k: int) -> None:
    """Refuse a rate and a k for which the table of what classes are worth would not fit memory: both are public."""
    if _certain(rate, k) > _LARGEST_CLASS:
        raise ParameterError(
            f"with a sample of {rate:.2g} of the records and k = {k:,}, only classes of more than {_LARGEST_CLASS:,} "
            "records are sure to be published, and schemes for such classes are not compared; use a larger epsilon or "
            "delta, or give one scheme."
        )


def _certain(rate: float, k: int) -> int:
    """From which size on a class has k records in the sample for certain, to the last digit of a double."""
    return ceil((k + 60) / rate + 20 * sqrt(k + 60) / rate)


def _tails(rate: float, k: int) -> Floats:
    """P[Bin(n, β) ≥ k] for n = 0, 1, … until it is 1 to the last digit.

    P[Bin(n + 1, β) ≥ k] = P[Bin(n, β) ≥ k] + β P[Bin(n, β) = k − 1]: the record more is the one that makes it k.
    """
    if k <= 0:
        return np.ones(2)
    most = _certain(rate, k)
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


class ExpectedScore:
    """A score of generalization schemes of one table, in whole units.

    Attributes:
        range: The width of the interval in which one record more moves the score of any scheme.
    """

    def __init__(self, reach: int, scores: SchemeScores) -> None:
        self.range, self._scores = reach, scores

    def of(self, node: Node) -> int:
        """The score of a scheme."""
        return int(self._scores.of(node))

    def of_all(self, nodes: Sequence[Node], progress: Progress = silent) -> Sizes | list[int]:
        """The scores of some schemes; in Python's integers if one is too large for what chooses among them."""
        return _whole(self._scores.of_all(nodes, progress))

    def near_the_best(
        self, nodes: Sequence[Node], far: int, progress: Progress = silent
    ) -> tuple[Sizes | list[int], Mask]:
        """The same, and which are exact; the others are only known to be at most so much, `far` below the best."""
        scores, is_exact = self._scores.near_the_best(nodes, far, progress)
        return _whole(scores), is_exact


def _whole(scores: Amounts) -> Sizes | list[int]:
    if scores.dtype == np.int64 and int(np.abs(scores).max()) < _LARGEST_SCORE:
        return scores
    return [int(score) for score in scores]


def has_expected_score(model: QualityModel) -> bool:
    """Whether the range of a model's score is proved here; that of any other is the word of whoever made it."""
    return isinstance(model, GroupSize | Classification | CellModel | Discernibility | NonUniformEntropy)


def expected_score(
    model: QualityModel, table: EncodedTable, rate: float, k: int, looks: int = 1
) -> ExpectedScore | None:
    """The expected score of a quality model on a table, for about so many schemes; None if it has none.

    | model | score | moves within |
    | --- | --- | --- |
    | group size | Σ_E p(|E|): classes expected to be published | [0, Δ] |
    | cells | Σ_E g(|E|) Σ_i w_i (1 − cost_i(E)): what published cells are worth | [0, Δ Σ_i w_i] |
    | classification | Σ_f max_c g(n(f, c)): published records of the majority class of their features | [0, Δ] |
    | discernibility | Σ_E K − Σ_E K² / M, K = g(|E|) | [−Δ, Δ + c] |
    | entropy | Σ_i w_i (Σ_v K_v − Σ_v K_v² / M), K_v = Σ g(|E|) over classes with value v | [−Δ, Δ + c] Σ_i w_i |

    Δ is the largest step of the table of p or g, c the most that a class is worth per record, M = c times the records.
    """
    names = [attribute.name for attribute in table.quasi_identifiers]
    target = getattr(model, "target", None)
    last: int | None = None
    if isinstance(model, Classification):
        if target not in names or len(names) == 1:
            raise ParameterError(f"the target {target!r} must be a counted column, and there must be another one.")
        last = names.index(target)
    rule = _rule(model, table, rate, k)
    if rule is None:
        return None
    survival, score, reach = rule
    source = blocks_of(table, survival.least, last=last, looks=looks, one_pass=isinstance(score, Cells))
    levels = [height + 1 for height in Lattice.of(table).heights]
    return ExpectedScore(reach, SchemeScores(source, score, levels))


def _rule(
    model: QualityModel, table: EncodedTable, rate: float, k: int
) -> tuple[SurvivalTable, BlockScore, int] | None:
    """What a class is worth, how that becomes a score, and its range."""
    match model:
        case GroupSize():
            survival = SurvivalTable.classes(rate, k)
            return survival, Classes(*survival.worth(table.total)), survival.largest_step
        case Classification():
            survival = SurvivalTable.records(rate, k)
            return survival, Majorities(*survival.worth(table.total)), survival.largest_step
        case CellModel():
            survival = SurvivalTable.records(rate, k)
            prices = cell_prices(model, table)
            dearest = max(int(sum(price.max() for price in prices)), 1)
            worth, kind = survival.worth(table.total, dearest)
            return survival, Cells(worth, prices, kind), survival.largest_step * dearest
        case Discernibility() | NonUniformEntropy():
            survival = SurvivalTable.records(rate, k, _COARSE_STEP)
            total = survival.per_record * table.total
            worth, kind = survival.worth(table.total, max(total, _CELL * len(table.quasi_identifiers)))
            reach = 2 * survival.largest_step + survival.per_record
            if isinstance(model, Discernibility):
                return survival, Spread(worth, total, kind), reach
            shares = checked_weights(model.weights, table)
            weights = [int(w) for w in np.rint(shares / shares.max() * _CELL)]
            hierarchies = [attribute.hierarchy for attribute in table.quasi_identifiers]
            return survival, ColumnSpread(worth, total, weights, hierarchies, kind), reach * sum(weights)
        case _:
            return None


def cell_prices(model: CellModel, table: EncodedTable) -> list[Sizes]:
    """What a published cell is worth, by node. Only the proportions of the weights matter; the largest becomes 1."""
    weights = checked_weights(model.weights, table)
    return [
        np.rint(w * (1 - np.clip(model.costs(attribute.hierarchy), 0, 1)) * _CELL).astype(np.int64)
        for w, attribute in zip(weights / weights.max(), table.quasi_identifiers, strict=True)
    ]
