"""Facts to SVG. No script, no font, no color that a printer or a color-blind reader would miss."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def bars(rows: Mapping[str, float], *, title: str, top: float | None = None, digits: int = 3) -> str:
    """Horizontal bars with their numbers written out."""
    height, label, width = 26, 190, 360
    top = max(rows.values(), default=0) if top is None else top
    parts = []
    for i, (name, value) in enumerate(rows.items()):
        y, length = i * height, 0 if top <= 0 else max(0.0, min(value / top, 1.0)) * width
        parts.append(
            f'<text x="{label - 8}" y="{y + 17}" text-anchor="end">{escape(name)}</text>'
            f'<rect class="bar" x="{label}" y="{y + 5}" width="{length:.1f}" height="{height - 10}" rx="2"/>'
            f'<text x="{label + length + 6:.1f}" y="{y + 17}" class="number">{_number(value, digits)}</text>'
        )
    return _svg("".join(parts), label + width + 90, height * max(len(rows), 1), title, rows, digits)


def columns(rows: Mapping[str, float], *, title: str) -> str:
    """Upright columns, for a distribution."""
    step, tall = max(24, min(64, 560 // max(len(rows), 1))), 150
    top = max(rows.values(), default=0) or 1
    parts = []
    for i, (name, value) in enumerate(rows.items()):
        x, length = 10 + i * step, value / top * tall
        middle = x + (step - 6) / 2
        parts.append(
            f'<rect class="bar" x="{x}" y="{tall + 18 - length:.1f}" width="{step - 6}" height="{length:.1f}" rx="2"/>'
            f'<text x="{middle}" y="{tall + 12 - length:.1f}" text-anchor="middle" class="number">{_number(value, 0)}'
            f'</text><text x="{middle}" y="{tall + 34}" text-anchor="middle">{escape(name)}</text>'
        )
    return _svg("".join(parts), 20 + step * max(len(rows), 1), tall + 42, title, rows, 0)


def _svg(body: str, width: float, height: float, title: str, rows: Mapping[str, float], digits: int) -> str:
    said = "; ".join(f"{name} {_number(value, digits)}" for name, value in rows.items())
    return (
        f'<svg role="img" aria-label="{escape(title)}: {escape(said)}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"
