"""Figures of matplotlib as inline SVG that follows the page: its colors, its font, light or dark.

Shapes get placeholder colors, which become variables of the style sheet once drawn; text stays text, so that it can be
read aloud, searched and copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import Any

INK, SOFT, LINE, BAR, BEFORE, WARN, PAPER = (
    "#010203",
    "#010204",
    "#010205",
    "#010206",
    "#010207",
    "#010208",
    "#010209",
)
_VARIABLES = {
    INK: "--ink",
    SOFT: "--soft",
    LINE: "--line",
    BAR: "--bar",
    BEFORE: "--before",
    WARN: "--warn",
    PAPER: "--paper",
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": SOFT,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": LINE,
    "hatch.linewidth": 0.6,
}


def figure(draw: Callable[[Any], None], *, width: float, height: float, alt: str) -> str:
    """Draw on the axes of a new figure; `alt` is what is read to those who do not see it. Sizes are in inches."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    sink = StringIO()
    with mpl.rc_context({**_STYLE, "svg.hashsalt": alt}):
        drawn = Figure(figsize=(width, height), layout="constrained")
        draw(drawn.subplots())
        drawn.savefig(sink, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return _inline(sink.getvalue(), alt)


def _inline(svg: str, alt: str) -> str:
    """The element alone, with the colors of the page and a name."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)  # it would reach beyond the figure
    body = re.sub(r'<g id="[^"]*"', "<g", body)  # the same in every figure
    body = re.sub(r"font-family: [^;\"]*; ?", "", body)
    for placeholder, variable in _VARIABLES.items():
        body = body.replace(placeholder, f"var({variable})")
    opening = f'<svg role="img" aria-label="{escape(alt, quote=True)}"'
    return body.replace("<svg", opening, 1).strip()
