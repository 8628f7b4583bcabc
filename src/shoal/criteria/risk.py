"""Risk as a request: how likely persons may be found on average, and how many of them may be in danger.

These are properties of a whole published table, and not of its classes: a class may be small if others are large. What
they leave out of a recoding, so that the rest passes, is said beside each; `docs/proofs/risk_criteria.md` has proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.criteria.base import check_unit, largest
from shoal.criteria.k_anonymity import KAnonymity
from shoal.criteria.reference import SLACK
from shoal.criteria.whole_table import (
    beyond_share,
    chosen,
    require_part,
    require_share,
    share_of_all,
    sizes_in,
    smallest_first,
)
from shoal.data.classes import Classes
from shoal.data.unit import Unit
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

    check = check_unit
    """Whom it counts must be known."""

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The average risk, for each class the same."""
        sizes = sizes_in(classes, self.unit)[published]
        return share_of_all(classes, len(sizes), sizes)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """The smallest published classes, as many as must be left out."""
        sizes = sizes_in(classes, self.unit)
        order = smallest_first(sizes, published)
        left = int(sizes[order].sum()) - np.concatenate([[0], np.cumsum(sizes[order])])
        passes = np.arange(len(order), -1, -1) <= self.risk * left * (1 + SLACK)
        return chosen(len(classes), order[: int(np.argmax(passes))])

    worst = largest
    """It is the same for all classes."""

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

    check = check_unit
    """Whom it counts must be known."""

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The share that is at risk, for each class the same."""
        sizes = sizes_in(classes, self.unit)[published]
        return share_of_all(classes, int(sizes[sizes < self._least].sum()), sizes)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Published classes in danger that do not fit into the share."""
        return beyond_share(sizes_in(classes, self.unit), self._least, self.share, published)

    worst = largest
    """It is the same for all classes."""

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

    check = check_unit
    """Whom it counts must be known."""

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The share that is alone, for each class the same."""
        sizes = sizes_in(classes, self.unit)[published]
        return share_of_all(classes, int((sizes == 1).sum()), sizes)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Published classes of one that do not fit into the share."""
        return beyond_share(sizes_in(classes, self.unit), 2, self.share, published)

    worst = largest
    """It is the same for all classes."""

    def implied(self) -> KAnonymity | None:
        """If nobody may be alone, classes of two; else nothing that survives growth follows for a class."""
        return KAnonymity(2, self.unit) if self.share == 0 else None

    def for_each_class(self) -> KAnonymity:
        """What is enough if it holds for each class: that nobody is alone in it."""
        return KAnonymity(2, self.unit)
