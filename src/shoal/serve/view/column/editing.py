"""Writing one thing of a column into the release file, and reading what was typed."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from shoal.serve.view.parts.controls import Wrong

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def edit(shell: Shell, name: str, **changes: Any) -> None:
    """Write some keys of a column; None removes one."""

    def write(content: dict[str, Any]) -> None:
        for key, value in changes.items():
            if value is None:
                content["columns"][name].pop(key, None)
            else:
                content["columns"][name][key] = value

    shell.tab.change(write)
    shell.changed()


def wrong(shell: Shell, name: str, *starts: str) -> Wrong:
    """What is wrong with a column, for the field that a message with one of these beginnings is about."""
    problem = shell.tab.checked.get("problem") or {}
    message = problem.get("message", "") if problem.get("column") == name else ""
    if not message.removeprefix(f"column {name!r}: ").startswith(starts):
        return Wrong()
    return Wrong(shell.t.said(message), shell.t.language_of(message))


def listed(text: str) -> list[str]:
    """Texts between commas, semicolons or ends of lines."""
    return [part.strip() for part in re.split(r"[,;\n]", text) if part.strip()]


def numbers(text: str) -> list[int | float]:
    """The numbers in a text."""
    found = re.findall(r"[+-]?\d+(?:\.\d+)?", text)
    return [float(number) if "." in number else int(number) for number in found]


def number_or_day(text: str, *, is_day: bool = False) -> Any:
    """A number, or a day; what is neither stays a text, and the reader of release files judges."""
    text = text.strip()
    try:
        if is_day:
            return dt.date.fromisoformat(text)
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        return text
