"""What is asked of a schema before a row is read, and of a method: what a person is, what may be looked at.

Of every private method: all that is published takes part, in domains that are declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.data.hierarchies.marks import Mark
from shoal.data.people.persons import require_person
from shoal.data.schema import Column, Role, Schema
from shoal.data.unit import Unit
from shoal.errors import ParameterError, SchemaError, agreeing, listed, nearest
from shoal.methods.base import Method


def is_paid(method: Method) -> bool:
    """Whether a release of the method is paid for from a budget: then what the process shows is part of the release."""
    return method.cost is not None


def may_look(method: Method) -> bool:
    """Whether a run may refuse by what identifiers and insensitive columns hold.

    Not if one record more or less could then be told. A method that protects some columns only may look at others,
    which neighbors have in common.
    """
    return method.covers != "all" or not is_paid(method)


def refuse_vain_overruling(method: Method, *, one_record_each: bool) -> None:
    """Nothing is to be overruled where nothing may be looked at."""
    if not may_look(method) and one_record_each:
        raise ParameterError(
            f"--one-record-each (one_record_each in Python) overrules what a run finds in the table, and {method.name} "
            'may not look: write person = "row" in [data] instead (Schema.with_person("row")).'
        )


def require_quasi_identifiers(schema: Schema) -> None:
    """Refuse a schema in which nobody can be known by anything."""
    if not schema.names(Role.QUASI_IDENTIFIER):
        raise SchemaError(
            "no column is a quasi-identifier, so there is nothing to protect; give this role to the columns that "
            "others may know about a person, such as age or zip code."
        )


def require_floor(floor: Mapping[str, int], generalized: Sequence[str], target: str | None) -> None:
    """Refuse a floor of a column that is not generalized; `target` is the class of a classification, if there is one.

    How many levels a hierarchy has is checked where it is settled (`Attribute.counted_at`).
    """
    unknown = [name for name in floor if name not in generalized]
    if unknown:
        raise SchemaError(
            f"floor gives a level for {listed(unknown)}, which is not generalized; those that are: "
            f"{listed(generalized, 12)}.{nearest(unknown[0], list(generalized))}"
        )
    if target in floor:
        raise SchemaError(f"floor generalizes {target!r}, the target of the classification; leave it out.")


def require_persons(schema: Schema, method: Method) -> None:
    """What a person is must have been said before a budget is spent, for it cannot be found out privately.

    Where a person may have several records, a method must know how to count persons, or be given one record of each.
    """
    is_private = is_paid(method)
    if schema.pseudonym:
        _require_links(schema, method)
    if keyed := [column.name for column in schema if column.pseudonym is not None]:
        _require_keyed(schema, method, keyed)
    if is_private:
        require_person(schema, method.name)
    if schema.unit_column is None:
        return
    if not is_private and records_each(schema, method) != 1 and not method.counts_persons:
        raise SchemaError(
            f"{method.name} counts records, and {schema.unit_column!r} says that a {schema.unit.value} may have "
            "several; write max_records = 1 in [data], so that one record of each takes part, drawn at random, or "
            "choose a method that counts persons, such as optimal-lattice or mondrian."
        )
    passed = schema.names(Role.INSENSITIVE)
    if records_each(schema, method) is not None and passed:
        raise SchemaError(
            f"{_as_they_are(passed)}, beside records of which only some take part (max_records); leave such columns "
            "out with the role 'dropped', or let all records take part."
        )


def _require_keyed(schema: Schema, method: Method, keyed: list[str]) -> None:
    """Refuse pseudonyms of identifiers where they would say whose records are there, or which belong together."""
    if method.cost is not None:
        raise SchemaError(
            f"{listed(keyed)} would be published as pseudonyms, one for each record, which tell how many records there "
            f"are and void what {method.name} promises; leave out pseudonym."
        )
    if not method.promises_k_anonymity:
        raise SchemaError(
            f"{method.name} does not say which published record is whose, so that no pseudonym of {listed(keyed)} can "
            "stand beside it; leave it out, or choose a method that promises k-anonymity, such as mondrian."
        )
    if schema.unit is not Unit.RECORD:
        raise SchemaError(
            f"a pseudonym of {listed(keyed)} would link the records of a {schema.unit.value}; leave it out, or write "
            "pseudonym = true in [data], so that k is counted of whole persons."
        )


def _require_links(schema: Schema, method: Method) -> None:
    """Refuse pseudonyms where a method does not count whole sequences, or something beside them is published."""
    if not method.links_records:
        raise SchemaError(
            f"{method.name} makes classes of single records, and with pseudonym = true classes are of whole sequences; "
            "optimal-lattice and ola can, or leave out pseudonym."
        )
    passed = schema.names(Role.INSENSITIVE)
    if passed:
        raise SchemaError(
            f"{_as_they_are(passed)}, beside a pseudonym that links records; make such a column a quasi-identifier or "
            "sensitive, leave it out with the role 'dropped', or leave out pseudonym."
        )


def _as_they_are(columns: Sequence[str]) -> str:
    return agreeing(columns, "would be published as it is", "would be published as they are")


def records_each(schema: Schema, method: Method) -> int | None:
    """How many records of each person take part, drawn at random; None if all do: where no budget is spent."""
    if schema.unit is Unit.RECORD:
        return None
    return 1 if schema.max_records is None and is_paid(method) else schema.max_records


def unpublished_target(column: Column) -> SchemaError:
    """A method works for the prediction of a column that nobody will see."""
    reason = "is an identifier" if column.role is Role.IDENTIFIER else f"has the role {column.role.value!r}"
    return SchemaError(f"the target {column.name!r} {reason}, and is not published; give it another role.")


def declared_columns(schema: Schema, method: str) -> tuple[str, ...]:
    """All published columns, or a sentence about what voids the guarantee of a method (theory X-2)."""
    passed = schema.names(Role.INSENSITIVE)
    if passed:
        raise SchemaError(
            f"{_as_they_are(passed)}, which voids the guarantee of {method}; make such a column a "
            "quasi-identifier or sensitive, or leave it out with the role 'dropped'."
        )
    counted = schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    if not counted:
        raise SchemaError("no column is a quasi-identifier or sensitive, so there is nothing to publish.")
    undeclared = [name for name in counted if not schema[name].is_declared]
    seen = [name for name in undeclared if schema[name].mark is Mark.SEEN]
    if seen:
        raise SchemaError(
            f"the values of {listed(seen)} in {getattr(schema[seen[0]].hierarchy, 'where', 'its hierarchy')} were seen "
            "in the data, and taking them from there is not private; put in every value that is possible, or, if they "
            "are public knowledge as they are, confirm that with `shoal declare`."
        )
    if undeclared:
        raise SchemaError(
            f"the domain of {listed(undeclared)} is not declared, and taking it from the data is not private; "
            "declare it (from and to for numbers, a list, or a hierarchy that names the values) and remove 'observed', "
            "or, if what was observed is public knowledge, confirm that with `shoal declare`."
        )
    return counted
