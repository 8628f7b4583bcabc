"""Names that stand for many columns: `q_*`."""

from __future__ import annotations

import re

WILD = frozenset("*?")
"""What stands for other characters."""


def fits(pattern: str, name: str) -> bool:
    """Whether a name is one that a pattern stands for: `*` any characters, `?` one.

    Example:
        >>> fits("q_*", "q_12"), fits("q_?", "q_12"), fits("[q]*", "q_12")
        (True, False, False)
    """
    parts = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    return re.fullmatch("".join(parts), name, re.DOTALL) is not None


def is_pattern(name: str) -> bool:
    """Whether a name may stand for many."""
    return not WILD.isdisjoint(name)
