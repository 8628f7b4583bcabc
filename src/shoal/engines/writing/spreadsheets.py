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

_QUOTE, _APOSTROPHE, _COMMA, _NEW_LINE, _MINUS = b"\"',\n-"
_NUMERALS = np.frombuffer(b"0123456789.", np.uint8)
_AT_ONCE = 1 << 18


def has_formulas(path: Path) -> bool:
    """Whether a spreadsheet program may run a cell of a CSV file that Shoal wrote; numbers it does not."""
    return any(_has_formula(part, _beginnings(part, "=+@\t\r-")) for part in _parts(path))


def mark_formulas(path: Path) -> None:
    """Put an apostrophe before every text of a CSV file that Shoal wrote which may be taken for a formula."""
    draft = path.with_name(f"{path.name}.marked")
    with draft.open("wb") as file:
        for part in _parts(path):
            marked = np.insert(np.frombuffer(part, np.uint8), _beginnings(part, MARKED), _APOSTROPHE)
            file.write(marked.tobytes())
    draft.replace(path)


def _parts(path: Path) -> Iterator[bytes]:
    """The bytes of a file, in parts that end with a line."""
    with path.open("rb") as file:
        while read := file.read(_AT_ONCE):
            yield read + file.readline()


def _beginnings(part: bytes, marks: str) -> NDArray[np.int64]:
    """Where texts begin with one of the marks.

    Every text is quoted, and a quote within one is doubled: a quote after a comma or a line break, and before anything
    but a quote, is where a cell begins.
    """
    text = np.frombuffer(part, np.uint8)
    wanted = [mark for mark in marks.encode() if mark in part and _has_pair(text, _QUOTE, mark)]
    is_one = np.zeros(max(len(text) - 1, 0), dtype=np.bool_)
    for mark in wanted:  # whole bytes at a time: quotes are a sixth of a file, and hardly any is before a mark
        is_one |= text[1:] == mark
    quotes = np.flatnonzero(is_one & (text[:-1] == _QUOTE)) if wanted else np.zeros(0, dtype=np.int64)
    before = text[quotes - 1]
    starts = (quotes == 0) | (before == _COMMA) | (before == _NEW_LINE)
    return np.asarray(quotes[starts] + 1, dtype=np.int64)


def _has_pair(text: NDArray[np.uint8], first: int, second: int) -> bool:
    """Whether two bytes follow each other somewhere: both compared at once, which is many times as fast."""
    pair = np.frombuffer(bytes([first, second]), np.uint16)
    return any((text[start : start + (len(text) - start) // 2 * 2].view(np.uint16) == pair).any() for start in (0, 1))


def _has_formula(part: bytes, beginnings: NDArray[np.int64]) -> bool:
    """Whether one of the marks is no sign of a number: any but minus, or minus before anything but a digit."""
    if not len(beginnings):
        return False
    text = np.frombuffer(part, np.uint8)
    is_number = (text[beginnings] == _MINUS) & np.isin(text[np.minimum(beginnings + 1, len(text) - 1)], _NUMERALS)
    return not is_number.all()
