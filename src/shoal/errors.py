"""Every exception of Shoal.

ShoalError
├── ParameterError       a parameter of a method, model or mechanism is not allowed
├── SchemaError          a column's role, domain or name does not fit the data or the method
├── HierarchyError       a hierarchy is malformed or does not fit its domain
├── DataError            the table itself cannot be read or holds what was not declared
├── PlanError            the release file cannot be understood
├── BudgetError          a charge would exceed the limit, or mixes neighboring relations
├── InfeasibleError      the request is well-formed but this table cannot meet it
└── OutputError          the result cannot be written where it was asked for

A message says where, what came, what was expected and what to do. It shows declared (public) values freely and values
of records never: positions stand for them. `exit_code` is what the command line returns: 1 when the request cannot be
met, 2 when it was misused.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence


class ShoalError(Exception):
    """Root of everything Shoal raises on purpose; long names in its message are cut in their middle."""

    exit_code = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(brief(message))


class ParameterError(ShoalError, ValueError):
    """A parameter is not allowed."""

    exit_code = 2


class SchemaError(ShoalError, ValueError):
    """A column's role, domain or name does not fit."""


class HierarchyError(ShoalError, ValueError):
    """A hierarchy is malformed or does not fit its domain."""


class DataError(ShoalError, ValueError):
    """The table cannot be read, or holds what was not declared."""


class PlanError(ShoalError, ValueError):
    """The release file cannot be understood."""

    exit_code = 2


class BudgetError(ShoalError):
    """A charge would exceed the limit, or mixes neighboring relations."""


class InfeasibleError(ShoalError):
    """The request is well-formed, but this table cannot meet it."""


class NoLedgerWarning(UserWarning):
    """A differentially private release was made without a ledger: nothing adds it up with others."""


class NotNotedWarning(UserWarning):
    """A release was written, and its ledger could not note that; what it cost counts all the same."""


class SmallBudgetWarning(UserWarning):
    """By what is public, noise will drown what is to be published."""


class LargeTableWarning(UserWarning):
    """The distinct records of a table that is elsewhere may not fit here."""


class OutputError(ShoalError):
    """The result cannot be written where it was asked for."""


_LONGEST_LINE, _LONGEST_PATH, _LONGEST_NAME = 1000, 300, 80
_ENDLESS = re.compile(rf"\d{{{_LONGEST_NAME},}}|[^\s/]{{256,}}")
"""A number, or what is longer than any name of a file."""
_NAME = re.compile(r"(?<!\w)(['\"])(.*?)\1(?!\w)")


def brief(message: str) -> str:
    """The message with long names, and then long lines, cut in their middle: where it is and what to do stay."""
    message = _NAME.sub(lambda found: f"{found[1]}{_cut(found[2], _longest(found[2]))}{found[1]}", message)
    message = _ENDLESS.sub(lambda found: _cut(found[0], _LONGEST_NAME), message)
    return "\n".join(_cut(line, _LONGEST_LINE) for line in message.split("\n"))


def _longest(name: str) -> int:
    """Of a path more is shown: somebody may have to type it."""
    return _LONGEST_PATH if "/" in name else _LONGEST_NAME


def _cut(text: str, longest: int) -> str:
    head = longest * 2 // 3
    return text if len(text) <= longest else f"{text[:head]}…{text[head + 1 - longest :]}"


def listed(values: Iterable[object], shown: int = 3) -> str:
    """`'a', 'b', 'c' and 4 more`: for declared values and column names, never for values of records."""
    values = list(values)
    text = ", ".join(repr(value) for value in values[:shown])
    return f"{text} and {len(values) - shown:,} more" if len(values) > shown else text


def agreeing(values: Sequence[object], one: str, several: str) -> str:
    """`'a' is` or `'a', 'b' are`: what is said of one value, or of several."""
    return f"{listed(values)} {one if len(values) == 1 else several}"


def nearest(word: str, known: Sequence[str]) -> str:
    """` Did you mean 'epsilon'?`, or nothing when no known word is close."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""
