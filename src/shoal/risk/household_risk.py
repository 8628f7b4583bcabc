"""The risk of households: whoever finds one member has found all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.data.outcome import Outcome
from shoal.data.people.households import Households
from shoal.kernels import grouping


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HouseholdRisk:
    """How likely each household is found, by the risks r_i of its members.

    Attributes:
        least: max r_i: as likely as the member who is easiest to find.
        independent: 1 − ∏ (1 − r_i), if members are found independently of each other.
        most: min(1, Σ r_i): no joint law of the members gives more.
    """

    least: Floats
    independent: Floats
    most: Floats

    def highest(self) -> tuple[float, float, float]:
        """Of the household that is easiest to find: least, if independent, most."""
        return tuple(float(side.max(initial=0.0)) for side in (self.least, self.independent, self.most))  # type: ignore[return-value]

    def average(self) -> tuple[float, float, float]:
        """Of a household drawn at random: least, if independent, most."""
        sides = (self.least, self.independent, self.most)
        return tuple(float(side.sum()) / max(len(side), 1) for side in sides)  # type: ignore[return-value]


def household_risk(risks: Floats, households: Households) -> HouseholdRisk:
    """What the risks of members, `risks[member]`, say about their households.

    >>> from numpy import array
    >>> one = Households(array([0, 1, 2]), array([0, 0, 0]), array([1, 1, 1]), 1)
    >>> found = household_risk(array([0.2, 0.1, 0.5]), one)
    >>> [round(float(side[0]), 9) for side in (found.least, found.independent, found.most)]
    [0.5, 0.64, 0.8]
    """
    each, home = risks[households.member], households.household
    least = np.zeros(households.count)
    np.maximum.at(least, home, each)
    summed = np.bincount(home, weights=each * households.rows, minlength=households.count)
    with np.errstate(divide="ignore"):
        escaped = np.bincount(home, weights=np.log1p(-each) * households.rows, minlength=households.count)
    independent = -np.expm1(escaped)
    return HouseholdRisk(
        least=least, independent=np.maximum(independent, least), most=np.minimum(np.maximum(summed, least), 1.0)
    )


def release_household_risk(outcome: Outcome) -> HouseholdRisk | None:
    """The risk of the households of a release, for its owner only; None if nobody knows them, or without classes.

    A member is found with probability 1/n by a record in a class of n persons; a person with several records by the
    one that is easiest to find. Households of whom nothing is published have no risk.
    """
    table, households = outcome.table, outcome.table.households
    became = outcome.published_rows()
    if households is None or became is None:
        return None
    published, persons = outcome.published, outcome.published_persons()
    quasi = [attribute.name for attribute in table.quasi_identifiers]
    labels, groups = published.group(quasi)
    sizes = grouping.totals(labels, groups, published.sizes) if persons is None else persons.heads(labels, groups)
    source, into = became
    risks = np.zeros(len(table.counts))
    np.maximum.at(risks, source, 1 / np.maximum(sizes[labels[into]], 1))
    if table.persons is None:
        return household_risk(risks, households)
    of_person = np.zeros(table.persons.people)
    np.maximum.at(of_person, table.persons.person, risks[table.persons.record])
    return household_risk(of_person, households)
