"""Cells of a CSV file that a spreadsheet program would run: found, and marked so that it does not.

A text that begins with =, +, -, @, a tab or a carriage return may be taken for a formula, also when it stands between
quotes. An apostrophe before it says that it is text. What begins with an apostrophe gets one, too, so that whoever
takes one away has what was there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MARKED = "=+-@\t\r'"
"""What a text begins with that gets an apostrophe."""

_QUOTE, _APOSTROPHE, _BEFORE_A_CELL = ord('"'), ord("'"), np.frombuffer(b",\n", np.uint8)
_AT_ONCE = 1 << 18


def has_formulas(path: Path) -> bool:
    """Whether a spreadsheet program may run a cell of a CSV file that Shoal wrote; numbers it does not."""
    return any(len(_beginnings(part, "=+@\t\r")) or _has_dash(part) for part in _parts(path))


def mark_formulas(path: Path) -> None:
    """Put an apostrophe before every text of a CSV file that Shoal wrote which may be taken for a formula."""
    draft = path.with_name(f"{path.name}.marked")
    with draft.open("wb") as file:
        for part in _parts(path):
            file.write(np.insert(part, _beginnings(part, MARKED), _APOSTROPHE).tobytes())
    draft.replace(path)


def _parts(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The bytes of a file, in parts that end with a line."""
    with path.open("rb") as file:
        while read := file.read(_AT_ONCE):
            yield np.frombuffer(read + file.readline(), np.uint8)


def _beginnings(part: NDArray[np.uint8], marks: str) -> NDArray[np.int64]:
    """Where texts begin with one of the marks.

    Every text is quoted, and a quote within one is doubled: a quote after a comma or a line break, and before anything
    but a quote, is where a cell begins.
    """
    is_one = np.zeros(max(len(part) - 1, 0), dtype=np.bool_)
    for mark in marks.encode():  # whole bytes at a time: quotes are a sixth of a file, and hardly any is before a mark
        is_one |= part[1:] == mark
    quotes = np.flatnonzero(is_one & (part[:-1] == _QUOTE))
    starts = (quotes == 0) | np.isin(part[quotes - 1], _BEFORE_A_CELL)
    return np.asarray(quotes[starts] + 1, dtype=np.int64)


def _has_dash(part: NDArray[np.uint8]) -> bool:
    """Whether a text begins with a minus that is none of a number."""
    after = _beginnings(part, "-") + 1
    digits = np.frombuffer(b"0123456789.", np.uint8)
    return bool((~np.isin(part[np.minimum(after, len(part) - 1)], digits)).any())
