"""The risk of being pointed at, as class sizes tell it: prosecutor, journalist, marketer.

All three attackers know the quasi-identifiers of people. The *prosecutor* knows that one person is in the table and
looks for the record; the *journalist* does not know who is in it and wants to find anybody; the *marketer* wants to
find as many as possible. A record of a class of f published records, to which F people of the population belong, is
found with probability 1/f by the first and 1/F by the others (El Emam 2013; Dankar & El Emam 2010).

Where a person may have several records, a class has f persons, and whoever knows one record of a person is right with
probability 1/f; a person's risk is that of the record which is easiest to find. Whoever knows several records of a
person, or how many the person has, may do better: that is an attack to be tried (`attacks.PersonLinkage`).

Classes mean something only where published values are true. Where they are perturbed, an attacker has to search the
nearest record, which is an attack to be tried, not a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.people.incidence import Incidence
from shoal.data.people.sequences import as_classes
from shoal.data.unit import Unit
from shoal.errors import ParameterError
from shoal.risk.inverse_class_size import expected_inverse


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacker:
    """How likely one attacker is right about a record.

    Attributes:
        highest: For the record that is easiest to find.
        average: For a record drawn at random: the share of records an attacker who tries all finds on average; or for a
            person, of whom the record is known that is easiest to find.
        threshold: What counts as a risk.
        at_risk: The share of records, or persons, that are found with a higher probability.
        records_at_risk: Their number.
    """

    highest: float
    average: float
    threshold: float
    at_risk: float
    records_at_risk: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ClassSizeRisk:
    """The risk that class sizes tell.

    Attributes:
        records: How many there are, or how many persons.
        classes: How many classes they form.
        sizes: The sizes that occur, ascending; in persons where these are counted.
        of_size: How many classes have each of them.
        prosecutor: Who knows that a person is in the table.
        journalist: Who does not; None without a population.
        marketer: The share of records that can be found by trying all; None without a population.
        is_estimated: Whether the class sizes of the population were estimated from a sampling fraction.
        unit: What is counted.
    """

    records: int
    classes: int
    sizes: Sizes
    of_size: Sizes
    prosecutor: Attacker
    journalist: Attacker | None = None
    marketer: float | None = None
    is_estimated: bool = False
    unit: Unit = Unit.RECORD

    @property
    def smallest(self) -> int:
        """The size of the smallest class; 0 if there is none."""
        return int(self.sizes[0]) if len(self.sizes) else 0

    @property
    def uniques(self) -> int:
        """How many records are alone in their class, or how many classes have one person."""
        return int(self.of_size[0]) if self.smallest == 1 else 0


def class_sizes(counts: Counts, columns: Sequence[str]) -> Sizes:
    """How many records each class under some columns has."""
    return counts.project(columns).sizes


def class_size_risk(
    sizes: Sizes,
    *,
    threshold: float = 0.2,
    population: Sizes | None = None,
    sampling_fraction: float | None = None,
    members: Incidence | None = None,
) -> ClassSizeRisk:
    """What the sizes of classes say about the risk of being pointed at.

    Args:
        sizes: How many records each class has.
        threshold: Above which probability a record is at risk; 0.2 means classes below 5.
        population: How many people of the population belong to each of these classes, if that is known.
        sampling_fraction: Which share of the population the records are, if only that is known. The size of a class in
            the population is then taken as negative binomial given its size in the sample (Benedetti & Franconi 1998).
        members: Who is in which class, where persons are counted: `sizes` are then theirs.
    """
    if not 0 < threshold <= 1:
        raise ParameterError(f"threshold is a probability above 0 and at most 1; got {threshold!r}.")
    if population is not None and sampling_fraction is not None:
        raise ParameterError("give the population or the sampling fraction, not both.")
    occurring, of_size = np.unique(sizes, return_counts=True)
    chances = None
    if population is not None:
        chances = 1 / _checked(population, sizes)
    elif sampling_fraction is not None:
        inverse = expected_inverse(occurring, sampling_fraction)
        chances = inverse[np.searchsorted(occurring, sizes)]
    if members is not None:
        return ClassSizeRisk(
            records=members.people,
            classes=len(sizes),
            sizes=occurring,
            of_size=of_size.astype(np.int64),
            prosecutor=attacker_of_persons(1 / np.maximum(sizes, 1), members, threshold),
            journalist=None if chances is None else attacker_of_persons(chances, members, threshold),
            marketer=None if chances is None else attacker_of_persons(chances, members, threshold).average,
            is_estimated=sampling_fraction is not None,
            unit=members.unit,
        )
    return ClassSizeRisk(
        records=int(sizes.sum()),
        classes=len(sizes),
        sizes=occurring,
        of_size=of_size.astype(np.int64),
        prosecutor=attacker(1 / np.maximum(sizes, 1), sizes, threshold),
        journalist=None if chances is None else _journalist(chances, sizes, threshold),
        marketer=None if chances is None else _average(chances, sizes),
        is_estimated=sampling_fraction is not None,
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RiskBeforeAndAfter:
    """The original as it came, and the release."""

    before: ClassSizeRisk
    after: ClassSizeRisk


def release_risk(
    outcome: Outcome, *, threshold: float = 0.2, sampling_fraction: float | None = None
) -> RiskBeforeAndAfter:
    """Class-size risk of the original and of the release; looks at the original, so it is for its owner only."""
    quasi = [attribute.name for attribute in outcome.table.quasi_identifiers]
    who = released_persons(outcome)
    sides = (outcome.table.counts, None if who is None else outcome.table.persons), (outcome.published, who)
    before, after = (
        _risk(counts, quasi, persons, outcome.table.is_linked, threshold=threshold, sampling_fraction=sampling_fraction)
        for counts, persons in sides
    )
    return RiskBeforeAndAfter(before=before, after=after)


def released_persons(outcome: Outcome) -> Incidence | None:
    """Who has which published records; None if records are counted, or nobody can say: values or numbers are noisy."""
    if outcome.table.persons is None or (outcome.sources is None and outcome.recoding is None):
        return None
    persons = outcome.published_persons()
    all_are_there = persons is not None and int(persons.rows.sum()) == outcome.published.kept
    return persons if all_are_there else None


def class_members(counts: Counts, columns: Sequence[str], persons: Incidence, *, whole: bool = False) -> Incidence:
    """Who is in which class under some columns; with `whole` classes are of persons with the same sequences."""
    labels, groups = counts.group(columns)
    return as_classes(persons, labels) if whole else persons.merged(labels, groups)


def _risk(
    counts: Counts,
    quasi: Sequence[str],
    persons: Incidence | None,
    whole: bool,
    *,
    threshold: float,
    sampling_fraction: float | None,
) -> ClassSizeRisk:
    members = None if persons is None else class_members(counts, quasi, persons, whole=whole)
    sizes = class_sizes(counts, quasi) if members is None else members.entries
    return class_size_risk(sizes, threshold=threshold, sampling_fraction=sampling_fraction, members=members)


def attacker_of_persons(chances: Floats, members: Incidence, threshold: float) -> Attacker:
    """Each person by the class of theirs that is searched most easily."""
    highest = np.zeros(members.people)
    np.maximum.at(highest, members.person, chances[members.record])
    in_danger = int((highest > threshold + 1e-12).sum())
    return Attacker(
        highest=float(highest.max(initial=0.0)),
        average=float(highest.sum()) / max(len(highest), 1),
        threshold=threshold,
        at_risk=in_danger / max(len(highest), 1),
        records_at_risk=in_danger,
    )


def attacker(chances: Floats, sizes: Sizes, threshold: float) -> Attacker:
    """How often an attacker is right who finds a record of each class with probability `chances`."""
    records = int(sizes.sum())
    in_danger = int(sizes[chances > threshold + 1e-12].sum())
    return Attacker(
        highest=float(chances.max(initial=0.0)),
        average=_average(chances, sizes),
        threshold=threshold,
        at_risk=in_danger / max(records, 1),
        records_at_risk=in_danger,
    )


def _journalist(chances: Floats, sizes: Sizes, threshold: float) -> Attacker:
    """The average is the larger of two: of starting from the table and from the population (El Emam 2013)."""
    found = attacker(chances, sizes, threshold)
    people = float((1 / chances).sum())
    return Attacker(
        highest=found.highest,
        average=max(found.average, len(sizes) / people if people else 0.0),
        threshold=threshold,
        at_risk=found.at_risk,
        records_at_risk=found.records_at_risk,
    )


def _average(chances: Floats, sizes: Sizes) -> float:
    return float((chances * sizes).sum()) / max(int(sizes.sum()), 1)


def _checked(population: Sizes, sizes: Sizes) -> Sizes:
    if len(population) != len(sizes) or (population < sizes).any():
        raise ParameterError(
            "the population must have at least as many people in each class as there are records; this table was not "
            "drawn from this population, or columns do not mean the same."
        )
    return population
