"""What a quality model is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Attribute
from shoal.errors import ParameterError, listed, nearest


@dataclass(frozen=True, slots=True)
class Change:
    """How far a score can move when one record is added to the table: somewhere in [least, most]."""

    least: float
    most: float

    @property
    def range(self) -> float:
        """R of the selection exponent η = ε / R (theory X-6)."""
        return self.most - self.least


@runtime_checkable
class QualityModel(Protocol):
    """A measure of what a recoding keeps.

    A search for the least loss needs two bounds. For every recoding between a finer one `lo` and a coarser one `hi`
    (each column's level between theirs) that suppresses at least the records that `hi` suppresses:

        loss ≥ floor(lo) + surcharge(hi)

    A model that can promise nothing returns 0 for both, and the search looks at everything.
    """

    def check(self, table: EncodedTable) -> None:
        """Refuse a table the model has no meaning for."""
        ...

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """Higher is better; as the paper defines it."""
        ...

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """0 for the table as it came, 1 when nothing is left of it."""
        ...

    def level_floors(self, table: EncodedTable) -> tuple[Floats, ...] | None:
        """`floor` as a sum over columns: one number per column and level, known from one-way counts; None if it is not."""
        ...

    def floor(self, classes: Classes) -> float:
        """The least loss of these records at this recoding or any coarser one, whatever is suppressed."""
        ...

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        """What suppressing these classes adds to the floor, here and at every finer recoding."""
        ...

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """How far adding one record moves the score after classes below k are suppressed (theory SP-6)."""
        ...


def checked_weights(weights: Mapping[str, float], table: EncodedTable) -> Floats:
    """One weight per quasi-identifier, 1 where none is given."""
    names = [attribute.name for attribute in table.quasi_identifiers]
    for name, weight in weights.items():
        if name not in names:
            raise ParameterError(
                f"a weight is given for {name!r}, which is not a quasi-identifier; those are {listed(names, 12)}."
                f"{nearest(name, names)}"
            )
        if not (np.isfinite(weight) and weight >= 0):
            raise ParameterError(f"the weight of {name!r} must be 0 or more; got {weight:g}.")
    values = np.array([weights.get(name, 1.0) for name in names], dtype=float)
    if not values.sum() > 0:
        raise ParameterError("all weights are 0; at least one quasi-identifier must count.")
    return values
