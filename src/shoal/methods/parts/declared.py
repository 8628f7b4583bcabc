"""What every private method asks of a schema: all that is published takes part, in domains that are declared."""

from __future__ import annotations

from shoal.data.hierarchies.marks import Mark
from shoal.data.persons import require_person
from shoal.data.schema import Column, Role, Schema
from shoal.errors import SchemaError, listed
from shoal.methods.base import Method


def may_look(method: Method) -> bool:
    """Whether a run may refuse by what identifiers and insensitive columns hold.

    Not if one record more or less could then be told. A method that protects some columns only may look at others,
    which neighbors have in common.
    """
    return method.cost is None or method.covers != "all"


def require_persons(schema: Schema, method: Method) -> None:
    """What a person is must have been said before a budget is spent, for it cannot be found out privately."""
    if method.cost is not None:
        require_person(schema, method.name)


def unpublished_target(column: Column) -> SchemaError:
    """A method works for the prediction of a column that nobody will see."""
    reason = "is an identifier" if column.role is Role.IDENTIFIER else f"has the role {column.role.value!r}"
    return SchemaError(f"the target {column.name!r} {reason}, and is not published; give it another role.")


def declared_columns(schema: Schema, method: str) -> tuple[str, ...]:
    """All published columns, or a sentence about what voids the guarantee of a method (theory X-2)."""
    passed = schema.names(Role.INSENSITIVE)
    if passed:
        raise SchemaError(
            f"{listed(passed)} would be published as it is, which voids the guarantee of {method}; make such a column "
            "a quasi-identifier or sensitive, or leave it out with the role 'dropped'."
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
