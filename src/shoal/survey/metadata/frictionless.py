"""Frictionless: a Data Package, a data resource, or a table schema alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.data.schema import Role, role_named
from shoal.errors import ParameterError, SchemaError
from shoal.survey.metadata.bounds import between
from shoal.survey.metadata.described import Described, DescribedColumn


def from_frictionless(content: Mapping[str, Any], file: str) -> Described:
    """What the descriptor says about the table in a file with this name."""
    resource = _resource(content, file)
    schema = resource.get("schema", resource)
    if not isinstance(schema, Mapping) or not isinstance(schema.get("fields"), list):
        raise ParameterError(
            "the descriptor has no table schema with fields; a schema that is elsewhere is not fetched."
        )
    fields = [field for field in schema["fields"] if isinstance(field, Mapping) and isinstance(field.get("name"), str)]
    missing, dialect = schema.get("missingValues"), resource.get("dialect", {})
    dialect = dialect if isinstance(dialect, Mapping) else {}
    return Described(
        columns={field["name"]: _column(field) for field in fields},
        missing=tuple(map(_text, missing)) if isinstance(missing, list) else None,
        delimiter=_string(dialect.get("delimiter") or _mapping(dialect.get("csv")).get("delimiter")),
        encoding=_string(resource.get("encoding")),
    )


def _resource(content: Mapping[str, Any], file: str) -> Mapping[str, Any]:
    """The resource of a package that is the file, or the only one."""
    resources = content.get("resources")
    if not isinstance(resources, list):
        return content
    found = [one for one in resources if isinstance(one, Mapping)]
    named = [one for one in found if str(one.get("path", "")).rpartition("/")[2] == file]
    if len(named or found) != 1:
        raise ParameterError(
            f"the descriptor has {len(found)} resources and {len(named)} of them with the path {file!r}; expected one."
        )
    return (named or found)[0]


def _column(field: Mapping[str, Any]) -> DescribedColumn:
    constraints, listed = _mapping(field.get("constraints")), field.get("categories")
    values = constraints.get("enum") or listed
    parts = values if isinstance(values, list) else []
    missing = field.get("missingValues")
    return DescribedColumn(
        label=_string(field.get("title")) or "",
        values=tuple(_text(part["value"] if isinstance(part, Mapping) and "value" in part else part) for part in parts),
        domain=between(str(field.get("type")), constraints.get("minimum"), constraints.get("maximum")),
        missing=tuple(map(_text, missing)) if isinstance(missing, list) else (),
        role=_role(field.get("shoal:role")),
    )


def _role(word: Any) -> Role | None:
    """A role that owners give; of those that only a method gives, nothing follows for another release."""
    try:
        return role_named(word) if isinstance(word, str) else None
    except SchemaError:
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
