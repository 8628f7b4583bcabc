"""t-closeness: the sensitive values of a class are distributed nearly as in the whole published table.

Paper: Li, Li & Venkatasubramanian 2007, §4 (earth mover's distance; equal, ordered and hierarchical ground distance).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.criteria.base import require_sensitive
from shoal.data.classes import Classes
from shoal.data.domain import Origin
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Attribute
from shoal.errors import ParameterError, SchemaError
from shoal.parameters import read_parameters


class Distance(Enum):
    """How far one sensitive value is from another."""

    EQUAL = "equal"
    """All different values are at distance 1."""
    ORDERED = "ordered"
    """|i − j| / (m − 1) for the i-th and j-th of m values."""
    HIERARCHICAL = "hierarchical"
    """The level of the lowest common ancestor, over the height of the hierarchy."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """The earth mover's distance between a class and the published table is at most t, for every class."""

    closeness: float
    column: str
    distance: Distance = Distance.EQUAL

    def __post_init__(self) -> None:
        read_parameters(self)
        if not 0 <= self.closeness <= 1:
            raise ParameterError(f"closeness must be between 0 and 1; got {self.closeness:g}.")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"values of {self.column!r} in every class within distance {self.closeness:g} of the whole published table "
            f"(t-closeness, {self.distance.value} distance)"
        )

    @property
    def is_relative(self) -> bool:
        """A class is judged against the published table."""
        return True

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive, and an order must be a declared one, or nobody could check it."""
        require_sensitive(table, self.column, "t-closeness")
        domain = table[self.column].domain
        if self.distance is Distance.ORDERED and (not domain.ordered or domain.origin is not Origin.DECLARED):
            raise SchemaError(
                f"column {self.column!r}: t-closeness by order needs a declared, ordered domain (from and to, or an "
                "ordered list); declare it, or use the equal or hierarchical distance."
            )

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The distance of each class from the published table."""
        histogram = classes.histogram(self.column)
        whole = histogram[published].sum(axis=0)
        excess = histogram / classes.sizes[:, None] - whole / max(whole.sum(), 1)
        return earth_movers_distance(excess, classes.table[self.column], self.distance)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes farther than t; equality in exact arithmetic counts as met."""
        return self.measure(classes, published) > self.closeness + 1e-12

    def worst(self, measured: Floats) -> float:
        """The farthest class."""
        return float(measured.max())

    def implied(self) -> None:
        """Nothing that survives growth follows from it."""
        return


def earth_movers_distance(excess: Floats, attribute: Attribute, distance: Distance) -> Floats:
    """The work to move the differences `excess[g, v]` (each row sums to 0) to nothing, row by row."""
    match distance:
        case Distance.EQUAL:
            return np.asarray(np.abs(excess).sum(axis=1) / 2)
        case Distance.ORDERED:
            steps = max(excess.shape[1] - 1, 1)
            return np.asarray(np.abs(np.cumsum(excess, axis=1)[:, :-1]).sum(axis=1) / steps)
        case Distance.HIERARCHICAL:
            return _hierarchical(excess, attribute)


def _hierarchical(excess: Floats, attribute: Attribute) -> Floats:
    """Mass that cannot be balanced below a node climbs one level more (the paper's cost(N), summed over levels).

    What is balanced under a node of level h costs h/H for each unit. A unit of unbalanced mass at level h − 1 climbs to
    level h, and each of its two halves (surplus and deficit) pays 1/(2H) per level climbed.
    """
    hierarchy = attribute.hierarchy
    work = np.zeros(len(excess))
    for level in hierarchy.levels[:-1]:
        sums = np.add.reduceat(excess, np.flatnonzero(np.diff(level.codes.astype(np.int64), prepend=-1)), axis=1)
        work += np.abs(sums).sum(axis=1)
    return np.asarray(work / (2 * max(hierarchy.height, 1)))
