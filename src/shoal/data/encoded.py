"""EncodedTable: what a method receives. Codes and counts, whatever engine they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Sizes
from shoal.data.attribute import Attribute
from shoal.data.counts import Counts
from shoal.data.people.households import Households
from shoal.data.people.incidence import Incidence
from shoal.data.people.survey_weights import SurveyWeights
from shoal.data.schema import Role
from shoal.data.unit import Unit
from shoal.errors import SchemaError, listed
from shoal.kernels import grouping

_SMALL_DOMAIN = 1 << 10
"""Values of a column up to which a histogram has a place for each, whether or not it occurs."""


@dataclass(frozen=True, slots=True)
class Cap:
    """At most so many records of each person, or of each household, take part, drawn before anything else.

    Attributes:
        records: So many at most; public.
        unit: Of whom.
    """

    records: int
    unit: Unit = Unit.PERSON


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """The counted columns of a table with settled domains and hierarchies, and the counts of its distinct records."""

    attributes: tuple[Attribute, ...]
    counts: Counts
    clamped: Mapping[str, int] = field(default_factory=dict)
    """How many numbers of a column were moved to the nearest end of its domain; for the owner only."""
    persons: Incidence | None = None
    """Who has which records, where the table says so and a person may have several."""
    unit: Unit = Unit.RECORD
    """Whom classes are counted in: persons or households where they are told apart, else records."""
    capped: Cap | None = None
    """How many records of each person take part, where that was drawn."""
    survey_weights: SurveyWeights | None = None
    """How many of the population records stand for, where a column says so."""
    households: Households | None = None
    """Who lives together, where a column says so and persons are counted; for the owner only."""
    population: Counts | None = None
    """The people of a population by their quasi-identifiers, in the codes of this table, if one was given."""
    is_linked: bool = False
    """Whether published records say by a pseudonym which are of one person: then classes are of whole sequences."""

    def __post_init__(self) -> None:
        assert self.persons is None or self.persons.records == len(self.counts), "persons of other records"

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        names = [attribute.name for attribute in self.attributes]
        raise SchemaError(f"there is no column {name!r} among the counted ones: {listed(names, 12)}.")

    @cached_property
    def quasi_identifiers(self) -> tuple[Attribute, ...]:
        """The columns that are generalized."""
        return tuple(a for a in self.attributes if a.role is Role.QUASI_IDENTIFIER)

    @cached_property
    def sensitive(self) -> tuple[Attribute, ...]:
        """The columns whose values the classes protect."""
        return tuple(a for a in self.attributes if a.role is Role.SENSITIVE)

    @cached_property
    def covered(self) -> tuple[str, ...]:
        """The columns that a private method answers for: no record may show in their published types."""
        return tuple(a.name for a in self.attributes if a.is_covered)

    @cached_property
    def total(self) -> int:
        """Number of records."""
        return self.counts.total

    @property
    def people(self) -> int:
        """Number of persons; of records, if each is a person's only one."""
        assert (self.unit is Unit.RECORD) == (self.persons is None), "nobody knows who has which records"
        return self.total if self.persons is None else self.persons.people

    @cached_property
    def distinct(self) -> int:
        """Number of distinct combinations of quasi-identifiers."""
        return self.counts.group([a.name for a in self.quasi_identifiers])[1]

    @cached_property
    def weights(self) -> Floats:
        """The sizes as doubles, the form in which `bincount` adds them up."""
        return self.counts.sizes.astype(float)

    def marginal(self, name: str, rows: Keys | slice = slice(None)) -> Sizes:
        """How many records carry each value of one column, among all distinct records or some of them."""
        codes, weights = self.counts.column(name), self.weights
        if not isinstance(rows, slice):
            codes, weights = codes.take(rows), weights.take(rows)
        return grouping.totals(codes, self.counts.cardinality(name), weights)

    @cached_property
    def _values(self) -> dict[str, Keys]:
        return {}

    def values(self, name: str) -> Keys:
        """The codes of a column that histograms have a place for: of a large domain those that occur.

        So a column of numbers costs by its records, and not by the steps of its domain.
        """
        if name not in self._values:
            width = self.counts.cardinality(name)
            is_large = width > _SMALL_DOMAIN and width > 2 * len(self.counts)
            self._values[name] = np.unique(self.counts.column(name)) if is_large else np.arange(width)
        return self._values[name]

    def spread_marginal(self, name: str) -> Sizes:
        """How much of all persons carries each value of one column, each spread evenly over their records."""
        assert self.persons is not None
        return grouping.totals(self.counts.column(name), self.counts.cardinality(name), self.persons.spread.units)

    def all_quasi_identifiers(self) -> EncodedTable:
        """The same table with every column generalized: for methods whose classes must hold all published columns."""
        return replace(self, attributes=tuple(replace(a, role=Role.QUASI_IDENTIFIER) for a in self.attributes))

    def coarsened(self, levels: Mapping[str, int]) -> EncodedTable:
        """The same records with values of some columns replaced by the first one they become equal to, equals merged.

        For every recoding to these levels or coarser ones the classes are the same as those of the original.
        """
        lookups = {}
        for name, level in levels.items():
            hierarchy = self[name].hierarchy
            firsts = hierarchy.first[hierarchy.up[level]]
            lookups[name] = (firsts.astype(self.counts.column(name).dtype), hierarchy.leaves)
        coarser = self.counts.roll_up(lookups)
        population = self.population if self.population is None else self.population.roll_up(lookups)
        merged = replace(self.with_counts(coarser), population=population)
        if self.persons is None and self.survey_weights is None:
            return merged
        labels, groups = self.counts.recoded(lookups).group(self.counts.names)
        return replace(
            merged,
            persons=None if self.persons is None else self.persons.merged(labels, groups),
            survey_weights=None if self.survey_weights is None else self.survey_weights.merged(labels, groups),
        )

    def of_records(self, stays: Mask) -> EncodedTable:
        """The same columns with some of the distinct records."""
        counts = self.counts
        fewer = replace(counts, codes=tuple(column[stays] for column in counts.codes), sizes=counts.sizes[stays])
        weights = self.survey_weights
        return replace(
            self,
            counts=fewer,
            persons=None if self.persons is None else self.persons.kept(stays),
            survey_weights=None if weights is None else weights.kept(stays, self.persons),
            households=None,
        )

    def of_rows(self) -> EncodedTable:
        """The same records, each counted by itself, whoever has them."""
        return replace(self, persons=None, unit=Unit.RECORD)

    def with_counts(self, counts: Counts) -> EncodedTable:
        """The same columns with other records, of which nobody knows who has which."""
        return replace(self, counts=counts, persons=None, survey_weights=None, households=None)
