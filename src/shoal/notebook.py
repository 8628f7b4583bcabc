"""What objects show of themselves in a notebook: plain HTML, everything in it escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def paragraph(text: str) -> str:
    """One paragraph; nothing of no text."""
    return f"<p>{escape(text)}</p>" if text else ""


def bullets(title: str, items: Iterable[str]) -> str:
    """A list under a title; nothing of no items."""
    listed = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"{paragraph(title)}<ul>{listed}</ul>" if listed else ""


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a row of titles.

    >>> table(["name"], [["<age>"]])
    '<table><thead><tr><th>name</th></tr></thead><tbody><tr><td>&lt;age&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
