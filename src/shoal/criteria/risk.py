"""Risk as a request: how likely persons may be found on average, and how many of them may be in danger.

These are properties of a whole published table, and not of its classes: a class may be small if others are large. What
they leave out of a recoding, so that the rest passes, is said beside each; `docs/proofs/risk_criteria.md` has proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.criteria.base import require_unit
from shoal.criteria.k_anonymity import KAnonymity
from shoal.criteria.reference import SLACK
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
from shoal.errors import ParameterError
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class AverageRisk:
    """The average risk of being found by the quasi-identifiers: of n published records in G classes, G/n ≤ r.

    A record in a class of f is found with probability 1/f; the average of that over all records is G/n, one over the
    average size of a class. Left out are the smallest classes, one after the other, until the rest passes; no other
    set of classes has fewer records.

    Where persons have several records, f and n count them once in each class: the average is over persons and classes.

    Paper: El Emam 2013; ARX: average re-identification risk.

    Attributes:
        risk: r, above 0 and at most 1.
        unit: What is counted; a method fills in that of the table.
    """

    name: ClassVar[str] = "average-risk"
    is_relative: ClassVar[bool] = True
    """It is about all published classes together."""
    is_kept_upward: ClassVar[bool] = True
    """Whether a coarser recoding never has to leave out more records."""

    risk: float
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_share(self.risk, "risk")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"average risk of at most {self.risk:g}: whoever looks for a published {self.unit.value} by all its "
            "quasi-identifiers is right with at most this probability on average"
        )

    def check(self, table: EncodedTable) -> None:
        """Whom it counts must be known."""
        require_unit(table, self.unit, self.name)

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The average risk, for each class the same."""
        sizes = sizes_in(classes, self.unit)[published]
        return np.full(len(classes), len(sizes) / max(int(sizes.sum()), 1))

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """The smallest published classes, as many as must be left out."""
        sizes = sizes_in(classes, self.unit)
        order = smallest_first(sizes, published)
        left = int(sizes[order].sum()) - np.concatenate([[0], np.cumsum(sizes[order])])
        passes = np.arange(len(order), -1, -1) <= self.risk * left * (1 + SLACK)
        return chosen(len(classes), order[: int(np.argmax(passes))])

    def worst(self, measured: Floats) -> float:
        """It is the same for all classes."""
        return float(measured.max())

    def implied(self) -> None:
        """Nothing that survives growth follows from it for a class."""
        return

    def for_each_class(self) -> KAnonymity:
        """What is enough if it holds for each class: that its own risk is at most r."""
        return KAnonymity(ceil(1 / self.risk - SLACK), self.unit)


@dataclass(frozen=True, slots=True)
class RecordsAtRisk:
    """At most a share u of the published records have a higher risk than a threshold: 1/f > t.

    Left out are classes in danger, so that those that stay fit into the share, the largest first: what another set of
    classes could keep beyond that is less than the smallest class that is left out.

    Paper: El Emam 2013; ARX: records at risk.

    Attributes:
        threshold: t: a record of a class of fewer than 1/t is at risk.
        share: u, at least 0 and below 1.
        unit: What is counted; a method fills in that of the table.
    """

    name: ClassVar[str] = "records-at-risk"
    is_relative: ClassVar[bool] = True
    """It is about all published classes together."""
    is_kept_upward: ClassVar[bool] = False
    """Whether a coarser recoding never has to leave out more records."""

    threshold: float
    share: float
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_share(self.threshold, "threshold")
        require_part(self.share)

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"at most the share {self.share:g} of published {self.unit.plural} has a risk above {self.threshold:g} of "
            f"being found, in classes of fewer than {self._least}"
        )

    @property
    def _least(self) -> int:
        """The size of the smallest class that is not in danger."""
        return ceil(1 / self.threshold - SLACK)

    def check(self, table: EncodedTable) -> None:
        """Whom it counts must be known."""
        require_unit(table, self.unit, self.name)

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The share that is at risk, for each class the same."""
        sizes = sizes_in(classes, self.unit)[published]
        return np.full(len(classes), int(sizes[sizes < self._least].sum()) / max(int(sizes.sum()), 1))

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Published classes in danger that do not fit into the share."""
        return beyond_share(sizes_in(classes, self.unit), self._least, self.share, published)

    def worst(self, measured: Floats) -> float:
        """It is the same for all classes."""
        return float(measured.max())

    def implied(self) -> KAnonymity | None:
        """If nobody may be at risk, classes of 1/t; else nothing that survives growth follows for a class."""
        return KAnonymity(self._least, self.unit) if self.share == 0 else None

    def for_each_class(self) -> KAnonymity:
        """What is enough if it holds for each class: that it is not in danger."""
        return KAnonymity(self._least, self.unit)


@dataclass(frozen=True, slots=True)
class SampleUniqueness:
    """At most a share u of the published records are alone in their class.

    Of those that are alone as many are left out as do not fit into the share: no other set has fewer records.

    Paper: Skinner & Elliot 2002; ARX: sample uniqueness.

    Attributes:
        share: u, at least 0 and below 1.
        unit: What is counted; a method fills in that of the table.
    """

    name: ClassVar[str] = "sample-uniqueness"
    is_relative: ClassVar[bool] = True
    """It is about all published classes together."""
    is_kept_upward: ClassVar[bool] = True
    """Whether a coarser recoding never has to leave out more records."""

    share: float
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_part(self.share)

    @property
    def statement(self) -> str:
        """The promise."""
        return f"at most the share {self.share:g} of published {self.unit.plural} is alone with its quasi-identifiers"

    def check(self, table: EncodedTable) -> None:
        """Whom it counts must be known."""
        require_unit(table, self.unit, self.name)

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The share that is alone, for each class the same."""
        sizes = sizes_in(classes, self.unit)[published]
        return np.full(len(classes), int((sizes == 1).sum()) / max(int(sizes.sum()), 1))

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Published classes of one that do not fit into the share."""
        return beyond_share(sizes_in(classes, self.unit), 2, self.share, published)

    def worst(self, measured: Floats) -> float:
        """It is the same for all classes."""
        return float(measured.max())

    def implied(self) -> KAnonymity | None:
        """If nobody may be alone, classes of two; else nothing that survives growth follows for a class."""
        return KAnonymity(2, self.unit) if self.share == 0 else None

    def for_each_class(self) -> KAnonymity:
        """What is enough if it holds for each class: that nobody is alone in it."""
        return KAnonymity(2, self.unit)


def sizes_in(classes: Classes, unit: Unit) -> Sizes:
    """How many records or persons each class has."""
    return classes.sizes if unit is Unit.RECORD else classes.people


def smallest_first(sizes: Sizes, published: Mask) -> Sizes:
    """The published classes by their size."""
    here = np.flatnonzero(published)
    return here[np.argsort(sizes[here], kind="stable")]


def chosen(classes: int, which: Sizes) -> Mask:
    """Some of so many classes."""
    mask = np.zeros(classes, dtype=np.bool_)
    mask[which] = True
    return mask


def beyond_share(sizes: Sizes, least: int, share: float, published: Mask) -> Mask:
    """Which published classes below a size do not fit into a share of all that stays, the largest being kept first.

    If x records of such classes stay beside y others, x ≤ u (x + y): x ≤ y u/(1 − u).
    """
    order = smallest_first(sizes, published)[::-1]
    small = order[sizes[order] < least]
    room = floor(int(sizes[order].sum() - sizes[small].sum()) * share / (1 - share) * (1 + SLACK))
    out, at = [], 0
    for size, count in zip(*(part[::-1] for part in np.unique(sizes[small], return_counts=True)), strict=True):
        stay = min(int(count), room // int(size))
        room -= stay * int(size)
        out.append(small[at + stay : at + int(count)])
        at += int(count)
    return chosen(len(sizes), np.concatenate([small[:0], *out]))


def require_share(value: float, name: str) -> None:
    """Refuse what is no probability above 0."""
    if not 0 < value <= 1:
        raise ParameterError(f"{name} is a probability above 0 and at most 1; got {value:g}.")


def require_part(share: float) -> None:
    """Refuse what is no share below all."""
    if not 0 <= share < 1:
        raise ParameterError(f"share is 0 or more and below 1; got {share:g}.")
