"""Overlap: what sets of people that share members disclose about them, as a result like others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.attacks.interval import Rate
from shoal.audit.overlap import audit_overlap
from shoal.data.outcome import Outcome


@dataclass(frozen=True, slots=True)
class OverlapFound:
    """How many people's sensitive value is certain to whoever knows everybody's quasi-identifiers, at the least.

    Attributes:
        column: The sensitive column.
        certain: Of the people examined.
        values_left: How many values are left to a person on average.
        exact_sets: The share of published records that show exactly who they are made of.
        is_whole: Whether all people were examined.
    """

    column: str
    certain: Rate
    values_left: float
    exact_sets: float
    is_whole: bool

    @property
    def title(self) -> str:
        """What was tried."""
        return f"Solve for {self.column} where records overlap"

    @property
    def rates(self) -> Mapping[str, Rate]:
        """Nobody's value should be certain."""
        return {"certain": self.certain, "as promised": Rate.exactly(0.0)}

    def __str__(self) -> str:
        return (
            f"Somebody who knows the quasi-identifiers of everybody, and solves for {self.column} where published "
            f"records overlap, is certain about at least {self.certain} of people; as promised it would be nobody. "
            f"{self.values_left:.2f} values are left to a person on average."
        )


def overlap(outcome: Outcome, *, people: int = 50) -> tuple[OverlapFound, ...]:
    """Solve the overlaps of a release whose sensitive columns are distributions, column by column (theory NS-1)."""
    return tuple(
        OverlapFound(
            found.column,
            Rate.of(np.repeat([1.0, 0.0], [found.disclosed, found.examined - found.disclosed])),
            found.possible,
            found.exact_sets,
            found.is_whole,
        )
        for found in audit_overlap(outcome, people=people)
    )
