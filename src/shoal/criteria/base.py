"""What a criterion is."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from shoal.arrays import Floats, Mask
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
from shoal.errors import ParameterError, SchemaError


@runtime_checkable
class Criterion(Protocol):
    """A condition on equivalence classes: a dataclass, whose fields are its parameters."""

    name: ClassVar[str]
    """How a release file and a certificate call it."""

    @property
    def statement(self) -> str:
        """What is promised when every class meets it, as a sentence of the certificate."""
        ...

    @property
    def is_relative(self) -> bool:
        """Whether a class is judged against the whole published table."""
        ...

    def check(self, table: EncodedTable) -> None:
        """Refuse a table the criterion has no meaning for."""
        ...

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """How each class stands, as a number on the criterion's own scale."""
        ...

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Which classes may not be published when the classes `published` are."""
        ...

    def worst(self, measured: Floats) -> float:
        """The number of the class that stands worst."""
        ...

    def implied(self) -> Criterion | None:
        """The strongest criterion that survives growth and follows from this one; itself if it does."""
        ...


def require_sensitive(table: EncodedTable, column: str, criterion: str) -> None:
    """A criterion about sensitive values needs a counted column that is not recoded."""
    if column not in {attribute.name for attribute in table.sensitive}:
        names = ", ".join(repr(attribute.name) for attribute in table.sensitive) or "none"
        raise SchemaError(
            f"{criterion} needs a sensitive column, and {column!r} is not one; sensitive columns: {names}. "
            f"Give it the role 'sensitive'."
        )


def require_unit(table: EncodedTable, unit: Unit, criterion: str) -> None:
    """A criterion that counts persons or households needs a table that tells them apart."""
    if unit not in (Unit.RECORD, table.unit):
        raise SchemaError(
            f"{criterion} is asked for in {unit.plural}, and the classes of this table are counted in "
            f"{table.unit.plural}; name the column that tells {unit.plural} apart in {unit.value}, or leave out unit."
        )


def require_at_least(value: float, least: float, name: str) -> None:
    """One sentence for a parameter below its least value."""
    if value < least:
        raise ParameterError(f"{name} must be {least:g} or more; got {value:g}.")
