"""How well a release teaches: train on what is published, test on held-out originals recoded by the same scheme.

Accuracy is reported on a scale where 0 is always predicting the most frequent value and 1 is having trained on the
originals (SafePub §8.6). What is measured here looks at the originals: it is for the owner, and for research, only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from shoal.arrays import Sizes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.recoding import Recoding
from shoal.errors import ParameterError
from shoal.evaluate.examples import Examples
from shoal.evaluate.learners import Learner, Majority, accuracy
from shoal.evaluate.parts import chosen_at_random, random_parts
from shoal.evaluate.tree import DecisionTree
from shoal.kernels import grouping

_FOLD = "(fold)"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Shares of test records whose target is predicted.

    Attributes:
        release: Trained on the release.
        original: Trained on the originals.
        trivial: Without features: the most frequent value.
    """

    release: float
    original: float
    trivial: float

    @property
    def relative(self) -> float:
        """0 for the trivial prediction, 1 for having the originals."""
        gained = self.original - self.trivial
        return (self.release - self.trivial) / gained if gained else float("nan")


@dataclass(frozen=True)
class HeldOut:
    """Rates releases of `train` on the records of `test`.

    Both tables have the same columns and codes; releases must have been made from `train` alone.
    """

    train: EncodedTable
    test: EncodedTable
    target: str
    learner: Learner = field(default_factory=DecisionTree)

    @cached_property
    def trivial(self) -> float:
        """The accuracy of the most frequent value."""
        return self._taught(Majority(), self.train.counts, self.test.counts)

    @cached_property
    def original(self) -> float:
        """The accuracy after training on the originals."""
        return self._taught(self.learner, self.train.counts, self.test.counts)

    def rate(self, outcome: Outcome) -> Accuracy:
        """Train on what is published."""
        recoded = _recoding(outcome).apply(self.test)
        release = self._taught(self.learner, outcome.published, recoded)
        return Accuracy(release, self.original, self.trivial)

    def _taught(self, learner: Learner, train: Counts, test: Counts) -> float:
        return accuracy(learner.fit(Examples.of(train, self.target)), Examples.of(test, self.target))


@dataclass(frozen=True)
class CrossValidation:
    """Rates releases of a whole table: records are dealt into folds; each fold is tested once, the others teach.

    A release is made once, from all records; what of it stems from the tested fold does not teach. Which of the alike
    records of a class were published makes no difference, so it is drawn. The choice of the scheme has seen all folds,
    as in the paper; `HeldOut` is the stricter test.

    Paper: SafePub §8.6 (10 folds).
    """

    table: EncodedTable
    target: str
    learner: Learner = field(default_factory=DecisionTree)
    folds: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        if not 2 <= self.folds <= self.table.total:
            raise ParameterError(f"folds are from 2 to the number of records; got {self.folds!r}.")

    @cached_property
    def trivial(self) -> float:
        """The accuracy of the most frequent value."""
        return self._taught(Majority(), self._dealt.counts, self._dealt.counts.sizes)

    @cached_property
    def original(self) -> float:
        """The accuracy after training on the originals."""
        return self._taught(self.learner, self._dealt.counts, self._dealt.counts.sizes)

    def rate(self, outcome: Outcome) -> Accuracy:
        """Train on what is published from the other folds."""
        originals = _recoding(outcome).apply(self._dealt)
        published = self._published(originals, outcome.published)
        return Accuracy(self._taught(self.learner, originals, published), self.original, self.trivial)

    @cached_property
    def _dealt(self) -> EncodedTable:
        """The table with the fold of each record as one more column."""
        counts = self.table.counts
        parts = random_parts(counts.sizes, [1.0] * self.folds, np.random.default_rng(self.seed))
        fold, rows = np.nonzero(parts)
        dealt = Counts.of(
            (*counts.names, _FOLD),
            [*(column[rows] for column in counts.codes), fold],
            (*counts.cardinalities, self.folds),
            parts[fold, rows],
        )
        return replace(self.table, counts=dealt)

    def _published(self, originals: Counts, published: Counts) -> Sizes:
        """How many records of each row of `originals`, fold by fold, are published."""
        together = [
            np.concatenate([originals.column(name), published.column(name)]) for name in self.table.counts.names
        ]
        widths = [originals.cardinality(name) for name in self.table.counts.names]
        labels, groups = grouping.group(together, widths, len(originals) + len(published))
        wanted = grouping.totals(labels[len(originals) :], groups, published.sizes)
        there = grouping.totals(labels[: len(originals)], groups, originals.sizes)
        if (wanted > there).any():
            raise ParameterError("the release has records that the table has not; it was made from another table.")
        rng = np.random.default_rng([self.seed, 1])
        return chosen_at_random(labels[: len(originals)], originals.sizes, wanted, rng)

    def _taught(self, learner: Learner, originals: Counts, teaching: Sizes) -> float:
        """The accuracy on all records, each predicted from `teaching` records of the other folds."""
        right = 0.0
        for test, train in self._splits(originals, teaching):
            right += accuracy((learner if train.total else Majority()).fit(train), test) * test.total
        return right / originals.kept

    def _splits(self, originals: Counts, teaching: Sizes) -> Iterator[tuple[Examples, Examples]]:
        folds = originals.column(_FOLD)
        kept = [name for name in originals.names if name != _FOLD]
        columns = Counts(
            tuple(kept),
            tuple(originals.column(name) for name in kept),
            tuple(originals.cardinality(name) for name in kept),
            originals.sizes,
        )
        examples = Examples.of(columns, self.target)
        for fold in range(self.folds):
            is_tested = folds == fold
            yield (
                examples.weighted(np.where(is_tested, originals.sizes, 0)),
                examples.weighted(np.where(is_tested, 0, teaching)),
            )


def _recoding(outcome: Outcome) -> Recoding:
    if outcome.recoding is None:
        raise ParameterError(
            "this release recodes records, not values; its recoding cannot be applied to test records."
        )
    return outcome.recoding
