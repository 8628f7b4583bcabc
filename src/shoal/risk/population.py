"""The risk of being pointed at in a population that weights tell of.

A published class of f persons who stand for Σw people of the population is a share p = f/Σw of them. Whoever does not
know who took part finds one of its persons with probability 1/F, F how many of the population look like that: Σw by the
weights (the *journalist*), or unknown and negative binomial around them (the *individual risk* of Benedetti and
Franconi). All of it is an estimate: as good as the weights are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.people.incidence import Incidence
from shoal.data.people.survey_weights import SurveyWeights
from shoal.kernels import grouping
from shoal.risk.class_sizes import (
    Attacker,
    ClassSizeRisk,
    RiskBeforeAndAfter,
    attacker,
    attacker_of_persons,
    class_members,
    class_size_risk,
)
from shoal.risk.inverse_class_size import expected_inverse


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationRisk:
    """What weights say about the risk of the persons of a table.

    Attributes:
        persons: How many there are.
        people: For how many of the population they stand.
        individual: E[1/F | f, Σw], after Benedetti and Franconi 1998.
        journalist: 1/Σw.
        found: How many persons are found on average by whoever tries all: the sum of their individual risks.
        uniques: How many persons who are alone in their class are alone in the population, too: Σ 1/w over them.
        k_map: Every person looks like at least so many people of the population, by the weights.
    """

    persons: int
    people: float
    individual: Attacker
    journalist: Attacker
    found: float
    uniques: float
    k_map: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationRiskBeforeAndAfter:
    """The original as it came, and the release."""

    before: PopulationRisk
    after: PopulationRisk


def population_risk(
    sizes: Sizes,
    people: Floats,
    *,
    threshold: float = 0.2,
    members: Incidence | None = None,
    total: float | None = None,
) -> PopulationRisk:
    """What weights say about classes.

    Args:
        sizes: How many persons each class has.
        people: For how many of the population they stand, at least as many.
        threshold: Above which probability a person is at risk.
        members: Who is in which class, where a person may be in several: each then counts once, by the class in which
            they are found most easily.
        total: For how many all persons stand, if that is not what classes add up to.
    """
    people = np.maximum(people, sizes)  # what was rounded down to units
    chances = expected_inverse(sizes, sizes / np.maximum(people, 1e-300)) if len(sizes) else np.zeros(0)
    inverse = 1 / np.maximum(people, 1e-300)

    def of(probability: Floats) -> Attacker:
        if members is None:
            return attacker(probability, sizes, threshold)
        return attacker_of_persons(probability, members, threshold)

    persons, individual = int(sizes.sum()) if members is None else members.people, of(chances)
    return PopulationRisk(
        persons=persons,
        people=float(people.sum()) if total is None else total,
        individual=individual,
        journalist=of(inverse),
        found=individual.average * persons,
        uniques=of(np.where(sizes == 1, inverse, 0.0)).average * persons,
        k_map=float(people.min(initial=np.inf)) if len(people) else 0.0,
    )


def release_population_risk(outcome: Outcome, *, threshold: float = 0.2) -> PopulationRiskBeforeAndAfter | None:
    """Population risks of the original and of the release, for its owner only; None without weights or classes."""
    weights, table = outcome.table.survey_weights, outcome.table
    published = outcome.published_weights()
    quasi = [attribute.name for attribute in table.quasi_identifiers]
    if weights is None or published is None or not quasi:
        return None
    return PopulationRiskBeforeAndAfter(
        before=_risk(table.counts, quasi, table.persons, weights, threshold),
        after=_risk(outcome.published, quasi, outcome.published_persons(), published, threshold),
    )


def release_risk_in_population(outcome: Outcome, *, threshold: float = 0.2) -> RiskBeforeAndAfter | None:
    """What a table of the population says about classes, for the owner only; None without one, or without a recoding.

    Where persons are counted, so are those of the population: it has one record for each.
    """
    table, recoded = outcome.table, outcome.recoded_population()
    if table.population is None or recoded is None or not outcome.published.kept:
        return None
    sides = (
        (table.counts, table.population, table.persons),
        (outcome.published, recoded, outcome.published_persons()),
    )
    before, after = (_in_population(*side, threshold=threshold) for side in sides)
    return RiskBeforeAndAfter(before=before, after=after)


def _in_population(counts: Counts, population: Counts, persons: Incidence | None, *, threshold: float) -> ClassSizeRisk:
    names = population.names
    labels, groups = counts.group(names)
    both = [
        np.concatenate([counts.column(name).astype(np.int64), population.column(name).astype(np.int64)])
        for name in names
    ]
    found, number = grouping.group(both, population.cardinalities, len(counts) + len(population))
    people = grouping.totals(found[len(counts) :], number, population.sizes)
    of_class = people[found[: len(counts)][grouping.members(labels, groups)]]
    members = None if persons is None else persons.merged(labels, groups)
    sizes = grouping.totals(labels, groups, counts.sizes) if members is None else members.entries
    return class_size_risk(sizes, threshold=threshold, population=of_class, members=members)


def _risk(
    counts: Counts, quasi: list[str], persons: Incidence | None, weights: SurveyWeights, threshold: float
) -> PopulationRisk:
    labels, groups = counts.group(quasi)
    people = weights.of_classes(labels, groups, persons) / weights.scale
    if persons is None:
        return population_risk(grouping.totals(labels, groups, counts.sizes), people, threshold=threshold)
    members = class_members(counts, quasi, persons)
    total = weights.total / weights.scale
    return population_risk(members.entries, people, threshold=threshold, members=members, total=total)
