"""k-anonymity of persons whose published records are linked by a pseudonym."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Floats, Mask
from shoal.criteria.base import require_at_least, require_unit, smallest
from shoal.criteria.k_anonymity import KAnonymity
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.people.sequences import fewest_alike
from shoal.data.unit import Unit
from shoal.errors import SchemaError
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class SequenceAnonymity:
    """Every person has the same records as at least k − 1 others in their quasi-identifiers, each equally often.

    What `pseudonym = true` in `[data]` asks for in place of k-anonymity: records of a person are linked, so that a
    class is a set of persons with equal multisets of generalized records. It protects whoever is known by all records.

    Attributes:
        k: How many persons share a sequence of records at least.
        unit: What k are counted of: `person`.
    """

    name: ClassVar[str] = "sequence-anonymity"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""
    by_pseudonyms: ClassVar[bool] = True
    """Whose records are whose is published, so that anybody can count persons."""

    k: int
    unit: Unit = Unit.PERSON

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.k, 1, "k")

    @property
    def statement(self) -> str:
        """The promise."""
        one, many = self.unit.value, self.unit.plural
        return (
            f"{self.k}-anonymous in {many}, known by all their records: every {one} shares their whole sequence of "
            f"quasi-identifiers with at least {self.k - 1} other{'' if self.k == 2 else 's'}"
        )

    def check(self, table: EncodedTable) -> None:
        """Records must be linked."""
        if not table.is_linked:
            raise SchemaError(
                f"{self.name} is about records that a pseudonym links, and none does; write pseudonym = true in "
                "[data], which asks for it, and leave out the criterion."
            )
        require_unit(table, self.unit, self.name)

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """For each class of records, how many persons share the rarest sequence that goes through it."""
        assert classes.table.persons is not None
        return fewest_alike(classes.table.persons, classes.labels, len(classes)).astype(float)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes with a record of somebody whose sequence fewer than k share."""
        return self.measure(classes, published) < self.k

    worst = smallest
    """The rarest sequence."""

    def implied(self) -> KAnonymity:
        """Who share a sequence share each of its classes."""
        return KAnonymity(self.k, self.unit)
