"""Which persons have which records, where a person may have several: what distinct persons are counted from.

A class of records is no sum of persons: whoever has two records in it counts once. So what a search adds up over
records are two bounds of the number of persons, and the exact number is counted from pairs (`people.md`, section 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.unit import Unit
from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Floats, Keys, Mask, Sizes
    from shoal.kernels.heads import Pairs


_MOST_UNITS = 1 << 52
"""All units of all persons together: below what doubles count exactly."""

_MOST_IN_PRODUCTS = 1 << 62
"""Units times rows: below the largest integer."""


_MOST_COMPARED = 64
"""Up to so many persons of a class are kept in a list that is searched; beyond, they are counted one after another."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Persons spread evenly over their rows, in whole units, so that what is added up does not depend on the order.

    Attributes:
        units: What each record has of all persons together.
        each: What a person has in all.
        heaviest: No row has more.
    """

    units: Sizes
    each: int
    heaviest: int


@dataclass(frozen=True, eq=False)
class Incidence:
    """The distinct pairs of a record and a person who has it, in the order of records, then of persons.

    Attributes:
        record: The distinct record of a table, by its number.
        person: Who has it: 0…P−1. The numbers mean nothing, and are never published.
        rows: How many rows of the person are this record.
        records: How many distinct records the table has.
        unit: What is called a person here: a person, or a household.
        before: How persons were spread over records before some were left out; None if none were.
    """

    record: Keys
    person: Keys
    rows: Sizes
    records: int
    unit: Unit = Unit.PERSON
    before: Spread | None = None

    @staticmethod
    def of(
        record: Keys,
        person: Keys,
        rows: Sizes,
        records: int,
        unit: Unit = Unit.PERSON,
        before: Spread | None = None,
    ) -> Incidence:
        """Pairs in any order, equal ones added up; persons are numbered anew."""
        if not len(record):
            return Incidence(record, person, rows, records, unit, before)
        persons, people = grouping.compact(person, int(person.max()) + 1)
        (of_record, of_person), sizes = grouping.distinct_rows([record, persons], [max(records, 1), people], rows)
        return Incidence(of_record.astype(np.int64), of_person.astype(np.int64), sizes, records, unit, before)

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
    def _order(self) -> Keys:
        """The pairs in the order of persons."""
        from shoal.kernels.heads import in_order

        return in_order(self.person, self.people)

    @cached_property
    def by_person(self) -> tuple[Keys, Keys]:
        """The pairs in the order of persons: their records, and their persons."""
        return self.record[self._order], self.person[self._order]

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

    @cached_property
    def spread(self) -> Spread:
        """Persons spread over records: added up over a class, at most as many as its persons.

        Every row of a person who has r of them is worth 1/r of a person: exactly, if there are whole units for it, else
        as evenly as whole units allow. What a row is worth stays as it is when records become equal, and when others
        are left out.
        """
        if self.before is not None:
            return self.before
        if not len(self):
            return Spread(np.zeros(self.records, dtype=np.int64), 1, 1)
        each, rows_each = self._units_each(), self.rows_each
        heaviest = int(-(-each // int(rows_each.min(initial=1))))
        if not (each % rows_each).any():  # every row of a person is worth the same, in whatever order they come
            units = self.rows * (each // rows_each)[self.person]
            return Spread(grouping.totals(self.record, self.records, units), each, heaviest)
        order = self._order
        rows, person = self.rows[order], self.person[order]
        ends = np.cumsum(rows)
        ends -= (np.cumsum(rows_each) - rows_each)[person]  # rows of the same person up to here
        units = np.empty(len(order), dtype=np.int64)
        units[order] = each * ends // rows_each[person] - each * (ends - rows) // rows_each[person]
        return Spread(grouping.totals(self.record, self.records, units), each, heaviest)

    def _units_each(self) -> int:
        """How many units a person has: as few as divide evenly over everybody's rows, or as many as can be counted."""
        most = min(_MOST_UNITS // max(self.people, 1), _MOST_IN_PRODUCTS // max(self.most_rows, 1))
        even = 1
        for rows in np.unique(self.rows_each).tolist():
            even = lcm(even, max(rows, 1))
            if even > most:
                return max(most, 1)
        return even

    def heads(self, labels: Keys, groups: int) -> Sizes:
        """How many distinct persons have a record of each class, for the class of each record, 0…groups−1."""
        from shoal.kernels.heads import heads

        records, persons = self.by_person
        return heads(labels, groups, records, persons)

    def matched(self, cells: Keys, groups: int, width: int) -> Sizes:
        """How many persons of each class can be given a value of theirs so that no two have the same.

        Args:
            cells: The class of each record times `width`, plus its value.
            groups: How many classes there are.
            width: How many values there are.
        """
        from shoal.kernels.matching import matched

        records, persons = self.by_person
        return matched(cells, groups, width, records, persons, self.people)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """What bounds the persons of a class from above and from below, as doubles, which is how they are added up."""
        return self.entries.astype(float), self.spread.units.astype(float)

    def surely_fewer(self, labels: Keys, groups: int, k: int) -> Mask:
        """Which classes have fewer than k pairs, and so fewer than k persons: added up, not counted."""
        return np.asarray(np.bincount(labels, weights=self._sums[0], minlength=groups) < k)

    def fewer(self, labels: Keys, groups: int, k: int, surely: Mask | None = None) -> Mask:
        """Which classes have fewer than k persons, for the class of each record, 0…groups−1.

        Two sums decide most of them: a class has no more persons than pairs, and no fewer than what is spread over it.
        Only in the others persons are told apart.
        """
        from shoal.kernels.heads import has_fewer, heads

        fewer = self.surely_fewer(labels, groups, k) if surely is None else surely.copy()
        spread = np.bincount(labels, weights=self._sums[1], minlength=groups)
        open_classes = np.flatnonzero(~fewer & (spread < k * self.spread.each))
        if not len(open_classes):
            return fewer
        number = np.full(groups, -1, dtype=np.int64)
        number[open_classes] = np.arange(len(open_classes))
        of_record = number[labels]
        if k <= _MOST_COMPARED:
            rows = np.flatnonzero(of_record >= 0)
            fewer[open_classes] = has_fewer(of_record[rows], len(open_classes), k, rows, self.pairs)
        else:
            fewer[open_classes] = heads(of_record, len(open_classes), *self.by_person) < k
        return fewer

    def worth(self, labels: Keys, groups: int, each: Sizes) -> Sizes:
        """What the distinct persons of each class are worth together, person p being worth `each[p]`."""
        from shoal.kernels.heads import worth_of_heads

        records, persons = self.by_person
        return worth_of_heads(labels, groups, records, persons, each)

    def merged(self, labels: Keys, groups: int) -> Incidence:
        """The pairs after records became equal: `labels` is what each record became."""
        from shoal.kernels.heads import in_order, merged_pairs

        spread = self.spread
        before = Spread(grouping.totals(labels, groups, spread.units), spread.each, spread.heaviest)
        record, person, rows = merged_pairs(labels, groups, *self.by_person, self.rows[self._order])
        order = in_order(record, groups)
        found = Incidence(record[order], person[order], rows[order], groups, self.unit, before)
        vars(found)["by_person"] = record, person  # so they came: `by_person` need not sort them again
        return found

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
        if records.all():
            return self  # with all that is known of it, such as the order of persons
        stays, spread = records[self.record], self.spread
        persons, _ = grouping.compact(self.person[stays], max(self.people, 1))
        number, before = np.cumsum(records) - 1, Spread(spread.units[records], spread.each, spread.heaviest)
        rows = self.rows[stays]
        return Incidence(number[self.record[stays]], persons, rows, int(records.sum()), self.unit, before)
