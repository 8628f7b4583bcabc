"""ℓ-diversity, in four readings: how many, and how evenly, sensitive values stand in a class.

Where a person may have several records, `unit` says that persons are counted. *Frequency* is a confidence: so many of
the persons of a class have the value, and a person counts once for each value of theirs; shares may then add up to more
than 1, and do not survive merging. *Entropy* and *recursive* are about a distribution: each person is spread evenly
over all their records, so that nobody counts for more than another. *Distinct* asks for ℓ values of ℓ persons.

Paper: Machanavajjhala et al. 2007 (distinct, entropy, recursive); frequency 1/ℓ with real ℓ: Wong et al. 2006,
NSVDist §3; persons: (X, Y)-linkability of Wang & Fung 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import ClassVar, Protocol

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.criteria.base import (
    Counting,
    largest,
    require_at_least,
    require_sensitive,
    require_unit,
    smallest,
    spread_words,
)
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
from shoal.parameters import read_parameters


class _AboutValues(Counting, Protocol):
    """A criterion about the values of a sensitive column."""

    @property
    def column(self) -> str:
        """The sensitive column."""
        ...


def _check(criterion: _AboutValues, table: EncodedTable) -> None:
    require_sensitive(table, criterion.column, "ℓ-diversity")
    require_unit(table, criterion.unit, criterion.name)


@dataclass(frozen=True, slots=True)
class DistinctDiversity:
    """Every class has at least ℓ different sensitive values; in persons, ℓ different ones of ℓ different persons.

    Attributes:
        diversity: ℓ.
        column: The sensitive column.
        unit: What is counted: `record`, `person` or `household`.
    """

    name: ClassVar[str] = "distinct-diversity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    diversity: int
    column: str
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.diversity, 1, "diversity")

    @property
    def statement(self) -> str:
        """The promise."""
        whose = "" if self.unit is Unit.RECORD else f", of as many different {self.unit.plural}"
        return (
            f"{self.diversity} or more different values of {self.column!r} in every class{whose} (distinct ℓ-diversity)"
        )

    check = _check
    """The column must be sensitive."""

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """Different values in each class; in persons, a largest matching of them with persons who have them."""
        if self.unit is not Unit.RECORD:
            return classes.values_apart(self.column).astype(float)
        return classes.different(self.column).astype(float)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes with fewer than ℓ values."""
        return self.measure(classes, published) < self.diversity

    worst = smallest
    """The fewest."""

    def implied(self) -> DistinctDiversity:
        """It survives growth."""
        return self


@dataclass(frozen=True, slots=True)
class EntropyDiversity:
    """The sensitive values of every class are as uncertain as ℓ equally likely ones: exp(H(class)) ≥ ℓ.

    Attributes:
        diversity: ℓ.
        column: The sensitive column.
        unit: What is counted: `record`, `person` or `household`.
    """

    name: ClassVar[str] = "entropy-diversity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    diversity: float
    column: str
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.diversity, 1, "diversity")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"entropy of {self.column!r} at least log {self.diversity:g} in every class (entropy ℓ-diversity)"
            f"{spread_words(self.unit)}"
        )

    check = _check
    """The column must be sensitive."""

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """The exponential of each class's entropy."""
        return np.exp(_entropy(classes.histogram(self.column, self.unit)))

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes below; equality in exact arithmetic counts as met, hence the slack of a few roundings."""
        return _entropy(classes.histogram(self.column, self.unit)) < log(self.diversity) - 1e-12

    worst = smallest
    """The least diverse class."""

    def implied(self) -> DistinctDiversity:
        """Entropy log ℓ needs at least ⌈ℓ⌉ values."""
        return DistinctDiversity(_at_least(self.diversity), self.column)


@dataclass(frozen=True, slots=True)
class RecursiveDiversity:
    """The most frequent value of every class is not too frequent: r₁ < c (r_ℓ + … + r_m), counts in falling order.

    Attributes:
        c: It stays below so many times the frequency of all values from the ℓ-th on together.
        diversity: ℓ.
        column: The sensitive column.
        unit: What is counted: `record`, `person` or `household`.
    """

    name: ClassVar[str] = "recursive-diversity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    c: float
    diversity: int
    column: str
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.diversity, 1, "diversity")
        require_at_least(self.c, 0.0, "c")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"recursive ({self.c:g}, {self.diversity})-diversity of {self.column!r} in every class"
            f"{spread_words(self.unit)}"
        )

    check = _check
    """The column must be sensitive."""

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """r₁ / (r_ℓ + … + r_m) of each class; infinite where the sum is empty."""
        most, rest = self._ranks(classes)
        with np.errstate(divide="ignore"):
            return np.where(rest > 0, most / np.maximum(rest, 1), np.inf)

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes in which the most frequent value is too frequent."""
        most, rest = self._ranks(classes)
        return ~(most < self.c * rest)

    worst = largest
    """The largest ratio."""

    def implied(self) -> DistinctDiversity:
        """r_ℓ + … + r_m > 0 needs ℓ values."""
        return DistinctDiversity(self.diversity, self.column)

    def _ranks(self, classes: Classes) -> tuple[Sizes, Sizes]:
        falling = -np.sort(-classes.histogram(self.column, self.unit), axis=1)
        return falling[:, 0], falling[:, self.diversity - 1 :].sum(axis=1)


@dataclass(frozen=True, slots=True)
class FrequencyDiversity:
    """No sensitive value has more than the share 1/ℓ of any class; ℓ may be any real number from 1 up.

    In persons: no more than 1/ℓ of the persons of any class have the value in it.

    Attributes:
        diversity: ℓ.
        column: The sensitive column.
        unit: What is counted: `record`, `person` or `household`.
    """

    name: ClassVar[str] = "frequency-diversity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    diversity: float
    column: str
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.diversity, 1, "diversity")

    @property
    def statement(self) -> str:
        """The promise."""
        what = f"no value of {self.column!r} has more than 1/{self.diversity:g} of any class"
        if self.unit is not Unit.RECORD:
            what = f"no more than 1/{self.diversity:g} of the {self.unit.plural} of any class have one value of "
            what += f"{self.column!r} in it"
        return f"{what} ({self.diversity:g}-diverse by frequency)"

    @property
    def survives_merging(self) -> bool:
        """Not in persons: of {1s, 2t} and {3s, 2t} each has s in one of two, together in two of three."""
        return self.unit is Unit.RECORD

    check = _check
    """The column must be sensitive."""

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """|E| divided by the count of the most frequent value."""
        most, sizes = self._counted(classes)
        return np.asarray(sizes / most)

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes in which one value is too frequent."""
        most, sizes = self._counted(classes)
        return np.asarray(most * self.diversity > sizes * (1 + 1e-12))

    def _counted(self, classes: Classes) -> tuple[Sizes, Sizes]:
        """How many have the most frequent value of each class, and how many there are."""
        if self.unit is Unit.RECORD:
            return classes.most(self.column), classes.sizes
        return classes.holders(self.column).max(axis=1), classes.people

    worst = smallest
    """The least diverse class."""

    def implied(self) -> DistinctDiversity:
        """Shares of at most 1/ℓ need at least ⌈ℓ⌉ values."""
        return DistinctDiversity(_at_least(self.diversity), self.column)


def _at_least(diversity: float) -> int:
    """⌈ℓ⌉, but not for an ℓ that is above a whole number by no more than rounding: such a class passes."""
    return ceil(diversity - 1e-9)


def _entropy(histogram: Sizes) -> Floats:
    shares = histogram / histogram.sum(axis=1, keepdims=True)
    terms = np.where(shares > 0, shares * np.log(np.where(shares > 0, shares, 1.0)), 0.0)
    return -np.asarray(terms.sum(axis=1))
