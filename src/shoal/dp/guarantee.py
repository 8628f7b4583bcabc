"""What a release promises, and on what basis."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from shoal.dp.interval import Interval
from shoal.errors import InfeasibleError, ParameterError
from shoal.parameters import Number, exact, read_as, read_parameters

__all__ = ["Basis", "Guarantee", "Neighbors", "Number", "PrivacyCost", "exact", "shown"]


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
    """The price (ε, δ) of one look at the data, under one neighboring relation, as exact fractions.

    >>> print(PrivacyCost.of(0.1, "1e-6"))
    epsilon = 0.1, delta = 1e-06 (add/remove one record)
    >>> print(PrivacyCost.of(1, "1e-6").under(Neighbors.REPLACE))
    epsilon = 2, delta = 3.71829e-06 (replace one record, the number of records is public)
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.epsilon < 0 or not 0 <= self.delta < 1:
            raise ParameterError(
                f"a privacy cost needs epsilon >= 0 and 0 <= delta < 1; got epsilon = {float(self.epsilon):g}, "
                f"delta = {float(self.delta):g}."
            )

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0, neighbors: Neighbors = Neighbors.ADD_REMOVE) -> PrivacyCost:
        """The cost as a user writes it: text, decimals and floats mean the decimal they show."""
        return cls(exact(epsilon, "epsilon"), exact(delta, "delta"), neighbors)

    def __str__(self) -> str:
        return f"epsilon = {shown(self.epsilon)}, delta = {shown(self.delta)} ({self.neighbors.value})"

    def within(self, limit: PrivacyCost) -> bool:
        """Whether neither ε nor δ exceeds the limit; both must be told under the same relation."""
        assert self.neighbors is limit.neighbors
        return self.epsilon <= limit.epsilon and self.delta <= limit.delta

    def under(self, neighbors: Neighbors) -> PrivacyCost:
        """What this cost is worth under a coarser relation, rounded up.

        Replacing a record is removing one and adding one: (ε, δ) becomes (2ε, (1 + e^ε) δ). Replacing attributes is a
        special case of replacing. There is no way back (theory X-1; `docs/proofs/composition.md`, section 2).
        """
        neighbors = read_as(Neighbors, "neighbors", neighbors)
        match self.neighbors, neighbors:
            case (Neighbors.ADD_REMOVE, Neighbors.REPLACE | Neighbors.ATTRIBUTES):
                delta = ((Interval.of(self.epsilon).exp() + 1) * self.delta).upper() if self.delta else Fraction(0)
                if delta >= 1:
                    raise InfeasibleError(
                        f"privacy cost {self}: under '{neighbors.value}' delta would be {float(delta):g}, which "
                        "promises nothing. Lower epsilon or delta."
                    )
                return PrivacyCost(2 * self.epsilon, delta, neighbors)
            case (Neighbors.REPLACE, Neighbors.ATTRIBUTES):
                return PrivacyCost(self.epsilon, self.delta, neighbors)
            case (have, want) if have is want:
                return self
        raise ParameterError(
            f"a cost under '{self.neighbors.value}' says nothing under '{neighbors.value}'. "
            "Only add/remove converts to replace, and replace to attributes."
        )


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One promise about a release: a sentence, why it may be believed, and what it takes for granted."""

    statement: str
    basis: Basis
    assumptions: tuple[str, ...] = ()
    neighbors: Neighbors | None = None
    cost: PrivacyCost | None = None
    """The same promise in numbers, where it is one of differential privacy."""

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.cost is not None and self.neighbors is None:
            object.__setattr__(self, "neighbors", self.cost.neighbors)
        if self.cost is not None and self.neighbors is not self.cost.neighbors:
            raise ParameterError(
                f"guarantee {self.statement!r}: its cost is told under '{self.cost.neighbors.value}'. "
                "Give the guarantee the same neighbors, or none."
            )

    def __str__(self) -> str:
        return f"{self.statement} ({self.basis.value})"

    def to_dict(self) -> dict[str, Any]:
        """As it stands in `certificate.json`."""
        told: dict[str, Any] = {
            "statement": self.statement,
            "basis": self.basis.value,
            "neighbors": None if self.neighbors is None else self.neighbors.value,
            "assumptions": list(self.assumptions),
        }
        if self.cost is not None:
            told |= {"epsilon": shown(self.cost.epsilon), "delta": shown(self.cost.delta)}
        return told


def shown(value: Fraction, digits: int = 6) -> str:
    """A number as it stands in a promise: exact if it is short, otherwise rounded up.

    >>> shown(Fraction(9, 10)), shown(Fraction(1, 10**6)), shown(Fraction(1, 3))
    ('0.9', '1e-06', '0.333334')
    """
    rounded = Context(prec=digits, rounding=ROUND_CEILING).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{float(rounded):.{digits}g}"
