"""What a release promises, and on what basis."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from shoal.errors import ParameterError


class Basis(Enum):
    """Why a promise may be believed."""

    PROVED = "proved"
    """It follows from the ledger and a text in `docs/proofs/`."""
    VERIFIED = "verified"
    """It was checked on the published table, and anybody can check it again (`shoal check`)."""
    CLAIMED = "claimed"
    """The paper says so."""


class Neighbors(Enum):
    """Which two tables a differentially private method may not tell apart (theory X-1)."""

    ADD_REMOVE = "add/remove one record"
    REPLACE = "replace one record, the number of records is public"
    ATTRIBUTES = "replace the protected attributes of one record"


@dataclass(frozen=True, slots=True)
class PrivacyCost:
    """The price (ε, δ) of one look at the data, under one neighboring relation."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    def __post_init__(self) -> None:
        if self.epsilon < 0 or not 0 <= self.delta < 1:
            raise ParameterError(
                f"a privacy cost needs epsilon >= 0 and 0 <= delta < 1; got epsilon = {float(self.epsilon):g}, "
                f"delta = {float(self.delta):g}."
            )


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One promise about a release: a sentence, why it may be believed, and what it takes for granted."""

    statement: str
    basis: Basis
    assumptions: tuple[str, ...] = ()
    neighbors: Neighbors | None = None

    def __str__(self) -> str:
        return f"{self.statement} ({self.basis.value})"

    def to_dict(self) -> dict[str, Any]:
        """As it stands in `certificate.json`."""
        return {
            "statement": self.statement,
            "basis": self.basis.value,
            "neighbors": None if self.neighbors is None else self.neighbors.value,
            "assumptions": list(self.assumptions),
        }
