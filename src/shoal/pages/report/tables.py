"""HTML tables and lists, escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(head: Sequence[str], rows: Sequence[Sequence[object]], caption: str) -> str:
    """Rows under a head; a column of numbers is set to the right, its head with it. Wide ones scroll by themselves."""
    said = [[row[i] for row in rows if row[i] != ""] for i in range(len(head))]
    numeric = [bool(values) and all(map(_is_number, values)) for values in said]

    def cell(value: object, tag: str, i: int) -> str:
        return f"<{tag}{' class=n' if numeric[i] else ''}>{escape(formatted(value))}</{tag}>"

    body = "".join(f"<tr>{''.join(cell(value, 'td', i) for i, value in enumerate(row))}</tr>" for row in rows)
    header = "".join(cell(name, "th", i) for i, name in enumerate(head))
    captioned = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll" tabindex="0"><table>{captioned}<thead><tr>{header}</tr></thead><tbody>{body}</tbody>'
        "</table></div>"
    )


def cells(tag: str, values: Iterable[str]) -> str:
    """Cells of one row."""
    return "".join(f"<{tag}>{escape(value)}</{tag}>" for value in values)


def folded(inner: str) -> str:
    """A table behind a chart, for those who want the numbers."""
    return f"<details><summary>The numbers as a table</summary>{inner}</details>"


def items(texts: Iterable[str]) -> str:
    """A list."""
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"


def formatted(value: object) -> str:
    """A value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if isinstance(value, float) else str(value)


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return value.rstrip("%").replace(".", "", 1).replace(",", "").isdigit()
    return isinstance(value, int | float) and not isinstance(value, bool)
