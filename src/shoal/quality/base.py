"""What a quality model is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
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
    """A measure of what a recoding keeps: parameters, and what they mean for one table.

    One that a release file is to know has a `name` besides; without, it goes by that of its class.
    """

    def on(self, table: EncodedTable, smallest_class: int = 1) -> Objective:
        """The measure made ready for one table, of whose classes none below `smallest_class` can be published."""
        ...

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """How far adding one record moves the score after classes below k are suppressed (theory SP-6)."""
        ...


class Objective(Protocol):
    """A quality model on one table. Without bounds a search has to look at every node."""

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """Higher is better; as the paper defines it."""
        ...

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """What was lost, on a scale from 0 to 1: 1 when nothing is left; each model says what 0 stands for."""
        ...


@runtime_checkable
class BoundedByColumns(Objective, Protocol):
    """An objective with a lower bound that is a sum over columns, known from one-way counts."""

    is_exact: bool
    """Whether the bound at a node's own levels is its loss, once `lost` is all that it suppresses."""

    def floors(self, lost: Sequence[Sizes] | None) -> tuple[Floats, ...]:
        """`floors[i][level]`: what column i adds to the loss, at the least, at this level or any coarser one.

        `lost[i][leaf]` counts records that are suppressed for certain; see also `PricedByRecords.counted_at`.
        """
        ...


@runtime_checkable
class PricedByRecords(BoundedByColumns, Protocol):
    """An objective to which each suppressed record adds the same whatever else is suppressed."""

    counted_at: tuple[int, ...]
    """The level whose classes `lost` counts in column i: leaves of one price need not be told apart."""
    surcharges: tuple[Floats, ...]
    """`surcharges[i][level]`: what suppressing a record adds in column i, at least, at this level or any finer one."""


@runtime_checkable
class BoundedByClasses(Objective, Protocol):
    """An objective with a lower bound from the classes of the finest and the coarsest node of a box.

    For every recoding between `lo` and `hi` that suppresses at least what `hi` suppresses:
    loss ≥ floor(lo) + surcharge(hi).
    """

    def floor(self, classes: Classes) -> float:
        """The least loss of these records at this recoding or any coarser one, whatever is suppressed."""
        ...

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        """What suppressing these classes adds to the floor, here and at every finer recoding."""
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
        if weight < 0:
            raise ParameterError(f"the weight of {name!r} must be 0 or more; got {weight:g}.")
    values = np.array([weights.get(name, 1.0) for name in names], dtype=float)
    if not values.sum() > 0:
        raise ParameterError("all weights are 0; at least one quasi-identifier must count.")
    return values


def dot(values: Floats, counts: Sizes | Floats) -> float:
    """Σ values · counts in this thread: BLAS would start others for vectors this long and gain nothing."""
    return float((values * counts).sum())
