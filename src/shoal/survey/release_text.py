"""A release file from what it says: for whoever changes one by a program."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from shoal.survey.toml_text import comment, key, text


def as_toml(content: Mapping[str, Any], reasons: Mapping[str, str] | None = None) -> str:
    """The text of a release file: a table for each part and column, everything else on one line.

    Args:
        content: What a release file reads as.
        reasons: By column, why its role was chosen: stands behind it as a comment.

    Example:
        >>> print(as_toml({"columns": {"age": {"role": "quasi-identifier", "domain": {"from": 0, "to": 99}}}}))
        [columns.age]
        role = "quasi-identifier"
        domain = { from = 0, to = 99 }
        <BLANKLINE>
    """
    blocks = []
    for part, table in content.items():
        if part == "columns":
            for name, column in table.items():
                why = {"role": comment(reasons[name])} if reasons and reasons.get(name) else {}
                blocks.append(_block(f"columns.{key(name)}", column, why))
        else:
            blocks.append(_block(key(part), table, {}))
    return "\n".join(blocks)


def _block(header: str, table: Mapping[str, Any], behind: Mapping[str, str]) -> str:
    lines = [f"{key(name)} = {_value(value)}{behind.get(name, '')}" for name, value in table.items()]
    return "\n".join([f"[{header}]", *lines]) + "\n"


def _value(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return text(value)
        case int():
            return str(value)
        case float():
            return repr(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case Mapping():
            return "{ " + ", ".join(f"{key(str(k))} = {_value(v)}" for k, v in value.items()) + " }" if value else "{}"
        case _:
            return "[" + ", ".join(map(_value, value)) + "]"
