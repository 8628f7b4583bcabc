"""The page of a comparison: loss against risk against accuracy, with the frontier."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from shoal.compare.figures import Figures, about_found, baseline
from shoal.pages import charts
from shoal.pages.report.layout import owners_page, section
from shoal.pages.report.tables import items, table

NOT_PRIVATE = (
    "These figures are computed from the original. To choose a release by them is to let the original choose, and no "
    "differentially private guarantee covers that choice: a release chosen so promises less than its certificate says. "
    "Choose before you look, or on public data of the same kind. To let a private mechanism choose, by trying a random "
    "number of releases and keeping the best, costs two to three times the epsilon of one of them (Liu and Talwar "
    "2019; Papernot and Steinke 2022)."
)

ORIGINAL = "the original"
"""What releases are compared with: nothing is lost in it, and nobody is hidden."""

PAIRS = (
    ("query_error", "linked", "mean error of count queries", "people whose record is found", False),
    ("accuracy", "linked", "accuracy of a classifier", "people whose record is found", True),
    ("query_error", "accuracy", "mean error of count queries", "accuracy of a classifier", None),
)
"""What is drawn against what: keys, their names, and whether a larger first one is better (None: the second is)."""


def page(rows: Sequence[Figures], labels: Sequence[str], notes: Sequence[str] = (), advice: Sequence[str] = ()) -> str:
    """The page, from the figures of each release and what it is called; what was changed for some, which are best."""
    original = baseline(rows)
    done = [i for i, row in enumerate(rows) if "problem" not in row]
    pieces = [section("Which one", "Of those that were compared, by these figures.", items(advice))] if advice else []
    for first, second, across, upwards, larger in PAIRS:
        usable = [i for i in done if rows[i].get(first) is not None and rows[i].get(second) is not None]
        if "linked" in (first, second):  # nobody wins by a figure that leaves out a column
            usable = [i for i in usable if not rows[i].get("linked_is_least")]
        if len(usable) < 2:
            continue
        points = [(str(rows[i]["method"]), labels[i], float(rows[i][first]), float(rows[i][second])) for i in usable]
        signs = (1, -1) if larger is None else ((-1, 1) if larger else (1, 1))
        best = frontier([(signs[0] * x, signs[1] * y) for *_, x, y in points])
        if first in original and second in original:
            points.append((ORIGINAL, ORIGINAL, float(original[first]), float(original[second])))
        title = f"{across} against {upwards}"
        pieces.append(
            section(
                title[0].upper() + title[1:],
                "Joined: releases that no other one beats on both.",
                charts.scatter(points, best, title=title, across=across, upwards=upwards),
            )
        )
    keys = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in ("promise", "problem")]
    body = [[ORIGINAL, *(_cell(original.get(key)) for key in keys if key != "method")]] if original else []
    body += [[labels[i], *(_cell(rows[i].get(key)) for key in keys if key != "method")] for i in done]
    about = "".join(f"{note}. " for note in about_found(rows, labels)).strip()
    pieces.append(
        section("All figures", escape(about), table(["release", *(k for k in keys if k != "method")], body, ""))
    )
    pieces.append(section("What each promises", "", items(f"{labels[i]}: {rows[i]['promise']}" for i in done)))
    if notes:
        pieces.append(section("Changed for some", "", items(f"{note}." for note in notes)))
    failed = [f"{labels[i]}: {row['problem']}" for i, row in enumerate(rows) if "problem" in row]
    if failed:
        pieces.append(section("Could not be made", "", items(failed)))
    predicted = next((rows[i]["predicted"] for i in done if rows[i].get("predicted")), None)
    predicts = "" if predicted is None else f" The classifier predicts {escape(str(predicted))}."
    made = f"{len(done)} releases were made and measured" + (f", {len(failed)} could not be." if failed else ".")
    return owners_page(
        "Shoal: comparison",
        "Releases compared",
        summary=f"<p>{made}{predicts}</p><p>{escape(NOT_PRIVATE)}</p>",
        sections=pieces,
    )


def frontier(costs: Sequence[tuple[float, float]]) -> list[int]:
    """The places no other one beats on one cost without losing on the other; of equal ones the first."""
    best: list[int] = []
    least = float("inf")
    for i in sorted(range(len(costs)), key=lambda i: (costs[i], i)):
        if costs[i][1] < least:
            least = costs[i][1]
            best.append(i)
    return best


def _cell(value: Any) -> Any:
    return "" if value is None else round(value, 4) if isinstance(value, float) else value
