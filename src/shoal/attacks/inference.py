"""Inference: guess a sensitive value of a person; people who are not in the table tell what anybody could learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.attacks.found import columns_known
from shoal.attacks.guessing import AskNearest, Guesser, Learn, most_frequent
from shoal.attacks.interval import Difference, Rate
from shoal.attacks.nearest import Nearest, known_columns, random_persons, random_records, require_targets
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.errors import ParameterError, nearest
from shoal.evaluate import LEARNERS
from shoal.parameters import Seed, read_parameters


@dataclass(frozen=True, slots=True)
class InferenceFound:
    """How often the attacker guesses a sensitive value; for the owner only.

    Attributes:
        column: The sensitive column.
        success: Of people in the table.
        baseline: Of the same people, by the value that is most frequent in the release.
        certain: The share of people whose nearest records all carry one value, which is theirs (homogeneity); None
            for a classifier, which is never certain, and where it says nothing that they do: records are made up, or
            the value is right no more often than the most frequent one is for the same people.
        control: Of people who are not in the table; None if there are none to try.
        known: The columns the attacker knows.
        learner: The name of the classifier that was trained on the release; None where the nearest records were asked.
        by_persons: Whether persons were tried who may have several records, of which one is known: right is a value
            that a person has in any of them.
    """

    column: str
    success: Rate
    baseline: Rate
    certain: Rate | None
    control: Rate | None
    known: tuple[str, ...]
    learner: str | None = None
    by_persons: bool = False

    @property
    def title(self) -> str:
        """What was tried."""
        how = "the nearest records" if self.learner is None else self.learner
        return f"Guess {self.column} by {how}, {columns_known(self.known)} known"

    @property
    def rates(self) -> Mapping[str, Rate]:
        """The attack against people outside and against always the same guess."""
        rates = {"people in the table": self.success}
        if self.control is not None:
            rates["people not in the table"] = self.control
        rates["always the most frequent value"] = self.baseline
        if self.certain is not None:
            rates["no doubt left"] = self.certain
        return rates

    @property
    def gained(self) -> float | None:
        """How much of what could be gained over people who are not in the table is gained: 0 is nothing, 1 all."""
        if self.control is None or not self.control.value < 1:
            return None
        return max(0.0, (self.success.value - self.control.value) / (1 - self.control.value))

    @property
    def advantage(self) -> Difference | None:
        """How much more often people in the table are guessed right than people who are not."""
        return None if self.control is None else Difference.of(self.success, self.control)

    def __str__(self) -> str:
        whose = "one record of a person" if self.by_persons else "a person"
        who = f"Somebody who knows {columns_known(self.known)} of {whose}"
        how = "" if self.learner is None else f" and asks a {self.learner} classifier trained on the release"
        text = (
            f"{who}{how} guesses {self.column} right for {self.success} of people; who always says the most frequent "
            f"value, for {self.baseline.value:.1%}."
        )
        if self.by_persons:
            text += " A guess is right if the person has that value in any record."
        if self.certain is not None:
            text += f" About {self.certain.value:.1%} of people the release leaves no doubt."
        if self.control is None:
            return text
        return (
            f"{text} Of people who are not in the table the same attacker guesses {self.control} right; the "
            f"difference, which is what it costs a person to be in the table, is {self.advantage}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """The most frequent sensitive value among the nearest published records, or what a classifier says.

    Attributes:
        column: The sensitive column.
        known: The share of what others may know that the attacker does know.
        targets: How many people are tried, and as many of the control group.
        seed: Decides who, and what is known.
        columns: What others may know; the quasi-identifiers if not given.
        learner: A name of `evaluate.LEARNERS`; the nearest records are asked if it is not given.

    Paper: homogeneity attack, Machanavajjhala et al. 2007; deFinetti attack, Kifer 2009; against a control group:
        Giomi et al. 2023 (Anonymeter), NSVDist §5.4.
    """

    column: str
    known: float = 1.0
    targets: int = 500
    seed: Seed = 0
    columns: tuple[str, ...] | None = None
    learner: str | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_targets(self.targets)
        if self.learner is not None and self.learner not in LEARNERS:
            raise ParameterError(
                f"{self.learner!r} is no learner; expected one of {', '.join(LEARNERS)}."
                f"{nearest(self.learner, list(LEARNERS))}"
            )

    def on(self, outcome: Outcome, control: EncodedTable | None = None) -> InferenceFound:
        """Attack a release; `control` has people who are not in it, in the same codes."""
        if self.column not in outcome.published.names:
            raise ParameterError(f"{self.column!r} is not published; there is nothing to infer.")
        if not len(outcome.published):
            raise ParameterError("the release has no records; there is nothing to attack.")
        known = known_columns(outcome, self.known, self.seed, self._pool(outcome))
        guesser = self._guesser(outcome, known)
        usual = most_frequent(outcome, self.column)
        tried = self._tried(guesser, outcome.table, usual)
        right, usually, certain = tried
        others = None
        if control is not None:
            if control.counts.cardinality(self.column) != outcome.table.counts.cardinality(self.column):
                raise ParameterError(
                    "the control group must be coded like the original; encode it with the same schema."
                )
            others = Rate.of(self._tried(guesser, control, usual)[0])
        return InferenceFound(
            self.column,
            Rate.of(right),
            Rate.of(usually),
            Rate.of(right * certain) if self.learner is None and not outcome.is_made_up and _tells(*tried) else None,
            others,
            known,
            self.learner,
            outcome.table.persons is not None,
        )

    def _pool(self, outcome: Outcome) -> tuple[str, ...]:
        pool = [a.name for a in outcome.table.quasi_identifiers] if self.columns is None else self.columns
        return tuple(name for name in pool if name != self.column)

    def _guesser(self, outcome: Outcome, known: tuple[str, ...]) -> Guesser:
        if self.learner is None:
            return AskNearest(Nearest(outcome, known), self.column)
        rng = np.random.default_rng([self.seed, 3])
        return Learn.from_release(outcome, known, self.column, LEARNERS[self.learner], rng)

    def _tried(self, guesser: Guesser, table: EncodedTable, usual: int) -> tuple[Floats, Floats, Floats]:
        """Of some people: whether the attacker is right, whether the usual value is, whether he has no doubt."""
        counts, persons = table.counts, table.persons
        values = counts.column(self.column).astype(np.int64)
        if persons is None:
            records = random_records(counts, self.targets, self.seed)
            has = values[records][:, None] == np.arange(counts.cardinality(self.column))
        else:
            whose, records = random_persons(persons, self.targets, self.seed)
            has = np.zeros((len(whose), counts.cardinality(self.column)), dtype=np.bool_)
            theirs = np.flatnonzero(np.isin(persons.person, whose))
            has[np.searchsorted(whose, persons.person[theirs]), values[persons.record[theirs]]] = True
        guesses, certain = guesser.guess(counts, records.tolist())
        right = has[np.arange(len(records)), guesses]
        return right.astype(float), has[:, usual].astype(float), certain.astype(float)


def _tells(right: Floats, usually: Floats, certain: Floats) -> bool:
    """Whether it means something that records agree: then the value is theirs, or more often so than the usual one."""
    sure = certain > 0
    return bool(right[sure].all()) or right[sure].sum() > usually[sure].sum()
