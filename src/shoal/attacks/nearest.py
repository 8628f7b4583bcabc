"""What an attacker does first: look for the published records that are nearest to what he knows about a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Sizes
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.people.incidence import Incidence
from shoal.errors import ParameterError
from shoal.evaluate.posterior import Spread, spread
from shoal.kernels import grouping
from shoal.parameters import read_parameters

ROUNDING = 1e-9
"""Distances that differ by less are equal."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """Published records in their distance to what is known about a person.

    In a column with an order the distance is how far the value lies outside of what was published, as a share of the
    width of the domain; elsewhere it is 0 if the value may have been published as it was, else 1. Distances add up.
    So a person's own record has distance 0 wherever values are generalized truthfully.

    Attributes:
        outcome: The release.
        columns: What is known.
    """

    outcome: Outcome
    columns: tuple[str, ...]
    _seen: dict[tuple[int, int], Floats] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        read_parameters(self)
        unknown = [name for name in self.columns if name not in self.outcome.published.names]
        if unknown or not self.columns:
            raise ParameterError("columns: an attacker knows at least one published column.")
        if not len(self.outcome.published):
            raise ParameterError("the release has no records; there is nothing to attack.")

    @cached_property
    def groups(self) -> Counts:
        """The published records by the columns that are known."""
        return self.outcome.published.project(self.columns)

    @cached_property
    def group_of_row(self) -> Keys:
        """The group of each distinct published record."""
        labels, _ = self.outcome.published.group(self.columns)
        return labels

    @cached_property
    def spreads(self) -> list[Spread]:
        """What the codes of each known column may have been."""
        return [spread(self.outcome.table[name], self.outcome.shown.get(name)) for name in self.columns]

    def distances(self, values: Sequence[int]) -> Floats:
        """The distance of each group to a person with these values (leaves), one for each known column."""
        distance: Floats = np.zeros(len(self.groups))
        for i, (codes, value) in enumerate(zip(self.groups.codes, values, strict=True)):
            if (i, value) not in self._seen:
                self._seen[i, value] = self.apart(i, value)
            distance += self._seen[i, value][codes]
        return distance

    def to(self, values: Sequence[int]) -> Mask:
        """Which groups are nearest to a person with these values."""
        distance = self.distances(values)
        found: Mask = distance <= distance.min() + ROUNDING
        return found

    def apart(self, column: int, value: int) -> Floats:
        """The distance of one value to each published code of the column with this number."""
        domain, by_code = self.outcome.table[self.columns[column]].domain, self.spreads[column]
        if not domain.ordered or value == domain.missing:
            return (by_code.within(value, value) <= 0).astype(float)
        first, last = by_code.ends()
        outside: Floats = np.maximum(np.maximum(first - value, value - last), 0) / max(domain.size - 1, 1)
        return outside

    def covered(self, column: int, code: int) -> Mask:
        """Which values are at distance 0 of one published code of the column with this number."""
        domain, by_code = self.outcome.table[self.columns[column]].domain, self.spreads[column]
        covered: Mask = by_code.expected(np.eye(1, len(by_code), code)[0]) > 0
        if domain.ordered:
            first, last = by_code.ends()
            is_missing = None if domain.missing is None else covered[domain.missing]
            covered[first[code] : last[code] + 1] = True
            if is_missing is not None:
                covered[domain.missing] = is_missing
        return covered

    def own(self, record: int) -> Floats | None:
        """The chance that each group holds the published record of a person; None if nobody can say."""
        sources, counts = self.outcome.sources, self.outcome.table.counts
        if sources is not None:
            found: Floats = np.zeros(len(self.groups))
            parts = slice(*np.searchsorted(sources.source, [record, record + 1]))
            np.add.at(found, self.group_of_row[sources.label[parts]], sources.sizes[parts] / counts.sizes[record])
            return found
        if self.outcome.recoding is None or any(n in self.outcome.shown and n not in self._codes for n in self.columns):
            return None
        is_own = np.ones(len(self.groups), dtype=np.bool_)
        for name, column in zip(self.columns, self.groups.codes, strict=True):
            code = counts.column(name)[record]
            is_own &= column == (self._codes[name][code] if name in self.outcome.shown else code)
        return is_own.astype(float) * float(self._published_share[record])

    @cached_property
    def _codes(self) -> dict[str, Codes]:
        """The published code of each leaf, where values are recoded one by one."""
        recoding = self.outcome.recoding
        assert recoding is not None
        return {a.name: recoding.lookup(a).codes for a in self.outcome.table.quasi_identifiers}

    @cached_property
    def _published_share(self) -> Floats:
        """Of each distinct record of the original, how many of those that are recoded alike are published."""
        labels, there, kept = recoded_alike(self.outcome)
        share: Floats = np.minimum(kept / np.maximum(there, 1), 1.0)[labels]
        return share


def recoded_alike(outcome: Outcome) -> tuple[Keys, Sizes, Sizes]:
    """The records that are alike after recoding value by value, and how many there are before and after.

    Columns whose published values no value alone decides take no part.

    Returns:
        The number of its kind for each distinct record of the original; and per kind how many records the original
        has, and how many are published.
    """
    assert outcome.recoding is not None
    recoding, counts, published, shown = outcome.recoding, outcome.table.counts, outcome.published, outcome.shown
    codes = {a.name: recoding.lookup(a).codes for a in outcome.table.quasi_identifiers}
    names = [name for name in published.names if name not in shown or name in codes]
    columns = []
    for name in names:
        mine = codes[name][counts.column(name)] if name in shown else counts.column(name)
        columns.append(np.concatenate([mine.astype(np.int64), published.column(name).astype(np.int64)]))
    rows = len(counts)
    labels, groups = grouping.group(columns, [published.cardinality(n) for n in names], rows + len(published))
    there = grouping.totals(labels[:rows], groups, counts.sizes)
    return labels[:rows], there, grouping.totals(labels[rows:], groups, published.sizes)


def known_columns(outcome: Outcome, share: float, seed: int, among: Sequence[str] | None = None) -> tuple[str, ...]:
    """A random share of what others may know, at least one column: of the quasi-identifiers, or of `among`."""
    if not 0 < share <= 1:
        raise ParameterError(f"known is the share of quasi-identifiers an attacker knows, above 0; got {share!r}.")
    names = [a.name for a in outcome.table.quasi_identifiers] if among is None else list(among)
    if not names:
        raise ParameterError("the release has no quasi-identifiers that an attacker could know.")
    number = max(1, round(share * len(names)))
    rng = np.random.default_rng([seed, 1])
    return tuple(names[i] for i in sorted(rng.choice(len(names), number, replace=False)))


def random_records(counts: Counts, number: int, seed: int) -> Codes:
    """Records drawn at random, as rows of the counts; all of them if there are fewer. One seed, the same people."""
    rng = np.random.default_rng([seed, 2])
    ends = np.cumsum(counts.sizes)
    total = int(ends[-1]) if len(ends) else 0
    places = rng.choice(total, min(number, total), replace=False)
    return np.searchsorted(ends, places, side="right")


def random_persons(persons: Incidence, number: int, seed: int) -> tuple[Keys, Keys]:
    """Persons drawn at random, in ascending order, and of each a record drawn among theirs."""
    rng = np.random.default_rng([seed, 2])
    chosen = rng.choice(persons.people, min(number, persons.people), replace=False)
    theirs = np.flatnonzero(np.isin(persons.person, chosen))
    pairs = rng.permutation(np.repeat(theirs, persons.rows[theirs]))
    whose, first = np.unique(persons.person[pairs], return_index=True)
    return whose, persons.record[pairs[first]]


def values_of(counts: Counts, names: Sequence[str], record: int) -> list[int]:
    """The leaves of one distinct record in some columns."""
    return [int(counts.column(name)[record]) for name in names]


def require_targets(targets: int) -> None:
    """Refuse to try nobody."""
    if targets < 1:
        raise ParameterError(f"targets is a number of people, 1 or more; got {targets!r}.")
