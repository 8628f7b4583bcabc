"""CSV on the Web: the description of a table, or of a group of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from shoal.errors import ParameterError
from shoal.survey.metadata.bounds import between
from shoal.survey.metadata.described import Described, DescribedColumn

_KINDS = {"integer": "integer", "int": "integer", "long": "integer", "gYear": "year", "date": "date"}


def from_csvw(content: Mapping[str, Any], file: str) -> Described:
    """What it says about the table in a file with this name."""
    tables = content.get("tables")
    found = [one for one in tables if isinstance(one, Mapping)] if isinstance(tables, list) else [content]
    named = [one for one in found if str(one.get("url", "")).rpartition("/")[2] == file]
    if len(named or found) != 1:
        raise ParameterError(
            f"the description has {len(found)} tables and {len(named)} of them with the url {file!r}; expected one."
        )
    table = (named or found)[0]
    schema, dialect = table.get("tableSchema"), table.get("dialect", content.get("dialect"))
    columns = schema.get("columns") if isinstance(schema, Mapping) else None
    if not isinstance(columns, list):
        raise ParameterError("the description has no tableSchema with columns; one that is elsewhere is not fetched.")
    dialect = dialect if isinstance(dialect, Mapping) else {}
    described = [column for column in columns if isinstance(column, Mapping) and not column.get("virtual")]
    nulls = {null for column in described for null in _nulls(column)}
    return Described(
        columns={name: _column(column) for column in described if (name := _name(column))},
        missing=tuple(sorted(nulls)) if nulls else None,
        delimiter=dialect.get("delimiter") if isinstance(dialect.get("delimiter"), str) else None,
        encoding=dialect.get("encoding") if isinstance(dialect.get("encoding"), str) else None,
    )


def _name(column: Mapping[str, Any]) -> str:
    """The header of the column: its first title, else its name."""
    titles = column.get("titles")
    if isinstance(titles, Mapping):
        titles = next(iter(titles.values()), None)
    title = titles[0] if isinstance(titles, list) and titles else titles
    return title if isinstance(title, str) else unquote(str(column.get("name", "")))


def _column(column: Mapping[str, Any]) -> DescribedColumn:
    datatype = column.get("datatype", "string")
    said = datatype if isinstance(datatype, Mapping) else {"base": datatype}
    least, most = (
        said.get(key, said.get(other)) for key, other in (("minimum", "minInclusive"), ("maximum", "maxInclusive"))
    )
    label = column.get("dc:title", column.get("dc:description", ""))
    form = said.get("format")
    listed = (
        form.split("|") if said.get("base") in ("string", None) and isinstance(form, str) and _is_list(form) else ()
    )
    return DescribedColumn(
        label=label if isinstance(label, str) else "",
        values=tuple(listed),
        domain=between(_KINDS.get(str(said.get("base")), ""), least, most),
    )


def _is_list(pattern: str) -> bool:
    """Whether a regular expression is a list of plain words: that is how values are listed here."""
    return "|" in pattern and not any(sign in pattern for sign in "\\[](){}*+?.^$")


def _nulls(column: Mapping[str, Any]) -> list[str]:
    null = column.get("null")
    return [null] if isinstance(null, str) else [one for one in null or () if isinstance(one, str)]
