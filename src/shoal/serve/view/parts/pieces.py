"""Tables, sketches and notes; whatever comes from a file is escaped here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from nicegui import ui

from shoal.serve.texts import Texts
from shoal.serve.view.parts.controls import button, field, tag
from shoal.serve.work.blocks import BLOCK


def rows_table(caption: str, names: Sequence[str], rows: Sequence[Sequence[str] | None], *, left_out: str = "") -> None:
    """Rows of a table; None is one that is left out."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = []
    for row in rows:
        if row is None:
            body.append(f'<tr class="gone"><td colspan="{len(names)}">{escape(left_out)}</td></tr>')
        else:
            body.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
    ui.html(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption, quote=True)}">'
        f'<table class="rows"><caption class="unseen">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def pager(t: Texts, start: int, shown: int, total: int, go: Callable[[int], None]) -> None:
    """The way through a long table, block by block or to a certain row; `go` is told how many rows come before."""

    def jump(text: str) -> None:
        if text.strip().isdecimal():
            go(min(max(int(text), 1), max(total, 1)) - 1)

    if total <= BLOCK:
        return
    with tag("div", "", "row pager"):
        button(t("rows before"), lambda: go(max(start - BLOCK, 0)), "quiet", disabled=start == 0)
        tag("span", t("rows shown", first=start + 1, last=start + shown, total=total), "soft", role="status")
        button(t("rows after"), lambda: go(start + BLOCK), "quiet", disabled=start + shown >= total)
        field(t("rows from"), "", jump, kind="number")


def sketch(label: str, bars: Sequence[tuple[str, int]]) -> None:
    """A distribution in a few pixels."""
    if not bars:
        tag("span", "–", "soft")
        return
    most, width = max(times for _, times in bars) or 1, 120 / len(bars)
    shapes = "".join(
        f'<rect x="{number * width:.1f}" y="{28 - 26 * times / most:.1f}" width="{max(width - 1, 1):.1f}" '
        f'height="{26 * times / most:.1f}"><title>{escape(name)}: {times:,}</title></rect>'
        for number, (name, times) in enumerate(bars)
    )
    ui.html(
        f'<svg class="sketch" viewBox="0 0 120 28" role="img" aria-label="{escape(label, quote=True)}">{shapes}</svg>'
    )


def note(text: str, kind: str = "", title: str = "", language: str | None = None) -> None:
    """A remark; `kind` is bad, good or owner, and `language` that of its text if it is not the page's."""
    with tag("div", "", f"note {kind}", role="alert" if kind == "bad" else "note"):
        if title:
            tag("strong", title)
        tag("span", text, lang=language)


def told(t: Texts, text: str, kind: str = "", title: str = "") -> None:
    """A remark that the library makes, in the language of the page if somebody has put it into words."""
    note(t.said(text), kind, title, t.language_of(text))


def sentence(t: Texts, text: str, kind: str = "p", classes: str = "") -> None:
    """What the library says, as a sentence of its own."""
    words = t.said(text)
    tag(kind, f"{words[:1].upper()}{words[1:]}", classes, lang=t.language_of(text))


def heading(text: str, under: str = "") -> None:
    """The head of a step."""
    tag("h1", text)
    if under:
        tag("p", under, "lead")


def figures(pairs: Sequence[tuple[str, str]]) -> None:
    """Numbers that matter, side by side."""
    with tag("dl", "", "figures"):
        for name, value in pairs:
            with tag("div"):
                tag("dt", name)
                tag("dd", value)
