"""What a release promises, and on what basis."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from shoal.data.unit import Unit
from shoal.dp.accounting.cost import PrivacyCost, shown
from shoal.dp.accounting.relation import Neighbors
from shoal.errors import ParameterError
from shoal.parameters import read_parameters

PUBLIC = "are public and were not taken from the data"
"""How the assumption about domains ends; a certificate adds which of their values were seen there first."""


class Basis(Enum):
    """Why a promise may be believed."""

    PROVED = "proved"
    """It follows from the ledger and a text in `docs/proofs/`."""
    VERIFIED = "verified"
    """It was checked on the published table, and anybody can check it again (`shoal check`)."""
    CLAIMED = "claimed"
    """The paper says so, or the publisher: the published files do not tell."""
    MEASURED = "measured"
    """Nothing is proved: how much is hidden can only be measured, by the owner (`shoal attack`)."""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One promise about a release: a sentence, why it may be believed, and what it takes for granted."""

    statement: str
    basis: Basis
    assumptions: tuple[str, ...] = ()
    neighbors: Neighbors | None = None
    cost: PrivacyCost | None = None
    """The same promise in numbers, where it is one of differential privacy."""
    unit: Unit = Unit.RECORD
    """Whom neighboring tables differ in, where it is one of differential privacy."""

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.cost is not None and self.neighbors is None:
            object.__setattr__(self, "neighbors", self.cost.neighbors)
        if self.cost is not None and self.unit is Unit.RECORD:
            object.__setattr__(self, "unit", self.cost.unit)
        if self.cost is not None and (self.neighbors, self.unit) != (self.cost.neighbors, self.cost.unit):
            raise ParameterError(
                f"guarantee {self.statement!r}: its cost is told under '{self.cost.relation}'. "
                "Give the guarantee the same neighbors, or none."
            )

    def __str__(self) -> str:
        if self.neighbors is None or self.unit is Unit.RECORD:
            return f"{self.statement} ({self.basis.value})"
        return f"{self.statement}, {self.neighbors.of(self.unit)} ({self.basis.value})"

    def to_dict(self) -> dict[str, Any]:
        """As it stands in `certificate.json`."""
        fields: dict[str, Any] = {
            "statement": self.statement,
            "basis": self.basis.value,
            "neighbors": None if self.neighbors is None else self.neighbors.of(self.unit),
            "assumptions": list(self.assumptions),
        }
        if self.cost is not None:
            fields |= {"epsilon": shown(self.cost.epsilon), "delta": shown(self.cost.delta)}
            if self.cost.protected:
                fields["protected"] = sorted(self.cost.protected)
            if self.cost.max_records:
                fields["max_records"] = self.cost.max_records
        return fields
