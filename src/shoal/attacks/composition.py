"""Composition: two releases of the same people, each safe by itself, laid on top of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Keys, Mask
from shoal.attacks.guessing import AskNearest
from shoal.attacks.interval import Rate
from shoal.attacks.nearest import ROUNDING, Nearest, require_targets
from shoal.data.outcome import Outcome
from shoal.errors import DataError
from shoal.parameters import Seed, read_parameters

People = Mapping[str, Keys]
"""Per column the leaf of each person; below 0 where a domain does not hold the value."""

Alone = tuple[Rate, Rate]


@dataclass(frozen=True, slots=True)
class CompositionFound:
    """How many people are told from everybody else; for the owner only.

    Attributes:
        both: By the two releases together.
        alone: By each of them: the baseline.
        left: How many people are left who could be meant, on average: together, and by each.
        known: The columns the attacker knows.
    """

    both: Rate
    alone: Alone
    left: tuple[float, float, float]
    known: tuple[str, ...]

    @property
    def title(self) -> str:
        """What was tried."""
        return "Single people out by two releases"

    @property
    def rates(self) -> Mapping[str, Rate]:
        """Together, and each."""
        return {"two releases": self.both, "this release alone": self.alone[0], "the other alone": self.alone[1]}

    def __str__(self) -> str:
        return (
            f"Somebody who has a list of everybody with {len(self.known)} columns and lays the two releases on top of "
            f"each other singles out {self.both} of people; with this release alone {self.alone[0].value:.1%}, with "
            f"the other alone {self.alone[1].value:.1%}. On average {self.left[0]:,.1f} people are left who could be "
            f"meant, with one release {self.left[1]:,.1f} and {self.left[2]:,.1f}."
        )


@dataclass(frozen=True, slots=True)
class ValuesFound:
    """How many people's sensitive value is certain from two releases; for the owner only.

    Attributes:
        column: The sensitive column.
        both: By what both releases leave possible.
        alone: By each of them: the baseline.
        known: The columns the attacker knows.
    """

    column: str
    both: Rate
    alone: Alone
    known: tuple[str, ...]

    @property
    def title(self) -> str:
        """What was tried."""
        return f"Be certain about {self.column} by two releases"

    @property
    def rates(self) -> Mapping[str, Rate]:
        """Together, and each."""
        return {"two releases": self.both, "this release alone": self.alone[0], "the other alone": self.alone[1]}

    def __str__(self) -> str:
        return (
            f"By what both releases leave possible, somebody who knows {len(self.known)} columns of a person is "
            f"certain about {self.column}, and right, for {self.both} of people; by this release alone for "
            f"{self.alone[0].value:.1%}, by the other alone for {self.alone[1].value:.1%}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """Intersects what two releases leave possible.

    Attributes:
        columns: What others may know; published in both releases.
        targets: How many people are tried.
        seed: Decides who.

    Paper: intersection attack, Ganta, Kasiviswanathan and Smith 2008.
    """

    columns: tuple[str, ...]
    targets: int = 200
    seed: Seed = 0

    def __post_init__(self) -> None:
        read_parameters(self)
        require_targets(self.targets)

    def on(self, outcomes: tuple[Outcome, Outcome], people: tuple[People, People]) -> CompositionFound:
        """Attack two releases; `people` has the same people row by row in the codes of each."""
        sides = [Side(Nearest(o, self.columns), some) for o, some in zip(outcomes, people, strict=True)]
        left = []
        for person in self._chosen(people):
            one, other = (side.candidates(person) for side in sides)
            left.append((int((one & other).sum()), int(one.sum()), int(other.sum())))
        numbers = np.array(left)
        both, first, second = (Rate.of((column == 1).astype(float)) for column in numbers.T)
        mean = numbers.mean(axis=0)
        return CompositionFound(both, (first, second), (mean[0].item(), mean[1].item(), mean[2].item()), self.columns)

    def values(self, outcomes: tuple[Outcome, Outcome], people: tuple[People, People], column: str) -> ValuesFound:
        """What both releases leave possible of a sensitive column."""
        known = tuple(name for name in self.columns if name != column)
        sides = [Side(Nearest(o, known), some) for o, some in zip(outcomes, people, strict=True)]
        ask = [AskNearest(side.nearest, column) for side in sides]
        mine, theirs = (o.table[column].domain for o in outcomes)
        place = {label: leaf for leaf, label in enumerate(theirs.labels(range(theirs.size)))}
        across = np.array([place.get(label, theirs.size) for label in mine.labels(range(mine.size))])
        hits = []
        for person in self._chosen(people):
            first, second = (a.weights(side.found(person)) > 0 for a, side in zip(ask, sides, strict=True))
            second = np.append(second, np.False_)[across]
            truth = int(people[0][column][person])
            hits.append([_is_certain(some, truth) for some in (first & second, first, second)])
        both, one, other = (Rate.of(column) for column in np.array(hits, dtype=float).T)
        return ValuesFound(column, both, (one, other), known)

    def _chosen(self, people: tuple[People, People]) -> list[int]:
        """Some people whom both domains know."""
        if not self.columns:
            raise DataError("the two releases have no column in common that others may know.")
        known = np.all([some[name] >= 0 for some in people for name in self.columns], axis=0)
        rows = np.flatnonzero(known)
        if not len(rows):
            raise DataError("no person has values that the domains of both releases hold.")
        rng = np.random.default_rng(self.seed)
        return [int(row) for row in rng.choice(rows, min(self.targets, len(rows)), replace=False)]


def _is_certain(possible: Mask, truth: int) -> bool:
    return bool(possible.sum() == 1 and truth >= 0 and possible[truth])


@dataclass(frozen=True, eq=False)
class Side:
    """One of the releases: the records that fit a person, and the people who fit those records."""

    nearest: Nearest
    people: People
    _fitting: dict[tuple[int, int], Mask] = field(default_factory=dict, repr=False)

    def found(self, person: int) -> Mask:
        """The groups of published records that are nearest to a person."""
        return self.nearest.to(self._values(person))

    def candidates(self, person: int) -> Mask:
        """The people who fit a record that fits a person; everybody, where no record fits the person."""
        distance = self.nearest.distances(self._values(person))
        everybody: Mask = np.ones(len(self.people[self.nearest.columns[0]]), dtype=np.bool_)
        if distance.min() > ROUNDING:
            return everybody
        fitting = ~everybody
        for group in np.flatnonzero(distance <= ROUNDING).tolist():
            here = np.flatnonzero(~fitting)
            for i, name in enumerate(self.nearest.columns):
                here = here[self._fits(i, int(self.nearest.groups.codes[i][group]))[self.people[name][here]]]
            fitting[here] = True
        return fitting

    def _values(self, person: int) -> Sequence[int]:
        return [int(self.people[name][person]) for name in self.nearest.columns]

    def _fits(self, column: int, code: int) -> Mask:
        """Which leaves may have been published as a code; the last entry is for what no domain holds."""
        if (column, code) not in self._fitting:
            self._fitting[column, code] = np.append(self.nearest.covered(column, code), np.False_)
        return self._fitting[column, code]
