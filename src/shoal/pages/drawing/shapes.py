"""The elements of a picture, each a piece of SVG text.

Colors are variables of the page's style sheet, so that a picture follows it into the dark and onto paper; text stays
text, so that it can be read aloud, searched and copied. Numbers are written with two decimals at most: the same facts
give the same bytes on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2s
from html import escape
from math import isfinite

INK, SOFT, LINE, BAR, BEFORE, WARN, PAPER, ON_BAR = (
    f"var(--{name})" for name in ("ink", "soft", "line", "bar", "before", "warn", "paper", "on-bar")
)

TEXT_SIZE = 12.0
SMALL_TEXT = 11.0
_MOST_TOLD = 200
"""Characters of a name that show when a pointer rests on its shortened label."""
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Point = tuple[float, float]


def number(value: float) -> str:
    """A coordinate.

    >>> number(2.5), number(1 / 3), number(-0.001), number(10)
    ('2.5', '0.33', '0', '10')
    """
    if not isfinite(value):
        raise ValueError(f"{value} is no coordinate")
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def escaped(words: str) -> str:
    """Words as text of a document: markup is shown and not obeyed, what no document may hold becomes a replacement."""
    return escape(_NOT_IN_XML.sub("\ufffd", words), quote=True)


def picture(width: float, height: float, parts: Iterable[str], *, title: str, description: str) -> str:
    """One `svg` element in pixels; title and description are what is read to those who do not see it."""
    body = "".join(parts)
    mark = blake2s(f"{title}\0{description}\0{body}".encode("utf-8", "replace"), digest_size=5).hexdigest()
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="t{mark} d{mark}" {size}>'
        f'<title id="t{mark}">{escaped(title)}</title><desc id="d{mark}">{escaped(description)}</desc>{body}</svg>'
    )


def rectangle(
    left: float,
    top: float,
    width: float,
    height: float,
    *,
    fill: str = "none",
    stroke: str = "none",
    stroke_width: float = 1.3,
    opacity: float = 1.0,
    told: str = "",
) -> str:
    """A rectangle; `told` shows when a pointer rests on it."""
    box = f'x="{number(left)}" y="{number(top)}" width="{number(max(width, 0))}" height="{number(max(height, 0))}"'
    painted = _painted(fill, stroke, stroke_width) + ("" if opacity == 1 else f' opacity="{number(opacity)}"')
    return f"<rect {box}{painted}>{_told(told)}</rect>" if told else f"<rect {box}{painted}/>"


def segment(start: Point, end: Point, *, stroke: str, width: float = 1.0, dashed: bool = False) -> str:
    """A straight line."""
    (x1, y1), (x2, y2) = start, end
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="{number(width)}"{_DASHES if dashed else ""}/>'


def polyline(points: Sequence[Point], *, stroke: str, width: float = 1.0, dashed: bool = False) -> str:
    """A line through points."""
    dashes = _DASHES if dashed else ""
    return (
        f'<polyline points="{_listed(points)}" fill="none" stroke="{stroke}" stroke-width="{number(width)}" '
        f'stroke-linejoin="round"{dashes}/>'
    )


def polygon(
    points: Sequence[Point], *, fill: str, stroke: str = "none", stroke_width: float = 1.0, opacity: float = 1.0
) -> str:
    """A closed shape."""
    faint = "" if opacity == 1 else f' opacity="{number(opacity)}"'
    return f'<polygon points="{_listed(points)}"{_painted(fill, stroke, stroke_width)}{faint}/>'


def circle(center: Point, radius: float, *, fill: str, stroke: str = "none", stroke_width: float = 1.4) -> str:
    """A circle."""
    x, y = center
    place = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
    return f"<circle {place}{_painted(fill, stroke, stroke_width)}/>"


def words(
    at: Point,
    label: str,
    *,
    fill: str = INK,
    size: float = TEXT_SIZE,
    anchor: str = "start",
    full: str = "",
    halo: bool = False,
) -> str:
    """Text, its middle line at the place; `anchor` says which end of it stands there.

    Args:
        at: The place.
        label: What is written.
        fill: Its color.
        size: Its size in pixels.
        anchor: `start`, `middle` or `end`.
        full: What the label was shortened from; it shows when a pointer rests on the text.
        halo: Whether lines behind the text are held off.
    """
    x, y = at
    place = f'x="{number(x)}" y="{number(y + 0.36 * size)}" font-size="{number(size)}" fill="{fill}"'
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    held_off = f' stroke="{PAPER}" stroke-width="3" paint-order="stroke"' if halo else ""
    told = _told(full) if full and full != label else ""
    return f"<text {place}{anchored}{held_off}>{escaped(label)}{told}</text>"


def group(parts: Iterable[str], told: str) -> str:
    """Shapes that belong together; `told` shows when a pointer rests on one of them."""
    return f"<g>{_told(told)}{''.join(parts)}</g>"


_DASHES = ' stroke-dasharray="5 4"'


def _told(full: str) -> str:
    return f"<title>{escaped(full if len(full) <= _MOST_TOLD else f'{full[: _MOST_TOLD - 1]}…')}</title>"


def _painted(fill: str, stroke: str, stroke_width: float) -> str:
    edge = "" if stroke == "none" else f' stroke="{stroke}" stroke-width="{number(stroke_width)}"'
    return f' fill="{fill}"{edge}'


def _listed(points: Sequence[Point]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)
