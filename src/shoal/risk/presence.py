"""Risk with a table of the population at hand: k-map and δ-presence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.errors import ParameterError
from shoal.kernels import grouping
from shoal.risk.class_sizes import ClassSizeRisk, class_size_risk


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Presence:
    """The classes of a population under the recoding of a release.

    Attributes:
        people: How many people of the population each class has.
        records: How many published records each class has; 0 for classes without any.
    """

    people: Sizes
    records: Sizes

    @property
    def k_map(self) -> int:
        """Every published record looks like at least so many people of the population (Sweeney 2002)."""
        return int(self.people[self.records > 0].min(initial=np.iinfo(np.int64).max)) if self.records.any() else 0

    @property
    def chances(self) -> Floats:
        """For the people of each class how likely they are in the release."""
        return self.records / np.maximum(self.people, 1)

    @property
    def delta(self) -> tuple[float, float]:
        """The release is (δ_min, δ_max)-present: the least and the largest of these (Nergiz, Atzori & Clifton 2007)."""
        return float(self.chances.min(initial=1.0)), float(self.chances.max(initial=0.0))

    def risk(self, threshold: float = 0.2) -> ClassSizeRisk:
        """What prosecutor, journalist and marketer can do with this population."""
        there = self.records > 0
        return class_size_risk(self.records[there], threshold=threshold, population=self.people[there])


def presence(outcome: Outcome, population: EncodedTable) -> Presence:
    """Recode a population as a release is, and count both.

    Args:
        outcome: What a method decided; its recoding must be one of single values.
        population: People, in the same codes; it has at least the quasi-identifiers, and everybody of the original.
    """
    if outcome.recoding is None:
        raise ParameterError("this release recodes records, not values, so that a population cannot be recoded alike.")
    quasi = outcome.table.quasi_identifiers
    columns, widths = [], []
    for attribute in quasi:
        if attribute.name not in population.counts.names:
            raise ParameterError(f"the population has no column {attribute.name!r}, by which the release knows people.")
        here, there = (t.counts.cardinality(attribute.name) for t in (population, outcome.table))
        if here != there:
            raise ParameterError(
                f"column {attribute.name!r} has {here:,} values in the population and {there:,} in the original; "
                "encode both under one schema."
            )
        lookup = outcome.recoding.lookup(attribute)
        if lookup.size != outcome.published.cardinality(attribute.name):
            raise ParameterError(
                f"column {attribute.name!r} is not published as its recoding says, so that a population cannot be "
                "recoded alike."
            )
        codes = lookup.codes[population.counts.column(attribute.name)]
        columns.append(np.concatenate([codes, outcome.published.column(attribute.name)]))
        widths.append(lookup.size)
    own = len(population.counts)
    labels, groups = grouping.group(columns, widths, own + len(outcome.published))
    people = grouping.totals(labels[:own], groups, population.counts.sizes)
    records = grouping.totals(labels[own:], groups, outcome.published.sizes)
    if (records > people).any():
        raise ParameterError(
            "the release has more records of some class than the population has people; it was not drawn from this "
            "population."
        )
    return Presence(people=people, records=records)
