"""k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Floats, Mask
from shoal.criteria.base import require_at_least
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every record looks like at least k − 1 others in its quasi-identifiers.

    |E| ≥ k for every class E.

    Paper: Samarati & Sweeney 1998.

    Attributes:
        k: The size of the smallest class.
    """

    name: ClassVar[str] = "k-anonymity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    k: int

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.k, 1, "k")

    @property
    def statement(self) -> str:
        """The promise."""
        return f"{self.k}-anonymous: every record shares its quasi-identifiers with at least {self.k - 1} others"

    def check(self, table: EncodedTable) -> None:
        """It has a meaning for every table."""

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """The size of each class."""
        return classes.sizes.astype(float)

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes of fewer than k records."""
        return classes.sizes < self.k

    def worst(self, measured: Floats) -> float:
        """The smallest class."""
        return float(measured.min())

    def implied(self) -> KAnonymity:
        """It survives growth."""
        return self
