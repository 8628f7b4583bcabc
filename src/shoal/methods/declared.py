"""What every private method asks of a schema: all that is published takes part, in domains that are declared."""

from __future__ import annotations

from shoal.data.schema import Role, Schema
from shoal.errors import SchemaError, listed


def declared_columns(schema: Schema, method: str) -> tuple[str, ...]:
    """All published columns, or a sentence about what voids the guarantee of a method (theory X-2)."""
    passed = schema.names(Role.INSENSITIVE)
    if passed:
        raise SchemaError(
            f"{listed(passed)} would be published as it is, which voids the guarantee of {method}; make such a column "
            "a quasi-identifier or sensitive, or drop it as an identifier."
        )
    counted = schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    if not counted:
        raise SchemaError("no column is a quasi-identifier or sensitive, so there is nothing to publish.")
    undeclared = [name for name in counted if not schema[name].is_declared]
    if undeclared:
        raise SchemaError(
            f"the domain of {listed(undeclared)} is not declared, and taking it from the data is not private; "
            "declare it (from and to for numbers, a list, or a hierarchy that names the values) and remove 'observed'."
        )
    return counted
