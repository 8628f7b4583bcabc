"""k-anonymity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Floats, Mask
from shoal.criteria.base import Criterion, check_unit, require_at_least, smallest
from shoal.data.classes import Classes
from shoal.data.unit import Unit
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every record looks like those of at least k − 1 others in its quasi-identifiers.

    |E| ≥ k for every class E; where a person may have several records, every class has records of k or more persons:
    (X, Y)-anonymity, X the quasi-identifiers and Y the person. It protects whoever is known by one record of theirs.

    Paper: Samarati & Sweeney 1998; Wang & Fung 2006.

    Attributes:
        k: The size of the smallest class.
        unit: What k are counted of: `record`, `person` or `household`.
    """

    name: ClassVar[str] = "k-anonymity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    k: int
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.k, 1, "k")

    @property
    def statement(self) -> str:
        """The promise."""
        if self.unit is Unit.RECORD:
            others = "1 other" if self.k == 2 else f"{self.k - 1} others"
            return f"{self.k}-anonymous: every record shares its quasi-identifiers with at least {others}"
        others = f"1 other {self.unit.value}" if self.k == 2 else f"{self.k - 1} other {self.unit.plural}"
        return (
            f"{self.k}-anonymous in {self.unit.plural}: every record shares its quasi-identifiers with records of at "
            f"least {others}"
        )

    check = check_unit
    """Whom it counts must be known."""

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """The size of each class."""
        return (classes.sizes if self.unit is Unit.RECORD else classes.people).astype(float)

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes of fewer than k."""
        return classes.sizes < self.k if self.unit is Unit.RECORD else classes.has_fewer(self.k)

    worst = smallest
    """The smallest class."""

    def implied(self) -> KAnonymity:
        """It survives growth."""
        return self


def counted_unit(criteria: Iterable[Criterion]) -> Unit | None:
    """What is counted if nothing is asked but classes of so many: records, or persons; None if there is more to it."""
    units = {criterion.unit if isinstance(criterion, KAnonymity) else None for criterion in criteria}
    return units.pop() if len(units) == 1 else None


def are_class_sizes(criteria: Iterable[Criterion]) -> bool:
    """Whether nothing is asked but classes of so many records: then counting records is enough."""
    return all(isinstance(criterion, KAnonymity) and criterion.unit is Unit.RECORD for criterion in criteria)
