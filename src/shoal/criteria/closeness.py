"""t-closeness: the sensitive values of a class are distributed nearly as in the whole table.

Paper: Li, Li & Venkatasubramanian 2007, §4 (earth mover's distance; equal, ordered and hierarchical ground distance).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.criteria.base import largest, require_sensitive, require_unit, spread_words
from shoal.criteria.reference import LEAST, SLACK, Reference, excess_of, histogram_of, reference_of, shares_of
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.domain import Origin
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
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
    """The earth mover's distance between a class and the whole table is at most t, for every class.

    Attributes:
        closeness: t.
        column: The sensitive column.
        distance: How far one of its values is from another.
        reference: Which table is the whole one: the published one, or the input.
        unit: What is counted: `record`, or `person` or `household`, each spread evenly over their records.
    """

    name: ClassVar[str] = "closeness"

    closeness: float
    column: str
    distance: Distance = Distance.EQUAL
    reference: Reference = Reference.PUBLISHED
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        if not 0 <= self.closeness <= 1:
            raise ParameterError(f"closeness must be between 0 and 1; got {self.closeness:g}.")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"values of {self.column!r} in every class within distance {self.closeness:g} of the "
            f"{self.reference.words} (t-closeness, {self.distance.value} distance){spread_words(self.unit)}"
        )

    @property
    def is_relative(self) -> bool:
        """Whether a class is judged against the published table."""
        return self.reference is Reference.PUBLISHED

    @property
    def asks_every_value(self) -> bool:
        """Whether values that do not occur count too: how far two are apart depends on them."""
        return self.distance is not Distance.EQUAL

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive, and an order must be a declared one, or nobody could check it."""
        require_sensitive(table, self.column, "t-closeness")
        require_unit(table, self.unit, self.name)
        domain = table[self.column].domain
        if self.distance is Distance.ORDERED and (not domain.ordered or domain.origin is not Origin.DECLARED):
            raise SchemaError(
                f"column {self.column!r}: t-closeness by order needs a declared, ordered domain (from and to, or an "
                "ordered list); declare it, or use the equal or hierarchical distance."
            )

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The distance of each class from the whole table."""
        attribute = classes.table[self.column]
        excess = shares_of(histogram_of(self, classes)) - reference_of(self, classes, published)
        return earth_movers_distance(excess, attribute, self.distance)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes farther than t; equality in exact arithmetic counts as met."""
        return excess_of(self, classes, published) >= 0

    def features(self, shares: Floats, attribute: Attribute) -> Floats:
        """What the distance is the sum of absolute differences of."""
        return work(shares, attribute, self.distance)

    def excess(self, features: Floats, of_reference: Floats) -> Floats:
        """How much farther than t, in multiples of t."""
        distances = np.abs(features - of_reference).sum(axis=1)
        return np.asarray((distances - (self.closeness + SLACK)) / max(self.closeness, LEAST))

    def at_most(self, excess: float, before: Floats, now: Floats) -> float:
        """No distance grows by more than the way the reference has moved."""
        return excess + float(np.abs(now - before).sum()) / max(self.closeness, LEAST)

    def must_lose(self, shares: Floats, attribute: Attribute, reference: Floats, movable: float) -> Floats:
        """(f·p − u − t) / (max f − u − t) for a class with shares p: f its potentials, u the most that f·q can be.

        No mass is moved for less than the difference of its potentials: f·(p − q) is the distance of the class, and of
        what is kept of it no more than the distance of that. If the share x is not kept, (1 − x) (t + u) has to be at
        least f·p − x max f. The reference q may have moved, since up to the share m of it may be left out: f·q grows by
        no more than m (f·q − min f) / (1 − m).
        """
        must = np.zeros(len(shares))
        moved = self.features(shares, attribute) - self.features(reference, attribute)
        far = np.flatnonzero(np.abs(moved).sum(axis=1) > self.closeness + SLACK)
        if not len(far) or movable >= 1 - SLACK:
            return must
        potential = potentials(np.sign(moved[far]), attribute, self.distance)
        compared = np.einsum("gv,v->g", potential, reference)
        compared += (compared - potential.min(axis=1)) * (movable / (1 - movable)) + self.closeness + SLACK
        beyond = np.einsum("gv,gv->g", potential, shares[far]) - compared
        room = potential.max(axis=1) - compared
        must[far] = np.where(beyond > 0, beyond / np.maximum(room, beyond), 0.0)
        return must

    worst = largest
    """The farthest class."""

    def implied(self) -> None:
        """Nothing that survives growth follows from it."""
        return


def earth_movers_distance(excess: Floats, attribute: Attribute, distance: Distance) -> Floats:
    """The work to move the differences `excess[g, v]` (each row sums to 0) to nothing, row by row."""
    return np.asarray(np.abs(work(excess, attribute, distance)).sum(axis=1))


def work(shares: Floats, attribute: Attribute, distance: Distance) -> Floats:
    """A linear function whose absolute values add up to the earth mover's distance, once differences are put in."""
    match distance:
        case Distance.EQUAL:
            return shares / 2
        case Distance.ORDERED:
            steps = max(shares.shape[-1] - 1, 1)
            return np.asarray(np.cumsum(shares, axis=-1)[..., :-1] / steps)
        case Distance.HIERARCHICAL:
            return _hierarchical(shares, attribute)


def _hierarchical(shares: Floats, attribute: Attribute) -> Floats:
    """Mass that cannot be balanced below a node climbs one level more (the paper's cost(N), summed over levels).

    What is balanced under a node of level h costs h/H for each unit. A unit of unbalanced mass at level h − 1 climbs to
    level h, and each of its two halves (surplus and deficit) pays 1/(2H) per level climbed.
    """
    hierarchy = attribute.hierarchy
    sums = [np.add.reduceat(shares, starts, axis=-1) for starts in hierarchy.starts[:-1]]
    return np.asarray(np.concatenate(sums, axis=-1) / (2 * max(hierarchy.height, 1)))


def potentials(signs: Floats, attribute: Attribute, distance: Distance) -> Floats:
    """For each value what a unit of it adds to Σ signs · work: the transpose of `work`, row by row.

    With the signs of what has to be moved these are prices that no transport undercuts (Kantorovich & Rubinstein 1958).
    """
    match distance:
        case Distance.EQUAL:
            return signs / 2
        case Distance.ORDERED:
            behind = np.cumsum(signs[..., ::-1], axis=-1)[..., ::-1] / max(signs.shape[-1], 1)
            return np.concatenate([behind, np.zeros((*signs.shape[:-1], 1))], axis=-1)
        case Distance.HIERARCHICAL:
            found, start = np.zeros((*signs.shape[:-1], attribute.hierarchy.leaves)), 0
            for level in attribute.hierarchy.levels[:-1]:
                found += signs[..., start : start + level.size].take(level.codes, axis=-1)
                start += level.size
            return np.asarray(found / (2 * max(attribute.hierarchy.height, 1)))
