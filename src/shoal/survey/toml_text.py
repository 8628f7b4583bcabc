"""Values as TOML writes them, and a whole release file from what it says, for whoever changes one by a program."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import Any

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def text(value: str) -> str:
    """A text in quotes."""
    return '"' + "".join(_ESCAPES.get(c, c if c.isprintable() else f"\\U{ord(c):08X}") for c in value) + '"'


def key(name: str) -> str:
    """A key, in quotes if it needs them."""
    return name if _BARE.fullmatch(name) else text(name)


def texts(values: Iterable[str]) -> str:
    """A list of texts."""
    return "[" + ", ".join(map(text, values)) + "]"


def comment(sentence: str) -> str:
    """A comment for the end of a line; what does not print is left out."""
    return "  # " + "".join(c for c in sentence if c.isprintable())


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
