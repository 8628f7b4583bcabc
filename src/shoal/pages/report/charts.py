"""Facts to pictures. No color that a printer or a color-blind reader would miss; numbers are said in words too."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.arrays import Floats
from shoal.pages.report.figures import BAR, BEFORE, INK, LINE, SOFT, WARN, figure

_LONGEST_LABEL = 26
_WIDE = 6.2


def bars(rows: Mapping[str, float], *, title: str, top: float | None = None, digits: int = 3) -> str:
    """Horizontal bars with their numbers written out."""
    names, values = [shortened(name) for name in rows], list(rows.values())
    limit = (max(values, default=0) or 1) if top is None else top

    def draw(axes: Any) -> None:
        places = np.arange(len(values))
        axes.barh(places, [min(max(value, 0), limit) for value in values], color=BAR, height=0.6)
        for place, value in zip(places, values, strict=True):
            at = min(max(value, 0), limit)
            axes.annotate(
                f"{value:,.{digits}f}", (at, place), (4, 0), textcoords="offset points", va="center", color=SOFT
            )
        axes.set_yticks(places, names, color=INK)
        axes.set_xlim(0, limit * 1.14)
        _bare(axes, keep="left")
        axes.invert_yaxis()

    alt = _alternative_text(title, rows, digits)
    return figure(draw, width=_WIDE, height=0.3 + 0.27 * max(len(values), 1), alt=alt)


def columns(rows: Mapping[str, float], *, title: str, across: str) -> str:
    """Upright columns, for a distribution over ranges that `across` names."""
    names, values = list(rows), list(rows.values())

    def draw(axes: Any) -> None:
        places = np.arange(len(values))
        axes.bar(places, values, color=BAR, width=0.75)
        for place, value in zip(places, values, strict=True):
            axes.annotate(f"{value:,.0f}", (place, value), (0, 2), textcoords="offset points", ha="center", color=SOFT)
        axes.set_xticks(places, names, color=INK)
        axes.set_xlabel(across)
        axes.set_ylim(0, (max(values, default=0) or 1) * 1.12)
        _bare(axes, keep="bottom")

    return figure(draw, width=_WIDE, height=2.3, alt=_alternative_text(title, rows, 0))


def before_and_after(names: Sequence[str], before: Floats, after: Floats, *, title: str, upright: bool) -> str:
    """Two distributions over the same few places: outlined the original, filled the release."""
    most = float(max(before.max(initial=0), after.max(initial=0)) or 1)

    def draw(axes: Any) -> None:
        places = np.arange(len(names))
        if upright:
            axes.bar(places, after, color=BAR, width=0.9)
            axes.step(np.append(places - 0.5, len(names) - 0.5), np.append(before, before[-1:]), where="post",
                      color=BEFORE, linewidth=1.3)  # fmt: skip
            room = 4 if max(map(len, names)) <= 6 else 2
            shown = np.unique(np.linspace(0, len(names) - 1, min(len(names), room)).round().astype(int))
            axes.set_xticks(shown, [shortened(names[i], 11) for i in shown], color=INK)
            axes.set_ylim(0, most * 1.08)
            axes.set_yticks([])
            _bare(axes, keep="bottom")
        else:
            axes.barh(places, after, color=BAR, height=0.62)
            axes.barh(places, before, facecolor="none", edgecolor=BEFORE, linewidth=1.3, height=0.78)
            axes.set_yticks(places, [shortened(name, 16) for name in names], color=INK)
            axes.set_xlim(0, most * 1.08)
            axes.xaxis.set_major_locator(_few_ticks())
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.invert_yaxis()
            _bare(axes, keep="left")

    height = 1.5 if upright else 0.35 + 0.2 * len(names)
    moved = float(np.abs(before - after).sum()) / 2
    return figure(draw, width=2.9, height=max(height, 1.0), alt=f"{title}: original and release differ by {moved:.1%}")


def ladder(rows: Sequence[tuple[str, int, int]], *, title: str) -> str:
    """Per column the level that was chosen, on a ladder from every value kept to all hidden."""

    def draw(axes: Any) -> None:
        for place, (_, level, height) in enumerate(rows):
            reach = max(height, 1)
            axes.plot([0, 1], [place, place], color=LINE, linewidth=2, zorder=1)
            axes.scatter(np.arange(height + 1) / reach, [place] * (height + 1), s=22, color=LINE, zorder=2)
            axes.scatter([level / reach], [place], s=70, color=BAR, zorder=3)
        axes.set_yticks(range(len(rows)), [shortened(name) for name, _, _ in rows], color=INK)
        axes.set_xticks([0, 1], ["every value kept", "hidden"], color=SOFT)
        axes.set_xlim(-0.06, 1.06)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        _bare(axes, keep="left")

    text = "; ".join(f"{name} level {level} of {height}" for name, level, height in rows)
    return figure(draw, width=_WIDE, height=0.5 + 0.3 * max(len(rows), 1), alt=f"{title}: {text}")


def segments(rows: Sequence[tuple[str, Sequence[float]]], *, title: str) -> str:
    """Per column its domain as a line, cut into pieces: `edges` are the places of the cuts, from 0 to 1."""

    def draw(axes: Any) -> None:
        for place, (_, edges) in enumerate(rows):
            ends = [0.0, *edges, 1.0]
            for number, (first, last) in enumerate(itertools.pairwise(ends)):
                width = max(last - first - 0.006, 0.002)
                axes.barh(
                    [place], [width], left=first + 0.003, height=0.5, color=BAR, alpha=0.9 if number % 2 == 0 else 0.5
                )
        axes.set_yticks(range(len(rows)), [shortened(name) for name, _ in rows], color=INK)
        axes.set_xticks([0, 1], ["first value", "last value"], color=SOFT)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        _bare(axes, keep="left")

    text = "; ".join(f"{name} in {len(edges) + 1} pieces" for name, edges in rows)
    return figure(draw, width=_WIDE, height=0.5 + 0.3 * max(len(rows), 1), alt=f"{title}: {text}")


def heat(names: Sequence[str], values: Floats, *, title: str) -> str:
    """A square of cells, the darker the stronger; the number stands in each where there is room."""
    count = len(names)
    side = min(max(0.32 * count, 1.6), 5.2)

    def draw(axes: Any) -> None:
        from matplotlib.patches import Rectangle

        for row in range(count):
            for column in range(row):
                value = values[row, column]
                strength = 0.0 if np.isnan(value) else min(abs(float(value)), 1.0)
                axes.add_patch(
                    Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, facecolor=BAR, alpha=0.04 + 0.86 * strength)
                )
                if count <= 10 and not np.isnan(value):
                    axes.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7)
        axes.set_xlim(-0.5, max(count - 1.5, 0.5))
        axes.set_ylim(max(count - 0.5, 1.5), 0.5)
        axes.set_aspect("equal")
        labels = [shortened(name, 14) for name in names]
        axes.set_yticks(range(1, count), labels[1:], color=INK, fontsize=8)
        axes.set_xticks(range(count - 1), labels[:-1], color=INK, rotation=60, ha="right", fontsize=8)
        _bare(axes, keep="")

    pairs = [(abs(values[i, j]), i, j) for i in range(count) for j in range(i) if not np.isnan(values[i, j])]
    strong = "; ".join(f"{names[i]} and {names[j]} {values[i, j]:.2f}" for _, i, j in sorted(pairs, reverse=True)[:5])
    return figure(draw, width=side + 1.1, height=side + 0.9, alt=f"{title}. Strongest: {strong or 'none'}")


def curve(points: Sequence[tuple[float, float]], *, title: str, across: str, upwards: str, mark: float | None) -> str:
    """A step curve over a logarithmic scale, from 0 to 1, with a mark at one place."""
    places, heights = [place for place, _ in points], [height for _, height in points]

    def draw(axes: Any) -> None:
        axes.fill_between(places, heights, step="post", color=BAR, alpha=0.25, linewidth=0)
        axes.step(places, heights, where="post", color=BAR, linewidth=2)
        if mark is not None:
            axes.axvline(mark, color=WARN, linewidth=1.2, linestyle="--")
            axes.annotate(f"{mark:,g}", (mark, 1), (3, -2), textcoords="offset points", va="top", color=WARN)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        between = "25" if max(places) >= 10 * min(places) else "2345678"  # matplotlib would write 2 x 10^1
        axes.xaxis.set_minor_formatter(lambda value, _: f"{value:,g}" if f"{value:.0e}"[0] in between else "")
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_xlabel(across)
        axes.set_ylabel(upwards)

    text = "; ".join(f"{place:,g}: {height:.1%}" for place, height in points[:: max(len(points) // 6, 1)])
    return figure(draw, width=_WIDE, height=2.4, alt=f"{title}: {text}")


def accuracies(rows: Mapping[str, tuple[float, float, float]], *, title: str) -> str:
    """Per learner the accuracy without learning, from the release and from the original, on one line."""

    def draw(axes: Any) -> None:
        for place, (trivial, release, original) in enumerate(rows.values()):
            axes.plot([trivial, original], [place, place], color=LINE, linewidth=2, zorder=1)
            axes.scatter([trivial], [place], s=40, marker="|", color=SOFT, zorder=2)
            axes.scatter([original], [place], s=46, facecolor="none", edgecolor=BEFORE, linewidth=1.4, zorder=2)
            axes.scatter([release], [place], s=60, color=BAR, zorder=3)
            axes.annotate(
                f"{release:.1%}", (release, place), (0, 7), textcoords="offset points", ha="center", color=INK
            )
        axes.set_yticks(range(len(rows)), list(rows), color=INK)
        axes.xaxis.set_major_locator(_few_ticks())
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g}%")
        axes.set_ylim(len(rows) - 0.5, -0.7)
        axes.set_xlabel("records of the original predicted right")
        _bare(axes, keep="bottom", ticks=True)

    text = "; ".join(
        f"{name}: release {r:.1%}, original {o:.1%}, always the same {t:.1%}" for name, (t, r, o) in rows.items()
    )
    return figure(draw, width=_WIDE, height=0.7 + 0.42 * max(len(rows), 1), alt=f"{title}: {text}")


def shortened(name: str, most: int = _LONGEST_LABEL) -> str:
    """A label that fits; dollar signs are no formulas."""
    name = name if len(name) <= most else f"{name[: most - 1]}…"
    return name.replace("$", r"\$")


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(3, steps=[1, 2, 5, 10])


def _bare(axes: Any, *, keep: str, ticks: bool = False) -> None:
    """Take away the frame but for one side, and the numbers of the axis along which numbers are written out."""
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(side == keep)
    if keep == "left" and not ticks and not axes.get_xticklabels()[0].get_text():
        axes.set_xticks([])
    if keep == "bottom":
        axes.set_yticks([]) if not ticks else None


def _alternative_text(title: str, rows: Mapping[str, float], digits: int) -> str:
    return f"{title}: " + "; ".join(f"{name} {value:,.{digits}f}" for name, value in rows.items())


_MARKS = "osD^vP*Xhp<>d8"
"""One shape for each method, so that color is not needed to tell them apart."""


def scatter(
    points: Sequence[tuple[str, str, float, float]], best: Sequence[int], *, title: str, across: str, upwards: str
) -> str:
    """Points (series, label, x, y); those numbered in `best`, which no other one beats on both axes, are joined."""
    names = list(dict.fromkeys(series for series, *_ in points))

    def draw(axes: Any) -> None:
        line = sorted((points[i][2], points[i][3]) for i in best)
        axes.plot([x for x, _ in line], [y for _, y in line], color=WARN, linewidth=1.2, linestyle="--", zorder=1)
        for number, name in enumerate(names):
            chosen = [point for point in points if point[0] == name]
            axes.scatter(
                [x for _, _, x, _ in chosen],
                [y for *_, y in chosen],
                s=42,
                marker=_MARKS[number % len(_MARKS)],
                facecolor=BAR if number % 2 == 0 else "none",
                edgecolor=INK,
                linewidth=0.8,
                label=shortened(name),
                zorder=2,
            )
        for i in best:
            _, label, x, y = points[i]
            axes.annotate(shortened(label, 34), (x, y), (5, 4), textcoords="offset points", color=SOFT, fontsize=7.5)
        axes.set_xlabel(across)
        axes.set_ylabel(upwards)
        axes.legend(frameon=False, fontsize=8, labelcolor=INK, loc="center left", bbox_to_anchor=(1.0, 0.5))

    text = "; ".join(f"{points[i][1]}: {points[i][2]:.3g}, {points[i][3]:.3g}" for i in best)
    return figure(draw, width=6.6, height=3.6, alt=f"{title}. Beaten by none: {text}")
