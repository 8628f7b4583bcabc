"""LKC-privacy: what can be found out by somebody who knows only a few of a person's quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Sizes
from shoal.criteria.base import require_at_least, require_sensitive, require_unit, smallest
from shoal.data.classes import Classes
from shoal.data.domain import Origin
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
from shoal.errors import ParameterError, SchemaError, listed, nearest
from shoal.kernels import grouping
from shoal.parameters import read_parameters

MOST_COMBINATIONS = 200_000
SLACK = 1e-12
"""Equality in exact arithmetic counts as met."""


@dataclass(frozen=True, slots=True)
class LKCPrivacy:
    """Whoever knows at most L quasi-identifiers of a person finds K or more records that fit, and learns little.

    For every combination of L or fewer quasi-identifiers, every group of records that share their values has at least K
    records, and of those no more than the share C have one sensitive value.

    A class is part of one group for each combination; it passes if all of them do. It is enough to look at combinations
    of exactly L columns: the groups of fewer columns are unions of theirs, and both conditions survive merging. In
    persons, every group has records of K persons, and no more than the share C of them have one sensitive value in it;
    that share does not survive merging, so all combinations are looked at.

    Paper: Mohammed, Fung, Hung & Lee 2009.

    Attributes:
        length: L, how many quasi-identifiers somebody may know; all of them if there are fewer.
        k: K, the size of the smallest group.
        confidence: C, the largest share of a sensitive value; 1 asks for nothing.
        column: The sensitive column; None if the sizes alone are asked for.
        values: Its values that nobody may infer; all if none is named.
        unit: What is counted: `record`, `person` or `household`.
    """

    name: ClassVar[str] = "lkc-privacy"

    length: int
    k: int
    confidence: float = 1.0
    column: str | None = None
    values: tuple[str, ...] = ()
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        for name, value in (("length", self.length), ("k", self.k)):
            require_at_least(value, 1, name)
        if not 0 < self.confidence <= 1:
            raise ParameterError(f"confidence is a share above 0 and at most 1; got {self.confidence:g}.")
        if (self.confidence < 1) != (self.column is not None):
            raise ParameterError(
                "confidence below 1 is about a sensitive column, and a column needs such a confidence."
            )
        if self.values and self.column is None:
            raise ParameterError("values are those of a sensitive column; name it as column.")

    @property
    def statement(self) -> str:
        """The promise."""
        is_of_records = self.unit is Unit.RECORD
        fitting = f"at least {self.k} records" if is_of_records else f"records of at least {self.k} {self.unit.plural}"
        sentence = f"LKC-privacy: any {self.length} or fewer quasi-identifiers that are known of a person fit {fitting}"
        if self.column is None:
            return sentence
        which = f"any one of the values {', '.join(map(repr, self.values))} of" if self.values else "any one value of"
        those = "which" if is_of_records else "whom"
        return f"{sentence}, of {those} at most the share {self.confidence} have {which} {self.column!r}"

    @property
    def survives_merging(self) -> bool:
        """Not if it bounds the share of persons who have a value."""
        return self.unit is Unit.RECORD or self.column is None

    @property
    def is_relative(self) -> bool:
        """The groups of a class hold other published classes."""
        return True

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive, its values must be known, and combinations must be few enough to look at."""
        require_unit(table, self.unit, self.name)
        known = len(table.quasi_identifiers)
        if comb(known, min(self.length, known)) > MOST_COMBINATIONS:
            raise ParameterError(
                f"length = {self.length} of {known} quasi-identifiers are {comb(known, self.length):,} combinations; "
                f"at most {MOST_COMBINATIONS:,} are looked at. Lower length, or make some columns insensitive."
            )
        if self.column is None:
            return
        require_sensitive(table, self.column, "LKC-privacy")
        domain = table[self.column].domain
        labels = domain.labels(range(domain.size)) if self.values and domain.origin is Origin.DECLARED else self.values
        for value in self.values:
            if value not in labels:
                raise SchemaError(
                    f"{value!r} is not among the declared values of {self.column!r}: {listed(labels)}."
                    f"{nearest(value, labels)}"
                )

    def protected(self, table: EncodedTable) -> Keys:
        """The codes of the values that nobody may infer."""
        assert self.column is not None
        domain = table[self.column].domain
        if not self.values:
            return np.arange(domain.size)
        return np.array([code for code, label in enumerate(domain.labels(range(domain.size))) if label in self.values])

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The smallest group that each class is part of."""
        least = np.full(len(classes), np.inf)
        for labels, groups in self._groups(classes):
            np.minimum(least, self._sizes(classes, published, labels, groups)[labels], out=least)
        return least

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes in a group that is too small, or in which one value is too frequent."""
        bad, protected = np.zeros(len(classes), dtype=np.bool_), self._protected(classes)
        for labels, groups in self._groups(classes):
            sizes = self._sizes(classes, published, labels, groups)
            broken = sizes < self.k
            for which in protected:
                most = self._sizes(classes, published, labels, groups, which)
                broken |= most > self.confidence * (1 + SLACK) * sizes
            bad |= broken[labels]
        return bad

    def _protected(self, classes: Classes) -> list[Sizes | Mask]:
        """For each protected value how many records of each class have it; in persons, which distinct records do."""
        if self.column is None:
            return []
        known = classes.values(self.column)
        values = known if not self.values else np.intersect1d(self.protected(classes.table), known)
        if self.unit is Unit.RECORD:
            return list(classes.histogram(self.column).T[np.searchsorted(known, values)])
        return [classes.table.counts.column(self.column) == value for value in values]

    def _sizes(
        self, classes: Classes, published: Mask, labels: Keys, groups: int, which: Sizes | Mask | None = None
    ) -> Sizes:
        """How many records, or persons, each group has of the published classes; of those `which` says, if given."""
        if self.unit is Unit.RECORD:
            return grouping.totals(labels, groups, np.where(published, classes.sizes if which is None else which, 0))
        of_record = np.where(published, labels, -1)[classes.labels]
        return classes.heads(of_record if which is None else np.where(which, of_record, -1), groups)

    worst = smallest
    """The smallest group of all."""

    def implied(self) -> None:
        """Nothing that survives growth follows from it."""
        return

    def _groups(self, classes: Classes) -> Iterator[tuple[Keys, int]]:
        """For each combination of L columns that tell classes apart, the group of each class, and their number.

        Of fewer columns too, where what holds for groups need not hold for unions of them.
        """
        columns, widths = [], []
        for attribute in range(len(classes.table.quasi_identifiers)):
            values, width = grouping.group([classes.nodes(attribute)], [_width(classes, attribute)], len(classes))
            if width > 1:
                columns.append(values)
                widths.append(width)

        def extended(keys: Keys, domain: int, start: int, left: int) -> Iterator[tuple[Keys, int]]:
            if left == 0:
                yield grouping.compact(keys, domain)
                return
            for i in range(start, len(columns) - left + 1):
                longer, wider = grouping.extend(keys, domain, columns[i], widths[i])
                yield from extended(longer, wider, i + 1, left - 1)

        most = min(self.length, len(columns))
        nothing = np.zeros(len(classes), dtype=np.int64)
        for known in [most] if self.survives_merging else range(most, -1, -1):
            yield from extended(nothing, 1, 0, known)


def _width(classes: Classes, attribute: int) -> int:
    return int(classes.nodes(attribute).max(initial=0)) + 1
