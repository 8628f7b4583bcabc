"""What a criterion is."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
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


class Counting(Protocol):
    """A criterion that says whom it counts."""

    name: ClassVar[str]

    @property
    def unit(self) -> Unit:
        """Whom it counts."""
        ...


def check_unit(criterion: Counting, table: EncodedTable) -> None:
    """The `check` of criteria for which every table will do in which those whom they count are known."""
    require_unit(table, criterion.unit, criterion.name)


def smallest(criterion: object, measured: Floats) -> float:
    """The `worst` of criteria for which the class stands worst that has the smallest number."""
    del criterion
    return float(measured.min())


def largest(criterion: object, measured: Floats) -> float:
    """The `worst` of criteria for which the class stands worst that has the largest number."""
    del criterion
    return float(measured.max())


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


def survives_merging(criterion: Criterion) -> bool:
    """Whether a class joined from two admissible ones is admissible, when nothing else changes; most criteria do.

    One that does not says so by a `survives_merging` of its own: shares of persons who count once for each value.
    """
    survives: bool = getattr(criterion, "survives_merging", True)
    return survives


def unit_of(criterion: Criterion) -> Unit:
    """Whom a criterion counts."""
    unit: Unit = getattr(criterion, "unit", Unit.RECORD)
    return unit


def counted_in(criterion: Criterion, unit: Unit) -> Criterion:
    """A criterion about records as one about persons, where guarantees are about them; as it is, if it knows none."""
    if unit_of(criterion) is unit or not is_dataclass(criterion):
        return criterion
    if unit_of(criterion) is not Unit.RECORD or "unit" not in {field.name for field in fields(criterion)}:
        return criterion
    return replace(criterion, unit=unit)


def in_records(criterion: Criterion) -> Criterion:
    """The same criterion, counted in records: where everybody has one, that comes to the same."""
    if unit_of(criterion) is Unit.RECORD or not is_dataclass(criterion):
        return criterion
    return replace(criterion, unit=Unit.RECORD)


def for_each_class(criterion: Criterion) -> Criterion:
    """A criterion that is enough if every class meets it, for methods that judge classes while they make them."""
    enough = getattr(criterion, "for_each_class", None)
    return criterion if enough is None else enough()


def spread_words(unit: Unit) -> str:
    """What a promise adds that shares of persons, and not of records, are meant."""
    return "" if unit is Unit.RECORD else f", each {unit.value} spread evenly over their records"


def require_at_least(value: float, least: float, name: str) -> None:
    """One sentence for a parameter below its least value."""
    if value < least:
        raise ParameterError(f"{name} must be {least:g} or more; got {value:g}.")
