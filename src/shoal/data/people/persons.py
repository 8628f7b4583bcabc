"""Whom a record is about: what the owner says of it, and what a table says against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.data.schema import Role, Schema
from shoal.data.unit import Unit
from shoal.errors import DataError, SchemaError

ONE_RECORD_EACH = "one record for each person"
"""What every guarantee takes for granted."""

_NEARLY_ALL = 0.9
_FEWEST_RECORDS = 20
"""That values are different says nothing about a column with fewer than this."""


@dataclass(frozen=True, slots=True)
class DistinctCount:
    """How many values of a column are there, how many different ones, and how many of these stand in several records.

    Missing values are left out.
    """

    present: int
    distinct: int
    repeated: int
    most: int = 1
    """In how many records the value stands that stands in most."""

    @property
    def is_nearly_unique(self) -> bool:
        """Whether most records can be found by their value: over 90% of 20 values and more are different."""
        return self.present >= _FEWEST_RECORDS and self.distinct > _NEARLY_ALL * self.present


def require_person(schema: Schema, method: str) -> None:
    """Refuse to spend a budget for a table of which nobody said what a person is; looking would not be private."""
    if schema.person is None and schema.unit is Unit.RECORD:
        raise SchemaError(
            f'{method} protects persons, and nothing says what a person is; write person = "row" in [data] '
            '(Schema.with_person("row") in Python) if each record is another person, or person = "..." with the name '
            "of the column that tells persons apart."
        )


def watched_columns(schema: Schema) -> tuple[str, ...]:
    """The columns whose values may say that a person has several records, or that a record points at a person."""
    return tuple(
        column.name
        for column in schema
        if column.role in (Role.IDENTIFIER, Role.KEYED) or (column.role is Role.INSENSITIVE and not column.unlinkable)
    )


def refuse_refuted(schema: Schema, seen: Mapping[str, DistinctCount], *, one_record_each: bool) -> tuple[str, ...]:
    """Refuse a table in which identifiers repeat, or insensitive columns identify; for methods that may look.

    Returns:
        The identifiers that repeat, if the owner overrules that with `one_record_each`.
    """
    for name in schema.names(Role.INSENSITIVE):
        if name in seen and seen[name].is_nearly_unique:
            raise DataError(
                f"column {name!r} is declared insensitive, and {seen[name].distinct:,} of its {seen[name].present:,} "
                "values are different, so that it would be published as it is and points at single persons; make it a "
                "quasi-identifier, leave it out as an identifier, or write unlinkable = true beside its role if nobody "
                "outside can know whose values they are."
            )
    for name in schema.names(Role.KEYED):
        if name in seen and seen[name].repeated:
            raise DataError(
                f"column {name!r} is to be published as a pseudonym, and {seen[name].repeated:,} of its values stand "
                "in more than one record, which it would link; leave out its pseudonym, or, if it tells persons apart, "
                f"write person = {name!r} and pseudonym = true in [data], so that k is counted of whole persons."
            )
    if schema.unit is not Unit.RECORD:  # whoever has several records repeats their identifiers
        return ()
    repeating = tuple(name for name in schema.names(Role.IDENTIFIER) if name in seen and seen[name].repeated)
    if repeating and not one_record_each:
        name, times = repeating[0], seen[repeating[0]].repeated
        counted = "1 of its values stands" if times == 1 else f"{times:,} of its values stand"
        raise DataError(
            f"column {name!r} is an identifier, and {counted} in more than one record, so that some persons may have "
            f"several records and a group of k records be fewer than k people; write person = {name!r} in [data] if it "
            "tells persons apart, so that persons are counted, give the column the role 'dropped' if it names nobody, "
            "or say --one-record-each (one_record_each=True in Python) if different persons share its values."
        )
    return repeating
