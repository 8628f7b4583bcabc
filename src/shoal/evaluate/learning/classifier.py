"""How well a release teaches: train on what is published, test on originals that were held out.

Accuracy is reported on a scale where 0 is always predicting the most frequent value and 1 is having trained on the
originals (SafePub §8.6). What is measured here looks at the originals: it is for the owner, and for research, only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.errors import ParameterError, SchemaError
from shoal.evaluate.learning.examples import Examples
from shoal.evaluate.learning.folds import published_folds
from shoal.evaluate.learning.learners import Learner, Majority
from shoal.evaluate.learning.ranking import Scores, auc
from shoal.evaluate.learning.tree import DecisionTree
from shoal.evaluate.materialize import materialize
from shoal.evaluate.parts import of_persons, part, parts_of, persons_of_parts, random_parts, rows_of
from shoal.evaluate.reading import Reading, recoding_of
from shoal.evaluate.same_table import require_same_domains, require_target
from shoal.parameters import Seed, read_parameters


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Shares of test records whose target is predicted.

    Attributes:
        release: Trained on the release.
        original: Trained on the originals.
        trivial: Without features: the most frequent value.
        is_held_out: Whether no tested record has a record of the release that teaches.
        auc: How well the release teaches to rank records by how likely they have a label: the area under the ROC curve,
            of several labels the average by their frequency; NaN for a learner that has no scores.
        auc_original: The same, trained on the originals.
    """

    release: float
    original: float
    trivial: float
    is_held_out: bool = True
    auc: float = float("nan")
    auc_original: float = float("nan")

    @property
    def relative(self) -> float:
        """0 for the trivial prediction, 1 for having the originals; NaN if these teach nothing either."""
        gained = self.original - self.trivial
        return (self.release - self.trivial) / gained if gained else float("nan")


@dataclass(frozen=True)
class HeldOut:
    """Rates releases of `train` on the records of `test`.

    Both tables have the same columns and codes; releases must have been made from `train` alone.

    Attributes:
        train: The originals of the releases.
        test: Records to predict.
        target: The column to predict.
        learner: Who learns.
        reading: How the release is read; generalized features where it allows that, if not given.
        draws: How many times concrete records are drawn; the accuracy is the mean.
        seed: Decides the draws.
    """

    train: EncodedTable
    test: EncodedTable
    target: str
    learner: Learner = field(default_factory=DecisionTree)
    reading: Reading | None = None
    draws: int = 1
    seed: Seed = 0

    def __post_init__(self) -> None:
        read_parameters(self)
        require_target(self.train, self.target)
        _require_draws(self.draws)
        if self.test.counts.names != self.train.counts.names:
            raise ParameterError("the training and the test table must have the same columns in the same order.")
        if self.test.total == 0:
            raise ParameterError("the test table has no records; hold some out.")

    @cached_property
    def trivial(self) -> float:
        """The accuracy of the most frequent value."""
        return float(_taught(Majority(), self.train.counts, self.test.counts, self.target)[0])

    @property
    def original(self) -> float:
        """The accuracy after training on the originals."""
        return float(self._original[0])

    @cached_property
    def _original(self) -> Floats:
        return _taught(self.learner, self.train.counts, self.test.counts, self.target)

    def rate(self, outcome: Outcome) -> Accuracy:
        """Train on what is published."""
        require_same_domains(self.train, outcome)
        reading = self.reading or Reading.of(outcome, self.target)
        if reading is Reading.GENERALIZED:
            recoded = recoding_of(outcome).apply(outcome.table.with_counts(self.test.counts))
            release = _taught(self.learner, outcome.published, recoded, self.target)
        else:
            rng = np.random.default_rng([self.seed, 2])
            drawn = (materialize(outcome, rng) for _ in range(self.draws))
            taught = [_taught(self.learner, one, self.test.counts, self.target) for one in drawn]
            release = np.mean(taught, axis=0)
        return Accuracy(
            float(release[0]),
            self.original,
            self.trivial,
            auc=float(release[1]),
            auc_original=float(self._original[1]),
        )


@dataclass(frozen=True)
class CrossValidation:
    """Rates releases of a whole table: records are dealt into folds; each fold is tested once, the others teach.

    Where persons are told apart, persons are dealt: nobody has records that teach, and others that are tested.

    A release is made once, from all records; what of it stems from the tested fold does not teach. Which of the alike
    records of a class were published makes no difference, so it is drawn. The choice of the scheme has seen all folds,
    as in the paper; `cross_validate`, which makes the release anew for each fold, is the stricter test. Of noisy counts
    nobody can say which record they stem from: they are dealt at random, and `Accuracy.is_held_out` is false.

    Attributes:
        table: The original of the releases.
        target: The column to predict.
        learner: Who learns.
        folds: How many parts the records are dealt into.
        seed: Decides the folds and the draws.
        reading: How the release is read; generalized features where it allows that, if not given.
        draws: How many times concrete records are drawn; the accuracy is the mean.
        weighted: Whether tested records count by their weights: the share of the population that is predicted. What
            teaches are records, each once: a weight is no evidence.

    Paper: SafePub §8.6 (10 folds).
    """

    table: EncodedTable
    target: str
    learner: Learner = field(default_factory=DecisionTree)
    folds: int = 10
    seed: Seed = 0
    reading: Reading | None = None
    draws: int = 1
    weighted: bool = False

    def __post_init__(self) -> None:
        read_parameters(self)
        require_target(self.table, self.target)
        _require_draws(self.draws)
        require_folds(self.folds, self.table)
        if self.weighted and self.table.survey_weights is None:
            raise SchemaError("weighted: no weights are known of these records; name their column in weight.")

    @cached_property
    def trivial(self) -> float:
        """The accuracy of the most frequent value."""
        return float(self._originals(Majority())[0])

    @property
    def original(self) -> float:
        """The accuracy after training on the originals."""
        return float(self._original[0])

    @cached_property
    def _original(self) -> Floats:
        return self._originals(self.learner)

    def rate(self, outcome: Outcome) -> Accuracy:
        """Train on what is published from the other folds."""
        require_same_domains(self.table, outcome)
        reading = self.reading or Reading.of(outcome, self.target)
        published = published_folds(self.table, self._dealt, outcome, np.random.default_rng([self.seed, 1]))
        rng = np.random.default_rng([self.seed, 2])
        right = np.zeros(2)
        for fold, tested in enumerate(self._dealt):
            test = rows_of(self.table.counts, tested)
            weighs = self._weighs(tested)
            teaches = rows_of(outcome.published, published.sizes.sum(axis=0) - published.sizes[fold])
            if reading is Reading.GENERALIZED:
                recoded = recoded_one_by_one(outcome, test)
                right += _right(self.learner, teaches, recoded, self.target, weighs)
            else:
                for _ in range(self.draws):
                    drawn = materialize(replace(outcome, published=teaches), rng)
                    right += _right(self.learner, drawn, test, self.target, weighs) / self.draws
        release, ranked = (right / self._whole).tolist()
        return Accuracy(release, self.original, self.trivial, published.is_held_out, ranked, float(self._original[1]))

    @cached_property
    def _dealt(self) -> Sizes:
        """`dealt[fold, row]`: how many records of each row are in a fold."""
        return parts_of(self.table, [1.0] * self.folds, np.random.default_rng(self.seed))

    def _weighs(self, tested: Sizes) -> Floats:
        """What each row of a tested part counts: its records, or their share of the row's weight."""
        there = tested > 0
        if not self.weighted or self.table.survey_weights is None:
            return tested[there].astype(float)
        each = self.table.survey_weights.of_record[there] / self.table.counts.sizes[there]
        return np.asarray(tested[there] * each)

    @cached_property
    def _whole(self) -> float:
        return float(self._weighs(self.table.counts.sizes).sum())

    def _originals(self, learner: Learner) -> Floats:
        """The accuracy and AUC on all records, each predicted from the originals of the other folds."""
        right, counts = np.zeros(2), self.table.counts
        for tested in self._dealt:
            test, teaches = rows_of(counts, tested), rows_of(counts, counts.sizes - tested)
            right += _right(learner, teaches, test, self.target, self._weighs(tested))
        found: Floats = right / self._whole
        return found


def cross_validate(
    table: EncodedTable,
    target: str,
    release: Callable[[EncodedTable], Outcome],
    learner: Learner | None = None,
    *,
    folds: int = 10,
    reading: Reading | None = None,
    draws: int = 1,
    seed: int = 0,
) -> Accuracy:
    """Make a release of the other folds for each fold, train on it, test on the fold: nothing tested was seen.

    Where persons are told apart, persons are dealt into folds, with all their records.

    Args:
        table: The original.
        target: The column to predict.
        release: Makes a release of a table, such as `lambda part: method.run(part)`.
        learner: Who learns; the C4.5-like tree if not given.
        folds: How many parts the records are dealt into.
        reading: How the releases are read; generalized features where they allow that, if not given.
        draws: How many times concrete records are drawn from each.
        seed: Decides the folds and the draws.

    Paper: NSVDist §5.1 (10 folds, 10 draws).
    """
    require_target(table, target)
    require_folds(folds, table)
    right = np.zeros(5)
    for train, test in _trials(table, folds, np.random.default_rng(seed)):
        trial = HeldOut(train, test, target, learner or DecisionTree(), reading, draws, seed)
        rated = trial.rate(release(train))
        right += np.array([rated.release, rated.original, rated.trivial, rated.auc, rated.auc_original]) * test.total
    release_, original, trivial, ranked, ranked_original = (right / table.total).tolist()
    return Accuracy(release_, original, trivial, auc=ranked, auc_original=ranked_original)


def _trials(table: EncodedTable, folds: int, rng: np.random.Generator) -> Iterator[tuple[EncodedTable, EncodedTable]]:
    """What teaches and what is tested, fold after fold."""
    if table.persons is None:
        for tested in random_parts(table.counts.sizes, [1.0] * folds, rng):
            yield part(table, table.counts.sizes - tested), part(table, tested)
        return
    of_person = persons_of_parts(table.persons, [1.0] * folds, rng)
    for fold in range(folds):
        yield of_persons(table, of_person != fold), of_persons(table, of_person == fold)


def require_folds(folds: int, table: EncodedTable) -> None:
    """Refuse more folds than records, or than persons where they are told apart, and fewer than two."""
    most, called = (table.total, "records") if table.persons is None else (table.people, table.unit.plural)
    if not 2 <= folds <= most:
        raise ParameterError(f"folds are from 2 to the number of {called}; got {folds!r} folds for {most:,} {called}.")


def _require_draws(draws: int) -> None:
    if draws < 1:
        raise ParameterError(f"draws is a number of 1 or more; got {draws!r}.")


def recoded_one_by_one(outcome: Outcome, counts: Counts) -> Counts:
    """Records recoded as a release is, each row by itself, so that it keeps what it counts."""
    recoding = recoding_of(outcome)
    lookups = {a.name: recoding.lookup(a) for a in outcome.table.quasi_identifiers if a.name in counts.names}
    return counts.recoded({name: (lookup.codes, lookup.size) for name, lookup in lookups.items()})


def _right(learner: Learner, train: Counts, test: Counts, target: str, weighs: Floats) -> Floats:
    """What of the tested rows is predicted, each counting what it weighs, and their AUC times what all weigh."""
    teacher = learner if train.kept else Majority()
    examples = Examples.of(test, target)
    taught = teacher.fit(Examples.of(train, target))
    right = float(weighs[taught.predict(examples) == examples.labels].sum())
    ranked = auc(examples.labels, taught.scores(examples), weighs) if isinstance(taught, Scores) else float("nan")
    return np.array([right, ranked * float(weighs.sum())])


def _taught(learner: Learner, train: Counts, test: Counts, target: str) -> Floats:
    """Accuracy and AUC."""
    weighs = test.sizes.astype(float)
    return _right(learner, train, test, target, weighs) / float(weighs.sum())
