"""Models that look at nothing but the sizes of the classes: discernibility, group size, average class size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Attribute
from shoal.errors import ParameterError
from shoal.quality.base import Change


@dataclass(frozen=True, slots=True)
class Discernibility:
    """Prefer many small classes and few suppressed records.

    score = −( Σ_E |E|² / n + suppressed ), n counting suppressed records too; loss = (−score − 1) / (n − 1).

    A record costs |E|/n, or 1 when it is suppressed: never less in a larger class, which gives the bounds.

    Paper: SafePub §5.2, Eq. (7), Definition 5 and Theorem 7, after Bayardo & Agrawal 2005.
    """

    def check(self, table: EncodedTable) -> None:
        """It has a meaning for every table."""

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """As in the paper."""
        return -(self._squares(classes, ~suppressed) + float(classes.sizes[suppressed].sum()))

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """Between 0 and 1."""
        return self.floor(classes) + self.surcharge(classes, suppressed)

    def level_floors(self, table: EncodedTable) -> None:  # noqa: ARG002
        """Class sizes are not known from one-way counts."""
        return

    def floor(self, classes: Classes) -> float:
        """Every class as it is: merging classes only adds."""
        return (self._squares(classes, slice(None)) - 1) / max(classes.total - 1, 1)

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        """1 − |E|/n for each suppressed record."""
        lost = float(classes.sizes[suppressed].sum())
        return (lost - self._squares(classes, suppressed)) / max(classes.total - 1, 1)

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:  # noqa: ARG002
        """[−1, k], and [−1, 1] for k = 1 (SP-6)."""
        return Change(-1.0, float(k))

    @staticmethod
    def _squares(classes: Classes, which: Mask | slice) -> float:
        sizes = classes.sizes[which].astype(float)
        return float(sizes @ sizes) / max(classes.total, 1)


@dataclass(frozen=True, slots=True)
class GroupSize:
    """Prefer many classes.

    score = number of published classes; loss = 1 − score / (number of classes of the original table).

    Paper: SafePub §5.4, Definition 7, after LeFevre et al. 2006.
    """

    def check(self, table: EncodedTable) -> None:
        """It has a meaning for every table."""

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """Published classes."""
        return float(np.count_nonzero(~suppressed))

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """Between 0 and 1."""
        return 1 - self.score(classes, suppressed) / max(classes.table.distinct, 1)

    def level_floors(self, table: EncodedTable) -> None:  # noqa: ARG002
        """Classes are not known from one-way counts."""
        return

    def floor(self, classes: Classes) -> float:
        """Merging never makes more classes."""
        return 1 - len(classes) / max(classes.table.distinct, 1)

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        """A suppressed class is, in every finer recoding, at least one suppressed class."""
        return float(np.count_nonzero(suppressed)) / max(classes.table.distinct, 1)

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:  # noqa: ARG002
        """[0, 1]."""
        return Change(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class AverageClassSize:
    """Prefer small classes on average.

    score = −(published records / published classes); loss places the average between the original table's and n.

    Suppressing records can lower the average, so there is no bound for a search and no finite sensitivity.

    Paper: LeFevre et al. 2006, Eq. (2), without the division by k.
    """

    def check(self, table: EncodedTable) -> None:
        """It has a meaning for every table."""

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """The negated average; −n when nothing is published."""
        groups = int(np.count_nonzero(~suppressed))
        return -float(classes.sizes[~suppressed].sum()) / groups if groups else -float(classes.total)

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """Between 0 and 1, suppressed records counting as lost."""
        total = classes.total
        least = total / max(classes.table.distinct, 1)
        published = float(classes.sizes[~suppressed].sum()) / max(total, 1)
        average = (-self.score(classes, suppressed) - least) / max(total - least, 1e-300)
        return 1 - published * (1 - max(average, 0.0))

    def level_floors(self, table: EncodedTable) -> tuple[Floats, ...]:
        """No bound: zero at every level."""
        return tuple(np.zeros(a.hierarchy.height + 1) for a in table.quasi_identifiers)

    def floor(self, classes: Classes) -> float:  # noqa: ARG002
        """No bound."""
        return 0.0

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        """Suppressed records are lost in every finer recoding too."""
        return float(classes.sizes[suppressed].sum()) / max(classes.total, 1)

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """It has no finite range."""
        raise ParameterError(
            "the average class size can change without bound when one record is added; choose group-size instead."
        )
