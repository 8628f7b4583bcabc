"""Which one? A sentence for each need, from the figures of a comparison: for the owner's eyes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TRUTHFUL = frozenset(
    {
        "optimal-lattice", "ola", "safepub", "mondrian", "local-recoding", "cell-suppression", "nsvdist", "sequential",
        "nhaa", "tds", "pais",
    }
)  # fmt: skip
"""Methods whose records are true, if coarser: nothing is made up, averaged, swapped or noisy."""


@dataclass(frozen=True, slots=True)
class Need:
    """What recipients may need, and the figure that says how well it is met.

    Attributes:
        name: In a word or two.
        figure: The figure that decides.
        words: How it is told, with a place for its value.
        larger: Whether more of it is better.
        truthful: Whether records must be true.
    """

    name: str
    figure: str
    words: str
    larger: bool = False
    truthful: bool = False


NEEDS = (
    Need("true records", "query_error", "counts off by {:.1%}", truthful=True),
    Need("a classifier", "accuracy", "accuracy {:.1%}", larger=True),
    Need("ranking by likelihood", "auc", "AUC {:.1%}", larger=True),
    Need("counts", "query_error", "off by {:.1%}"),
    Need("numbers", "numbers_moved", "distributions moved by {:.2%} of their width"),
)

_ENOUGH = 0.5
"""Records that must be left: figures of a release that leaves out more speak for a part of the people."""


def recommended(rows: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> list[str]:
    """For each need the release that meets it best with differential privacy, and the best one without."""
    found = []
    for need in NEEDS:
        parts = []
        for private, words in ((True, "with differential privacy"), (False, "without it")):
            best = _best(need, rows, labels, private=private)
            if best is not None:
                parts.append(f"{words} {best}")
        if parts:
            found.append(f"For {need.name}: {'; '.join(parts)}.")
    return found


def _best(need: Need, rows: Sequence[Mapping[str, Any]], labels: Sequence[str], *, private: bool) -> str | None:
    """The label of the best release, with its figure and the risk that is left; None if there is none of the kind."""
    fitting = [
        (row, label)
        for row, label in zip(rows, labels, strict=True)
        if "problem" not in row
        and row.get(need.figure) is not None
        and bool(row.get("private")) is private
        and (row["method"] in TRUTHFUL or not need.truthful)
        and row.get("records")
        and not _is_no_better_than_nothing(need, row)
        and (private or row.get("left_out", 0.0) < _ENOUGH)
    ]
    if not fitting:
        return None
    sign = -1 if need.larger else 1
    row, label = min(fitting, key=lambda one: sign * float(one[0][need.figure]))
    risk = "" if private or row.get("linked") is None else f", {row['linked']:.1%} of people found"
    return f"{label} ({need.words.format(row[need.figure])}{risk})"


def _is_no_better_than_nothing(need: Need, row: Mapping[str, Any]) -> bool:
    """Whether a classifier from it predicts no better than the most frequent value, or ranks no better than chance."""
    if need.figure == "accuracy":
        return float(row["accuracy"]) <= float(row.get("accuracy_trivial") or 0.0)
    return need.figure == "auc" and float(row["auc"]) <= 0.5
