"""A page for the owner: what it is about, a verdict, a list of what follows, and the sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import NamedTuple

from shoal.promises.certificate import Certificate

_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>$name</title><style>$style</style></head><body>
<p class="owner" role="note">For the owner's eyes only: computed from the original records. Do not publish.</p>
<main>
<h1>$heading</h1>
$head
<div class="summary">$summary</div>
$contents
$sections
</main></body></html>
""")
_FEWEST_LISTED = 4
"""Of fewer sections a list of them says nothing."""


class Section(NamedTuple):
    """A part of a page: its heading and what stands under it."""

    title: str
    body: str


def section(title: str, note: str, *pieces: str) -> Section:
    """A heading, one soft sentence, and what follows."""
    soft = f'<p class="soft">{note}</p>' if note else ""
    return Section(title, f"{soft}{''.join(pieces)}")


def about(certificate: Certificate, *, release: str = "", table: str = "") -> str:
    """What a page is about: the release and its table, when it was made, by whom and how; as much as is known."""
    known = {
        "Release": release,
        "Table": table,
        "Released": certificate.date,
        "By": certificate.about.owner,
        "Contact": certificate.about.contact,
        "Method": certificate.method,
    }
    rows = "".join(f"<div><dt>{name}</dt><dd>{escape(text)}</dd></div>" for name, text in known.items() if text)
    return f'<dl class="about">{rows}</dl>'


def owners_page(name: str, heading: str, *, head: str = "", summary: str, sections: Iterable[Section | None]) -> str:
    """The page; `head`, `summary` and the bodies of sections are HTML, sections that are None are left out."""
    there = [part for part in sections if part is not None]
    anchors = _anchors([part.title for part in there])
    return _PAGE.substitute(
        style=files("shoal.pages.report").joinpath("report.css").read_text(encoding="utf-8"),
        name=escape(name),
        heading=escape(heading),
        head=head,
        summary=summary,
        contents=_contents(there, anchors),
        sections="".join(
            f'<section id="{anchor}"><h2>{escape(part.title)}</h2>{part.body}</section>'
            for part, anchor in zip(there, anchors, strict=True)
        ),
    )


def _contents(sections: Sequence[Section], anchors: Sequence[str]) -> str:
    if len(sections) < _FEWEST_LISTED:
        return ""
    lines = [
        f'<li><a href="#{anchor}">{escape(part.title)}</a></li>' for part, anchor in zip(sections, anchors, strict=True)
    ]
    return f'<nav aria-label="Contents"><ol>{"".join(lines)}</ol></nav>'


def _anchors(titles: Sequence[str]) -> list[str]:
    """A name for each section that a link can have: no two are equal, whatever their titles are."""
    plain = [re.sub("[^a-z0-9]+", "-", title.lower().replace("'", "")).strip("-") or "part" for title in titles]
    return [name if name not in plain[:i] else f"{name}-{i + 1}" for i, name in enumerate(plain)]
