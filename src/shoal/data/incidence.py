"""Which persons have which records, where a person may have several: what distinct persons are counted from.

A class of records is no sum of persons: whoever has two records in it counts once. So what a search adds up over
records are two bounds of the number of persons, and the exact number is counted from pairs (`people.md`, section 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.unit import Unit
from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Floats, Keys, Mask, Sizes
    from shoal.kernels.heads import Pairs


@dataclass(frozen=True, eq=False)
class Incidence:
    """The distinct pairs of a record and a person who has it, in the order of records, then of persons.

    Attributes:
        record: The distinct record of a table, by its number.
        person: Who has it: 0…P−1. The numbers mean nothing, and are never published.
        rows: How many rows of the person are this record.
        records: How many distinct records the table has.
        unit: What is called a person here: a person, or a household.
    """

    record: Keys
    person: Keys
    rows: Sizes
    records: int
    unit: Unit = Unit.PERSON

    @staticmethod
    def of(record: Keys, person: Keys, rows: Sizes, records: int, unit: Unit = Unit.PERSON) -> Incidence:
        """Pairs in any order, equal ones added up; persons are numbered anew."""
        if not len(record):
            return Incidence(record, person, rows, records, unit)
        persons, people = grouping.compact(person, int(person.max()) + 1)
        (of_record, of_person), sizes = grouping.distinct_rows([record, persons], [max(records, 1), people], rows)
        return Incidence(of_record.astype(np.int64), of_person.astype(np.int64), sizes, records, unit)

    def __len__(self) -> int:
        return len(self.record)

    @cached_property
    def people(self) -> int:
        """How many persons there are."""
        return int(self.person.max(initial=-1)) + 1

    @cached_property
    def rows_each(self) -> Sizes:
        """How many rows each person has."""
        return grouping.totals(self.person, self.people, self.rows)

    @cached_property
    def most_rows(self) -> int:
        """The most rows that a person has."""
        return int(self.rows_each.max(initial=0))

    @property
    def is_one_each(self) -> bool:
        """Whether everybody has one row: then persons are counted as rows are."""
        return self.most_rows <= 1

    @cached_property
    def _by_person(self) -> tuple[Keys, Keys]:
        """The pairs in the order of persons: their records, and their persons."""
        order = np.argsort(self.person, kind="stable")
        return self.record[order], self.person[order]

    @cached_property
    def pairs(self) -> Pairs:
        """The persons of each record side by side, for compiled kernels."""
        from shoal.kernels.heads import Pairs

        return Pairs(np.concatenate([[0], np.cumsum(self.entries)]), self.person, self.people)

    @cached_property
    def entries(self) -> Sizes:
        """How many persons have each record: added up over a class, at least as many as its persons."""
        return np.bincount(self.record, minlength=self.records)

    @cached_property
    def shares(self) -> Floats:
        """The shares of each record, where a person's distinct records share the person evenly.

        Added up over a class, at most as many as its persons, but for what adding doubles rounds.
        """
        each = 1.0 / np.bincount(self.person, minlength=self.people)
        shares: Floats = np.bincount(self.record, weights=each[self.person], minlength=self.records)  # type: ignore[assignment]
        return shares

    def heads(self, labels: Keys, groups: int) -> Sizes:
        """How many distinct persons have a record of each class, for the class of each record, 0…groups−1."""
        from shoal.kernels.heads import heads

        records, persons = self._by_person
        return heads(labels, groups, records, persons)

    def merged(self, labels: Keys, groups: int) -> Incidence:
        """The pairs after records became equal: `labels` is what each record became."""
        return Incidence.of(labels[self.record], self.person, self.rows, groups, self.unit)

    def dealt(self, source: Keys, sizes: Sizes) -> Incidence:
        """The pairs after records were divided into parts, where everybody has one row: `sizes[i]` rows of `source[i]`.

        Parts come in the order of records. Who is in which part of equal records is nobody's choice, and the number of
        persons of a part, or of any class of parts, is that of its rows, whoever they are.
        """
        assert self.is_one_each, "a record of several persons was divided"
        ends = np.cumsum(sizes)
        before = ends - sizes
        first = np.searchsorted(source, source)  # the first part of the same record
        at = np.repeat(self.pairs.starts[source] + before - before[first] - before, sizes) + np.arange(sizes.sum())
        part = np.repeat(np.arange(len(source)), sizes)
        return Incidence.of(part, self.person[at], self.rows[at], len(source), self.unit)

    def kept(self, records: Mask) -> Incidence:
        """The pairs of some records, which are numbered anew; persons without any are left out."""
        stays = records[self.record]
        number = np.cumsum(records) - 1
        return Incidence.of(
            number[self.record[stays]], self.person[stays], self.rows[stays], int(records.sum()), self.unit
        )
