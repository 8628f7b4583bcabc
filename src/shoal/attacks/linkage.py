"""Linkage: pick the published record of a person by what is known about the person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.attacks.found import columns_known
from shoal.attacks.interval import Rate
from shoal.attacks.nearest import Nearest, known_columns, random_records, require_targets, values_of
from shoal.data.outcome import Outcome
from shoal.parameters import Seed, read_parameters


@dataclass(frozen=True, slots=True)
class LinkageFound:
    """How often the attacker picks the right record; for the owner only.

    Attributes:
        success: The chance to pick the record of a person drawn at random.
        baseline: The chance of somebody who knows nothing and picks any published record.
        known: The columns the attacker knows.
        is_bound: Whether nobody can say which record is whose, so that the nearest ones were taken to be right.
    """

    success: Rate
    baseline: float
    known: tuple[str, ...]
    is_bound: bool

    @property
    def title(self) -> str:
        """What was tried."""
        return f"Find a person's record, {columns_known(self.known)} known"

    @property
    def rates(self) -> Mapping[str, Rate]:
        """The nearest record against a blind guess."""
        return {"nearest record": self.success, "blind guess": Rate.exactly(self.baseline)}

    def __str__(self) -> str:
        at_most = "at most " if self.is_bound else ""
        return (
            f"Somebody who knows {columns_known(self.known)} of a person and picks the nearest published record is "
            f"right in {at_most}{self.success} of cases; by blind guessing, in 1 of {round(1 / self.baseline):,}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Linkage:
    """The nearest published record, or one of the nearest at random.

    Attributes:
        known: The share of what others may know that the attacker does know.
        targets: How many people are tried.
        seed: Decides who, and what is known.
        columns: What others may know; the quasi-identifiers if not given.

    Paper: (k, ε)-anonymity §V, Microaggregation-DP §5.2 (record linkage).
    """

    known: float = 1.0
    targets: int = 500
    seed: Seed = 0
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_targets(self.targets)

    def on(self, outcome: Outcome) -> LinkageFound:
        """Attack a release; looks at the original, so it is for its owner only."""
        nearest = Nearest(outcome, known_columns(outcome, self.known, self.seed, self.columns))
        counts, sizes = outcome.table.counts, nearest.groups.sizes
        chances, is_bound = [], False
        for record in random_records(counts, self.targets, self.seed).tolist():
            found = nearest.to(values_of(counts, nearest.columns, record))
            candidates = int(sizes[found].sum())
            own = nearest.own(record)
            is_bound = is_bound or own is None
            there = 1.0 if own is None else float(own[found].sum())
            chances.append(there / candidates)
        return LinkageFound(Rate.of(np.array(chances)), 1 / outcome.published.kept, nearest.columns, is_bound)
