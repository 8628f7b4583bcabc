"""Membership: was this person in the table at all? Told by how near a published record comes to the person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.attacks.interval import Difference, Rate
from shoal.attacks.nearest import ROUNDING, Nearest, random_records, require_targets, values_of
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.errors import DataError
from shoal.parameters import Seed, read_parameters


@dataclass(frozen=True, slots=True)
class MembershipFound:
    """How well people of the table are told from others; for the owner only.

    Attributes:
        members: How many people of the table are said to be in it.
        others: How many people who are not in it are said to be: the baseline.
        known: The columns the attacker knows.
        by_persons: Whether all records of a person are known, where a person may have several.
    """

    members: Rate
    others: Rate
    known: tuple[str, ...]
    by_persons: bool = False

    @property
    def advantage(self) -> Difference:
        """How much more often the one is said than the other: 0 is guessing, 1 is certainty."""
        return Difference.of(self.members, self.others)

    @property
    def title(self) -> str:
        """What was tried."""
        return "Tell whether a person is in the table"

    @property
    def rates(self) -> Mapping[str, Rate]:
        """Who is said to be in the table."""
        return {"people in the table said to be in it": self.members, "people not in it said to be": self.others}

    def __str__(self) -> str:
        known, near = "a person", "a published record comes"
        if self.by_persons:
            known, near = "all records of a person", "published records come"
        return (
            f"Somebody who knows all {len(self.known)} columns of {known}, and says that the person is in the table "
            f"if {near} near enough, says so of {self.members.value:.1%} of people in it and of "
            f"{self.others.value:.1%} of people who are not; the advantage over guessing is {self.advantage}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """In the table if the nearest published record is at most so far away, or on average over a person's records.

    How far is learned from one half of the people tried; the other half, which had no part in it, is judged.

    Attributes:
        targets: How many people of the table are tried, and as many others.
        seed: Decides who.
    """

    targets: int = 500
    seed: Seed = 0

    def __post_init__(self) -> None:
        read_parameters(self)
        require_targets(self.targets)

    def on(self, outcome: Outcome, control: EncodedTable) -> MembershipFound:
        """Attack a release; `control` has people who are not in it, in the same codes."""
        nearest = Nearest(outcome, tuple(outcome.published.names))
        by_persons = outcome.table.persons is not None and control.persons is not None
        members, others = (
            self._distances_of_persons(nearest, some) if by_persons else self._distances(nearest, some.counts)
            for some in (outcome.table, control)
        )
        if min(len(members), len(others)) < 2:
            raise DataError("telling members from others needs at least two people of each.")
        limit = best_limit(members[::2], others[::2])
        rates = [Rate.of((some[1::2] <= limit + ROUNDING).astype(float)) for some in (members, others)]
        return MembershipFound(rates[0], rates[1], nearest.columns, by_persons)

    def _distances(self, nearest: Nearest, counts: Counts) -> Floats:
        records = random_records(counts, self.targets, self.seed).tolist()
        return np.array([nearest.distances(values_of(counts, nearest.columns, r)).min() for r in records])

    def _distances_of_persons(self, nearest: Nearest, table: EncodedTable) -> Floats:
        """How near published records come to the records of a person, on average."""
        persons, counts = table.persons, table.counts
        assert persons is not None
        rng = np.random.default_rng([self.seed, 2])
        chosen = rng.choice(persons.people, min(self.targets, persons.people), replace=False)
        tried = np.flatnonzero(np.isin(persons.person, chosen))
        away = {
            record: float(nearest.distances(values_of(counts, nearest.columns, record)).min())
            for record in np.unique(persons.record[tried]).tolist()
        }
        rows = persons.rows[tried]
        spent = rows * np.array([away[record] for record in persons.record[tried].tolist()])
        total = np.bincount(persons.person[tried], weights=spent, minlength=persons.people)
        return np.asarray((total / np.maximum(persons.rows_each, 1))[chosen])


def best_limit(members: Floats, others: Floats) -> float:
    """The distance up to which members are most in excess of others; the smallest of several."""
    limits = np.unique(np.concatenate([members, others]))
    excess = [(members <= limit + ROUNDING).mean() - (others <= limit + ROUNDING).mean() for limit in limits]
    return float(limits[int(np.argmax(excess))])
