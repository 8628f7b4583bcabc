"""Models that look at nothing but the sizes of the classes: discernibility, group size, two average class sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.errors import ParameterError
from shoal.quality.base import Change, dot


@dataclass(frozen=True, slots=True)
class Discernibility:
    """Prefer many small classes and few suppressed records.

    score = −( Σ_E |E|² / n + suppressed ), n counting suppressed records too; loss = (−score − 1) / (n − 1).

    Paper: SafePub §5.2, Eq. (7), Definition 5 and Theorem 7, after Bayardo & Agrawal 2005.
    """

    name: ClassVar[str] = "discernibility"

    def on(self, table: EncodedTable, smallest_class: int = 1) -> _Discernibility:
        """The model on one table."""
        return _Discernibility(table.total, smallest_class)

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """[−1, k] (SP-6)."""
        del attributes
        return Change(-1.0, float(k))


@dataclass(frozen=True, slots=True)
class _Discernibility:
    """A published record costs |E|/n, at least k/n and never less in a larger class; a suppressed one costs 1."""

    total: int
    smallest: int

    def score(self, classes: Classes, suppressed: Mask) -> float:
        kept = np.where(suppressed, 0, classes.sizes).astype(float)
        return -(dot(kept, kept) / max(self.total, 1) + self.total - float(kept.sum()))

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        return (-self.score(classes, suppressed) - 1) / max(self.total - 1, 1)

    def floor(self, classes: Classes) -> float:
        return (dot(self._costs(classes), classes.sizes) - 1) / max(self.total - 1, 1)

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        lost = np.where(suppressed, classes.sizes, 0)
        return dot(1 - self._costs(classes), lost) / max(self.total - 1, 1)

    def _costs(self, classes: Classes) -> Floats:
        return np.minimum(np.maximum(classes.sizes, self.smallest) / max(self.total, 1), 1.0)


@dataclass(frozen=True, slots=True)
class GroupSize:
    """Prefer many classes.

    score = number of published classes, not counting one that shows nothing; loss = 1 − score / (number of classes of
    the original table).

    Paper: SafePub §5.4, Definition 7, after LeFevre et al. 2006.
    """

    name: ClassVar[str] = "group-size"

    def on(self, table: EncodedTable, smallest_class: int = 1) -> _GroupSize:
        """The model on one table."""
        return _GroupSize(max(table.distinct, 1), smallest_class)

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """[0, 1]."""
        del k, attributes
        return Change(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class _GroupSize:
    """A published record is worth 1/|E| of a class, never more than 1/k and never more in a larger class."""

    distinct: int
    smallest: int

    def score(self, classes: Classes, suppressed: Mask) -> float:
        return float(np.count_nonzero(~suppressed & ~classes.hidden()))

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        return 1 - self.score(classes, suppressed) / self.distinct

    def floor(self, classes: Classes) -> float:
        return 1 - float(self._worth(classes).sum()) / self.distinct

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        return float(self._worth(classes)[suppressed].sum()) / self.distinct

    def _worth(self, classes: Classes) -> Floats:
        return np.where(classes.hidden(), 0.0, classes.sizes / np.maximum(classes.sizes, self.smallest))


@dataclass(frozen=True, slots=True)
class AverageClassSize:
    """Prefer small classes on average.

    score = −(published records / published classes). loss places the average between the original table's and n, and
    counts suppressed records as lost. Suppressing records can lower the average, so there is no finite sensitivity.
    With suppressed records as a class of their own, as ARX has it, it is `equivalence-class-size`.

    Paper: LeFevre et al. 2006, Eq. (2), without the division by k.
    """

    name: ClassVar[str] = "average-class-size"

    def on(self, table: EncodedTable, smallest_class: int = 1) -> _AverageClassSize:
        """The model on one table."""
        del smallest_class
        return _AverageClassSize(max(table.total, 1), max(table.distinct, 1))

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """It has no finite range."""
        del k, attributes
        raise ParameterError(
            "the average class size can change without bound when one record is added; choose group-size instead."
        )


@dataclass(frozen=True, slots=True)
class _AverageClassSize:
    total: int
    distinct: int

    def score(self, classes: Classes, suppressed: Mask) -> float:
        groups = int(np.count_nonzero(~suppressed))
        return -float(classes.sizes[~suppressed].sum()) / groups if groups else -float(self.total)

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        least = self.total / self.distinct
        published = float(classes.sizes[~suppressed].sum()) / self.total
        average = (-self.score(classes, suppressed) - least) / ((self.total - least) or 1.0)
        return 1 - published * (1 - max(average, 0.0))

    def floor(self, classes: Classes) -> float:
        del classes
        return 0.0

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        return float(classes.sizes[suppressed].sum()) / self.total


@dataclass(frozen=True, slots=True)
class EquivalenceClassSize:
    """Prefer many classes: their average size when all suppressed records are one class more.

    score = −n / (published classes + 1 if records are suppressed), n counting suppressed records too. loss places that
    between the original table's and n.

    −score is the loss that ARX reports as average equivalence class size; `average-class-size` counts what is
    published alone.

    Paper: LeFevre et al. 2006, Eq. (2), without the division by k; ARX's average equivalence class size.
    """

    name: ClassVar[str] = "equivalence-class-size"

    def on(self, table: EncodedTable, smallest_class: int = 1) -> _EquivalenceClassSize:
        """The model on one table."""
        return _EquivalenceClassSize(max(table.total, 1), max(table.distinct, 1), smallest_class)

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """It has no finite range."""
        del k, attributes
        raise ParameterError(
            "the size of equivalence classes can change without bound when one record is added; choose group-size "
            "instead."
        )


@dataclass(frozen=True, slots=True)
class _EquivalenceClassSize:
    """A coarser recoding has no more classes; those of at least `smallest` records are no more than records allow."""

    total: int
    distinct: int
    smallest: int

    def score(self, classes: Classes, suppressed: Mask) -> float:
        lost = self.total > int(classes.sizes[~suppressed].sum())
        return -self.total / max(int(np.count_nonzero(~suppressed)) + int(lost), 1)

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        return self._placed(-self.score(classes, suppressed))

    def floor(self, classes: Classes) -> float:
        most = float((classes.sizes / np.maximum(classes.sizes, self.smallest)).sum())
        return self._placed(self.total / max(min(most + 1, len(classes)), 1))

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        del classes, suppressed
        return 0.0

    def _placed(self, average: float) -> float:
        least = self.total / self.distinct
        return (average - least) / ((self.total - least) or 1.0)
