"""Values as TOML writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
