"""EncodedTable: what a method receives. Codes and counts, whatever engine they came from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from shoal.arrays import Sizes
from shoal.data.counts import Counts
from shoal.data.schema import Attribute, Role
from shoal.errors import SchemaError, listed
from shoal.kernels import grouping


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """The counted columns of a table with settled domains and hierarchies, and the counts of its distinct records."""

    attributes: tuple[Attribute, ...]
    counts: Counts

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
    def total(self) -> int:
        """Number of records."""
        return self.counts.total

    @cached_property
    def distinct(self) -> int:
        """Number of distinct combinations of quasi-identifiers."""
        return self.counts.group([a.name for a in self.quasi_identifiers])[1]

    def marginal(self, name: str) -> Sizes:
        """How many records carry each value of one column."""
        return grouping.totals(
            self.counts.column(name).astype("int64"), self.counts.cardinality(name), self.counts.sizes
        )
