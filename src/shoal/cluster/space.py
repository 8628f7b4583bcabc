"""The space records live in: one axis for each column, and the distance between records (Equation 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np

from shoal.arrays import Codes, Floats
from shoal.cluster.taxonomy import MOST_VALUES, UNIT, Taxonomy
from shoal.data.attribute import Attribute
from shoal.data.domain import Categorical, Dates, Grid
from shoal.errors import ParameterError


@dataclass(frozen=True, slots=True)
class NumberAxis:
    """Numbers or days, in steps of their grid from the lower bound.

    Attributes:
        name: The column.
        width: Δ, the number of steps between the bounds.
        missing: The code of a missing value, if there is one.
    """

    name: str
    width: int
    missing: int | None = None

    @property
    def middle(self) -> int:
        """The place in the middle of the domain, where a private method puts a missing number."""
        return self.width // 2

    def places(self, codes: Codes, missing: float) -> Floats:
        """Steps from the lower bound; `missing` stands for a missing number."""
        steps = codes.astype(np.float64)
        return steps if self.missing is None else np.where(codes == self.missing, missing, steps)


@dataclass(frozen=True, slots=True, eq=False)
class CategoryAxis:
    """Categories; a missing value is one of them."""

    name: str
    taxonomy: Taxonomy

    @property
    def width(self) -> int:
        """The distance between the boundaries of the domain."""
        return self.taxonomy.width


Axis: TypeAlias = NumberAxis | CategoryAxis


@dataclass(frozen=True, eq=False)
class Space:
    """The axes of some columns.

    d(x, y) = √ Σ_a (dist(x_a, y_a) / dist(bottom_a, top_a))², where dist is the difference of numbers or the semantic
    distance of categories, and bottom and top are the bounds of the declared domain: nothing of it depends on the data.
    An axis of no width takes no part.

    Attributes:
        axes: The axes.
        deviations: What distances on each axis are divided by instead, if given: how far records are from their center
            on the average (the root of the mean square). Then records decide.

    Paper: Microaggregation-DP §4.6, Equation (8).
    """

    axes: tuple[Axis, ...]
    deviations: tuple[float, ...] | None = None

    @staticmethod
    def of(attributes: Sequence[Attribute]) -> Space:
        """The space of some columns."""
        return Space(tuple(axis_of(attribute) for attribute in attributes))

    @cached_property
    def wide(self) -> tuple[int, ...]:
        """The axes that tell records apart."""
        spread = self.deviations or (1.0,) * len(self.axes)
        return tuple(i for i, axis in enumerate(self.axes) if axis.width and spread[i] > 0)

    @cached_property
    def scales(self) -> Floats:
        """What distances on each axis are divided by, in steps or semantic distances; 1 where it takes no part."""
        asked = [full_width(axis) for axis in self.axes] if self.deviations is None else self.deviations
        return np.array([scale or 1.0 for scale in asked], dtype=np.float64)

    @cached_property
    def points(self) -> int:
        """How many different records the domain has; a missing number is different from all others."""
        return prod(
            axis.taxonomy.values if isinstance(axis, CategoryAxis) else axis.width + 1 + (axis.missing is not None)
            for axis in self.axes
        )


def full_width(axis: Axis) -> float:
    """What Equation (8) divides distances on an axis by, in steps or semantic distances; 1 for an axis of no width."""
    return axis.width / UNIT if isinstance(axis, CategoryAxis) and axis.width else float(axis.width or 1)


def axis_of(attribute: Attribute) -> Axis:
    """Numbers and days have a place on a line, categories one in a tree."""
    match attribute.domain:
        case Grid():
            return NumberAxis(attribute.name, attribute.domain.steps, attribute.domain.missing)
        case Dates():
            return NumberAxis(attribute.name, attribute.domain.days - 1, attribute.domain.missing)
        case Categorical():
            if attribute.domain.size > MOST_VALUES:
                raise ParameterError(
                    f"column {attribute.name!r} has {attribute.domain.size:,} declared categories, and distances are "
                    f"kept for at most {MOST_VALUES:,}; declare coarser values, or numbers if that is what they are."
                )
            return CategoryAxis(attribute.name, Taxonomy(attribute.hierarchy))
