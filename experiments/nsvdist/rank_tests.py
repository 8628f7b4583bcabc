"""Friedman's test and what follows it, from mean ranks: as the paper made them, and as Demšar (2006) asks for."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from scipy.stats import chi2, norm

LEARNERS = ("tree", "naive Bayes", "JRip", "SVM")
N = {
    "Abalone": 9,
    "Adult": 11,
    "Breast Cancer": 9,
    "CMC": 8,
    "Ecoli": 7,
    "Mammographic": 9,
    "Page Blocks": 7,
    "Yeast": 7,
}
"""The values of k that mean ranks with these denominators come from."""
Ranks = dict[tuple[str, int, str], tuple[float, ...]]
"""Mean ranks of NSVDist, PAIS, SeqA, Mondrian and the majority, by dataset, level of diversity and learner."""


def friedman(ranks: Sequence[float], number: int) -> float:
    """The p-value of Friedman's test, from mean ranks over so many values of k."""
    methods = len(ranks)
    spread = sum(rank**2 for rank in ranks) - methods * (methods + 1) ** 2 / 4
    return float(chi2.sf(12 * number / (methods * (methods + 1)) * spread, methods - 1))


def one_sided(ranks: Sequence[float], number: int) -> list[float]:
    """How likely NSVDist would be so much above each of the others by chance; no correction for looking at several."""
    methods = len(ranks)
    unit = (methods * (methods + 1) / (6 * number)) ** 0.5
    return [float(norm.sf((ranks[0] - rank) / unit)) for rank in ranks[1:]]


def corrected(p: float, comparisons: int = 4) -> float:
    """The test by its name: two-sided, times the number of comparisons (Bonferroni and Dunn, Demšar 2006)."""
    return min(1.0, 2 * min(p, 1 - p) * comparisons)


def printed() -> dict[int, dict[str, list[float]]]:
    """The paper's tables: table, dataset, numbers from left to right."""
    found: dict[int, dict[str, list[float]]] = {}
    with Path(__file__).with_name("tables_5_to_10.csv").open(encoding="utf-8", newline="") as lines:
        for table, dataset, *cells in list(csv.reader(lines))[1:]:
            found.setdefault(int(table), {})[dataset] = [float(cell) for cell in cells if cell]
    return found


def papers_ranks(tables: dict[int, dict[str, list[float]]]) -> Ranks:
    """Tables 7 and 8."""
    return {
        (dataset, level, learner): tuple(tables[7 + level][dataset][5 * at : 5 * at + 5])
        for level in (0, 1)
        for dataset in N
        for at, learner in enumerate(LEARNERS)
    }


def papers_agreement(tables: dict[int, dict[str, list[float]]]) -> dict[int, tuple[int, int]]:
    """How many of the paper's p-values follow from its mean ranks, to 0.01, and of how many: by table."""
    found: dict[int, list[bool]] = {}
    for (dataset, level, learner), mean in papers_ranks(tables).items():
        at = LEARNERS.index(learner)
        posthoc = one_sided(mean, N[dataset])
        pairs = [(5, friedman(mean, N[dataset]), tables[5][dataset][4 * level + at])]
        pairs.append((6, max(posthoc), tables[6][dataset][4 * level + at]))
        theirs = tables[9 + level][dataset][4 * at : 4 * at + 4]
        pairs += [(9 + level, p, q) for p, q in zip(posthoc, theirs, strict=True)]
        for table, ours, paper in pairs:
            found.setdefault(table, []).append(abs(ours - paper) <= 0.0101)
    return {table: (sum(agree), len(agree)) for table, agree in sorted(found.items())}
