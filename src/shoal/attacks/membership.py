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
    """

    members: Rate
    others: Rate
    known: tuple[str, ...]

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
        return (
            f"Somebody who knows all {len(self.known)} columns of a person, and says that the person is in the table "
            f"if a published record comes near enough, says so of {self.members.value:.1%} of people in it and of "
            f"{self.others.value:.1%} of people who are not; the advantage over guessing is {self.advantage}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """In the table if the nearest published record is at most so far away.

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
        members, others = (self._distances(nearest, some.counts) for some in (outcome.table, control))
        if min(len(members), len(others)) < 2:
            raise DataError("telling members from others needs at least two people of each.")
        limit = best_limit(members[::2], others[::2])
        rates = [Rate.of((some[1::2] <= limit + ROUNDING).astype(float)) for some in (members, others)]
        return MembershipFound(rates[0], rates[1], nearest.columns)

    def _distances(self, nearest: Nearest, counts: Counts) -> Floats:
        records = random_records(counts, self.targets, self.seed).tolist()
        return np.array([nearest.distances(values_of(counts, nearest.columns, r)).min() for r in records])


def best_limit(members: Floats, others: Floats) -> float:
    """The distance up to which members are most in excess of others; the smallest of several."""
    limits = np.unique(np.concatenate([members, others]))
    excess = [(members <= limit + ROUNDING).mean() - (others <= limit + ROUNDING).mean() for limit in limits]
    return float(limits[int(np.argmax(excess))])
