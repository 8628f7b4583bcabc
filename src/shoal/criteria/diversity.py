"""ℓ-diversity, in four readings: how many, and how evenly, sensitive values stand in a class.

Paper: Machanavajjhala et al. 2007 (distinct, entropy, recursive); frequency 1/ℓ with real ℓ: Wong et al. 2006,
NSVDist §3.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.criteria.base import require_at_least, require_sensitive
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class DistinctDiversity:
    """Every class has at least ℓ different sensitive values.

    Attributes:
        diversity: ℓ.
        column: The sensitive column.
    """

    name: ClassVar[str] = "distinct-diversity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    diversity: int
    column: str

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.diversity, 1, "diversity")

    @property
    def statement(self) -> str:
        """The promise."""
        return f"{self.diversity} or more different values of {self.column!r} in every class (distinct ℓ-diversity)"

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "ℓ-diversity")

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """Different values in each class."""
        return np.asarray(np.count_nonzero(classes.histogram(self.column), axis=1), dtype=float)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes with fewer than ℓ values."""
        return self.measure(classes, published) < self.diversity

    def worst(self, measured: Floats) -> float:
        """The fewest."""
        return float(measured.min())

    def implied(self) -> DistinctDiversity:
        """It survives growth."""
        return self


@dataclass(frozen=True, slots=True)
class EntropyDiversity:
    """The sensitive values of every class are as uncertain as ℓ equally likely ones: exp(H(class)) ≥ ℓ.

    Attributes:
        diversity: ℓ.
        column: The sensitive column.
    """

    name: ClassVar[str] = "entropy-diversity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    diversity: float
    column: str

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.diversity, 1, "diversity")

    @property
    def statement(self) -> str:
        """The promise."""
        return f"entropy of {self.column!r} at least log {self.diversity:g} in every class (entropy ℓ-diversity)"

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "ℓ-diversity")

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """The exponential of each class's entropy."""
        return np.exp(_entropy(classes.histogram(self.column), classes.sizes))

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes below; equality in exact arithmetic counts as met, hence the slack of a few roundings."""
        return _entropy(classes.histogram(self.column), classes.sizes) < log(self.diversity) - 1e-12

    def worst(self, measured: Floats) -> float:
        """The least diverse class."""
        return float(measured.min())

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
    """

    name: ClassVar[str] = "recursive-diversity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    c: float
    diversity: int
    column: str

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.diversity, 1, "diversity")
        require_at_least(self.c, 0.0, "c")

    @property
    def statement(self) -> str:
        """The promise."""
        return f"recursive ({self.c:g}, {self.diversity})-diversity of {self.column!r} in every class"

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "ℓ-diversity")

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """r₁ / (r_ℓ + … + r_m) of each class; infinite where the sum is empty."""
        most, rest = self._ranks(classes)
        with np.errstate(divide="ignore"):
            return np.where(rest > 0, most / np.maximum(rest, 1), np.inf)

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes in which the most frequent value is too frequent."""
        most, rest = self._ranks(classes)
        return ~(most < self.c * rest)

    def worst(self, measured: Floats) -> float:
        """The largest ratio."""
        return float(measured.max())

    def implied(self) -> DistinctDiversity:
        """r_ℓ + … + r_m > 0 needs ℓ values."""
        return DistinctDiversity(self.diversity, self.column)

    def _ranks(self, classes: Classes) -> tuple[Sizes, Sizes]:
        falling = -np.sort(-classes.histogram(self.column), axis=1)
        return falling[:, 0], falling[:, self.diversity - 1 :].sum(axis=1)


@dataclass(frozen=True, slots=True)
class FrequencyDiversity:
    """No sensitive value has more than the share 1/ℓ of any class; ℓ may be any real number from 1 up.

    Attributes:
        diversity: ℓ.
        column: The sensitive column.
    """

    name: ClassVar[str] = "frequency-diversity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    diversity: float
    column: str

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.diversity, 1, "diversity")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"no value of {self.column!r} has more than 1/{self.diversity:g} of any class "
            f"({self.diversity:g}-diverse by frequency)"
        )

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "ℓ-diversity")

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """|E| divided by the count of the most frequent value."""
        return np.asarray(classes.sizes / classes.histogram(self.column).max(axis=1))

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes in which one value is too frequent."""
        most = classes.histogram(self.column).max(axis=1)
        return np.asarray(most * self.diversity > classes.sizes * (1 + 1e-12))

    def worst(self, measured: Floats) -> float:
        """The least diverse class."""
        return float(measured.min())

    def implied(self) -> DistinctDiversity:
        """Shares of at most 1/ℓ need at least ⌈ℓ⌉ values."""
        return DistinctDiversity(_at_least(self.diversity), self.column)


def _at_least(diversity: float) -> int:
    """⌈ℓ⌉, but not for an ℓ that is above a whole number by no more than rounding: such a class passes."""
    return ceil(diversity - 1e-9)


def _entropy(histogram: Sizes, sizes: Sizes) -> Floats:
    shares = histogram / sizes[:, None]
    terms = np.where(shares > 0, shares * np.log(np.where(shares > 0, shares, 1.0)), 0.0)
    return -np.asarray(terms.sum(axis=1))
