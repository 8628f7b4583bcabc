"""Two ways to guess a sensitive value from a release: ask the nearest records, or learn from all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from shoal.arrays import Floats, Keys, Mask
from shoal.attacks.nearest import Nearest, values_of
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.evaluate import Classifier, Examples, Learner, Majority, materialize
from shoal.evaluate.posterior import Spread, spread, sums


class Guesser(Protocol):
    """Guesses one column of people from others."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What must be known about a person."""
        ...

    def guess(self, counts: Counts, records: Sequence[int]) -> tuple[Keys, Mask]:
        """The value (leaf) said of each of some records, and whether the release leaves no doubt about it."""
        ...


@dataclass(frozen=True, eq=False)
class AskNearest:
    """The most frequent value among the nearest published records."""

    nearest: Nearest
    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """What must be known about a person."""
        return self.nearest.columns

    def guess(self, counts: Counts, records: Sequence[int]) -> tuple[Keys, Mask]:
        """Person by person."""
        guesses, certain = [], []
        for record in records:
            weights = self.weights(self.nearest.to(values_of(counts, self.columns, record)))
            guesses.append(int(weights.argmax()))
            certain.append(bool(weights.max() >= weights.sum() * (1 - 1e-9)))
        return np.array(guesses, dtype=np.int64), np.array(certain, dtype=np.bool_)

    def weights(self, groups: Mask) -> Floats:
        """How many records of some groups are expected to carry each value."""
        rows = np.flatnonzero(groups[self.nearest.group_of_row])
        return expected(self._spread, self.nearest.outcome.published, self.column, rows)

    @cached_property
    def _spread(self) -> Spread:
        outcome = self.nearest.outcome
        return spread(outcome.table[self.column], outcome.shown.get(self.column))


def expected(by_code: Spread, published: Counts, column: str, rows: Keys | slice = slice(None)) -> Floats:
    """How many of some published records are expected to carry each value of a column."""
    return by_code.expected(sums(published.column(column)[rows], published.sizes[rows].astype(float), len(by_code)))


def most_frequent(outcome: Outcome, column: str) -> int:
    """The value (leaf) that a reader of a release expects most often."""
    by_code = spread(outcome.table[column], outcome.shown.get(column))
    return int(expected(by_code, outcome.published, column).argmax())


@dataclass(frozen=True, eq=False)
class Learn:
    """What a classifier says that was trained on the release, drawn as concrete records.

    Paper: Kifer 2009 (deFinetti), with naive Bayes; Cormode 2011.
    """

    columns: tuple[str, ...]
    column: str
    classifier: Classifier

    @staticmethod
    def from_release(
        outcome: Outcome, columns: tuple[str, ...], column: str, learner: Learner, rng: np.random.Generator
    ) -> Learn:
        """Train."""
        examples = Examples.of(materialize(outcome, rng).project([*columns, column]), column)
        teacher = learner if len(np.unique(examples.labels)) > 1 else Majority()
        return Learn(columns, column, teacher.fit(examples))

    def guess(self, counts: Counts, records: Sequence[int]) -> tuple[Keys, Mask]:
        """All at once; a classifier never leaves no doubt."""
        rows = np.asarray(records, dtype=np.int64)
        names = [*self.columns, self.column]
        some = Counts(
            tuple(names),
            tuple(counts.column(name)[rows] for name in names),
            tuple(counts.cardinality(name) for name in names),
            np.ones(len(rows), dtype=np.int64),
        )
        return self.classifier.predict(Examples.of(some, self.column)), np.zeros(len(rows), dtype=np.bool_)
