"""Linkage of a person who has several records: known by one of them, or by all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.attacks.found import columns_known
from shoal.attacks.interval import Rate
from shoal.attacks.nearest import Nearest, known_columns, require_targets, values_of
from shoal.data.outcome import Outcome
from shoal.data.people.incidence import Incidence
from shoal.data.shown import Distributions, Numbers
from shoal.data.unit import Unit
from shoal.errors import DataError
from shoal.parameters import Seed, read_parameters

_MOST_VISITS = 5e8
"""Records that are looked at, over all persons who are tried, where that is not fewer than so many persons:"""
_FEWEST = 20


@dataclass(frozen=True, slots=True)
class PersonLinkageFound:
    """How often the attacker finds a person; for the owner only.

    Attributes:
        one_known: The chance to pick a record of the person, of whom one record is known.
        most: The same for a person of whom the record is known that is easiest to find.
        all_known: The chance to name the person, if all records of everybody are known, and which published ones belong
            together; None where published values are no ranges, sets or nodes that records lie in.
        only: The share of persons of whom then nobody else comes into question.
        baseline: The chance of somebody who knows nothing and names anybody.
        known: The columns the attacker knows.
        unit: Who is sought.
    """

    one_known: Rate
    most: Rate
    all_known: Rate | None
    only: Rate | None
    baseline: float
    known: tuple[str, ...]
    unit: Unit

    @property
    def title(self) -> str:
        """What was tried."""
        return f"Find a {self.unit.value} by one record or by all, {columns_known(self.known)} known"

    @property
    def rates(self) -> Mapping[str, Rate]:
        """One record known, and all, against a blind guess."""
        rates = {
            "one record known": self.one_known,
            "blind guess": Rate.exactly(self.baseline),
            "the easiest record known": self.most,
        }
        if self.all_known is not None and self.only is not None:
            rates["all known, and which belong together"] = self.all_known
            rates["nobody else then comes into question"] = self.only
        return rates

    def __str__(self) -> str:
        one, many = self.unit.value, self.unit.plural
        text = (
            f"Somebody who knows {columns_known(self.known)} of one record of a {one} and picks one of the nearest "
            f"published records has one of this {one} in {self.one_known} of cases, in {self.most.value:.1%} if it is "
            f"the record that is easiest to find; by blind guessing, in 1 of {round(1 / self.baseline):,}. Classes "
            f"of k {many} protect whoever is known by one record."
        )
        if self.all_known is None or self.only is None:
            return text
        return (
            f"{text} Against somebody who knows all records of a {one}, and which published ones belong together, they "
            f"protect less: such a one is right in {self.all_known} of cases, and of {self.only.value:.1%} of {many} "
            f"nobody else comes into question. Whatever two published records of one {one} have in common that others "
            "do not have, such as a rare value, tells that they belong together."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLinkage:
    """The nearest published records to one record of a person, or to each of them.

    With one record known: the share of the nearest published records that are this person's. With all: whoever comes
    into question has for each record of the person sought one that fits into the same classes. Published records carry
    no person, so this is what is left if they can be joined nevertheless.

    Attributes:
        known: The share of what others may know that the attacker does know.
        targets: How many persons are tried.
        seed: Decides who, and what is known.
        columns: What others may know; the quasi-identifiers if not given.
    """

    known: float = 1.0
    targets: int = 500
    seed: Seed = 0
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_targets(self.targets)

    def on(self, outcome: Outcome) -> PersonLinkageFound:
        """Attack a release; looks at the original, so it is for its owner only."""
        persons = outcome.table.persons
        if persons is None:
            raise DataError("the table does not tell persons apart, so that each record is a person's only one.")
        nearest = Nearest(outcome, known_columns(outcome, self.known, self.seed, self.columns))
        rng = np.random.default_rng([self.seed, 4])
        each = len(persons) / persons.people
        affordable = max(int(_MOST_VISITS / (len(outcome.table.counts) * each)), _FEWEST)
        tried = min(self.targets, persons.people, affordable)
        places, holders = _Places(nearest), _Holders(persons)
        one, most, together = [], [], []
        for person in rng.choice(persons.people, tried, replace=False).tolist():
            records, rows = holders.records_of(person)
            chances = np.array([places.share_of(record, records, rows) for record in records.tolist()])
            one.append(float(chances @ rows / rows.sum()))
            most.append(float(chances.max()))
            if places.are_ranges:
                together.append(holders.chance_of(person, [places.fitting(record) for record in records.tolist()]))
        left = np.array(together)
        return PersonLinkageFound(
            Rate.of(np.array(one)),
            Rate.of(np.array(most)),
            Rate.of(left) if places.are_ranges else None,
            Rate.of((left == 1).astype(float)) if places.are_ranges else None,
            1 / persons.people,
            nearest.columns,
            persons.unit,
        )


class _Places:
    """Which published groups are nearest to records, and which records of the original may be in them."""

    def __init__(self, nearest: Nearest) -> None:
        self._nearest, self._counts = nearest, nearest.outcome.table.counts
        shown = [nearest.outcome.shown.get(name) for name in nearest.columns]
        self.are_ranges = not any(isinstance(entries, Numbers | Distributions) for entries in shown)
        """Whether a published value says within what the original one lies."""
        self._groups: dict[tuple[int, ...], Keys] = {}
        self._fitting: dict[tuple[int, ...], Keys] = {}
        self._own: dict[int, dict[int, float] | None] = {}

    def _found(self, record: int) -> tuple[tuple[int, ...], Keys]:
        """What is known of a record, and the groups that are nearest to it."""
        values = tuple(values_of(self._counts, self._nearest.columns, record))
        if values not in self._groups:
            self._groups[values] = np.flatnonzero(self._nearest.to(values))
        return values, self._groups[values]

    def fitting(self, record: int) -> Keys:
        """The distinct records of the original whose values lie within one of the groups nearest to a record."""
        values, found = self._found(record)
        if values not in self._fitting:
            parts = [self._within(group) for group in found.tolist()]
            self._fitting[values] = parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))
        return self._fitting[values]

    def _within(self, group: int) -> Keys:
        """The distinct records that fit into a group; the column that leaves fewest values is looked at first."""
        nearest = self._nearest
        covered = [nearest.covered(i, int(codes[group])) for i, codes in enumerate(nearest.groups.codes)]
        fits: Keys | None = None
        for i in np.argsort([values.mean() for values in covered], kind="stable").tolist():
            column = self._counts.column(nearest.columns[i])
            fits = np.flatnonzero(covered[i][column]) if fits is None else fits[covered[i][column[fits]]]
        assert fits is not None
        return fits

    def _own_groups(self, record: int) -> dict[int, float] | None:
        """The chance of each group that it holds a published record of a distinct one; None if nobody can say."""
        if record not in self._own:
            own = self._nearest.own(record)
            self._own[record] = (
                None if own is None else {int(group): float(own[group]) for group in np.flatnonzero(own)}
            )
        return self._own[record]

    def share_of(self, record: int, records: Keys, rows: Sizes) -> float:
        """The share of the published records nearest to one that are of the same person, at most if nobody knows."""
        values, found = self._found(record)
        here, mine = set(found.tolist()), 0.0
        for other, times in zip(records.tolist(), rows.tolist(), strict=True):
            own = self._own_groups(other)
            if own is not None:
                mine += times * sum(chance for group, chance in own.items() if group in here)
            elif self.are_ranges:
                mine += times * bool(np.isin(other, self.fitting(record)))
            else:
                mine += times * (self._found(other)[0] == values)
        return min(mine / int(self._nearest.groups.sizes[found].sum()), 1.0)


class _Holders:
    """Who has which records."""

    def __init__(self, persons: Incidence) -> None:
        self._persons = persons
        self._order = np.argsort(persons.person, kind="stable")
        self._starts = np.searchsorted(persons.person[self._order], np.arange(persons.people + 1))

    def records_of(self, person: int) -> tuple[Keys, Sizes]:
        """The distinct records of a person, and how many rows of theirs each is."""
        pairs = self._order[self._starts[person] : self._starts[person + 1]]
        return self._persons.record[pairs], self._persons.rows[pairs]

    def chance_of(self, person: int, sets: list[Keys]) -> float:
        """The chance to name a person among all who have a record of each set; 0 if this one has not.

        Nobody may have: noisy or made-up records need not lie near any record of the original.
        """
        pairs = self._persons.pairs
        left: Keys | None = None
        for records in sorted(sets, key=len):
            spans = [pairs.person[pairs.starts[r] : pairs.starts[r + 1]] for r in records.tolist()]
            here = np.unique(np.concatenate(spans)) if spans else np.zeros(0, dtype=np.int64)
            left = here if left is None else np.intersect1d(left, here, assume_unique=True)
        assert left is not None
        return 1 / len(left) if np.isin(person, left) else 0.0
