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
_MOST_FOUND = 0.2
"""People that may be found in what is recommended without differential privacy: one in five, as in classes of five."""
_OFF_BY_ALL = 1.0
"""Counts that are off by as much as they are, or more, say nothing."""
_CHANCE = 0.55
"""Who ranks by throwing a coin has an AUC of 0.5, give or take what a table of hundreds of records does."""


def recommended(rows: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> list[str]:
    """For each need the release that meets it best with differential privacy, and the best one without.

    Nothing is recommended that is of no use, or in which more than one person in five is found: the sentence says so.
    Where there is one release there is nothing to choose.
    """
    made = [(row, label) for row, label in zip(rows, labels, strict=True) if "problem" not in row]
    if len(made) < 2:
        return []
    found = []
    for need in NEEDS:
        with_it, without = (_best(need, made, private=private) for private in (True, False))
        parts = [] if with_it is None else [f"with differential privacy {with_it}"]
        if without is not None:
            parts.append(f"without {'differential privacy' if with_it is None else 'it'} {without}")
        if parts:
            found.append(f"For {need.name}: {'; '.join(parts)}.")
    return found


def found_words(row: Mapping[str, Any]) -> str:
    """How many people are found, and what kind of figure that is; empty where nobody can be, or nobody knows."""
    if row.get("linked") is None:
        return ""
    bound = "at least " if row.get("linked_is_least") else "at most " if row.get("linked_is_bound") else ""
    return f"{bound}{row['linked']:.1%} of people found"


def _best(need: Need, made: Sequence[tuple[Mapping[str, Any], str]], *, private: bool) -> str | None:
    """The label of the best release, with its figure and the risk that is left; None if there is none of the kind."""
    sign = -1 if need.larger else 1
    fitting = sorted(
        (
            (row, label)
            for row, label in made
            if row.get(need.figure) is not None
            and bool(row.get("private")) is private
            and (row["method"] in TRUTHFUL or not need.truthful)
            and row.get("records")
            and (private or row.get("left_out", 0.0) < _ENOUGH)
        ),
        key=lambda one: sign * float(one[0][need.figure]),
    )
    if not fitting:
        return None
    useful = [(row, label) for row, label in fitting if not _is_no_better_than_nothing(need, row)]
    if not useful:
        row, label = fitting[0]
        return f"none of them is of use (the best, {label}: {need.words.format(row[need.figure])})"
    safe = [(row, label) for row, label in useful if private or (row.get("linked") or 0.0) <= _MOST_FOUND]
    row, label = (safe or useful)[0]
    told = [need.words.format(row[need.figure]), *([] if private else filter(None, [found_words(row)]))]
    if not safe:
        return f"none in which at most {_MOST_FOUND:.0%} of people are found (the best, {label}: {', '.join(told)})"
    return f"{label} ({', '.join(told)})"


def _is_no_better_than_nothing(need: Need, row: Mapping[str, Any]) -> bool:
    """Whether it predicts no better than the most frequent value, ranks no better than chance, or counts nothing."""
    if need.figure == "accuracy":
        return float(row["accuracy"]) <= float(row.get("accuracy_trivial") or 0.0)
    if need.figure == "query_error":
        return float(row["query_error"]) > _OFF_BY_ALL
    return need.figure == "auc" and float(row["auc"]) <= _CHANCE
