"""Tables 5 to 10: does the anonymizer matter, and is NSVDist better? Friedman's test over k, and Bonferroni and Dunn's.

Five methods (the majority is the fifth) are ranked at every k by the accuracy of a learner, 5 is best (Tables 7, 8);
Friedman's test asks whether mean ranks differ (Table 5); a post-hoc test compares NSVDist with each of the others (9,
10) and with the best of them (6): z = (difference of mean ranks) / √(5 · 6 / (6 N)) for N values of k.

First the paper's own tables: from its ranks its p-values follow, and with them which test it made: one-sided and
without Bonferroni's correction. Then ours (`grid.py`), both ways. Where nothing can be published the majority stands
in.

Usage: tables_5_to_10.py [--full] [--folds 5] [--draws 1] [dataset …]
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from common import Dataset, machine
from grid import METHODS, Grid, chosen, settings
from rank_tests import LEARNERS, N, Ranks, corrected, friedman, one_sided, papers_agreement, papers_ranks, printed
from scipy.stats import rankdata


def our_ranks(grid: Grid, dataset: Dataset, ks: Sequence[int]) -> Ranks:
    """Mean ranks over k, ties shared."""
    majority = grid.original(dataset)["majority"]
    found = {}
    for level in (0, 1):
        for learner in LEARNERS:
            rows = [[(grid.at(dataset, name, k, level) or {}).get(learner, majority) for name in METHODS] for k in ks]
            ranks = [rankdata(np.round([*row, majority], 4)) for row in rows]
            found[dataset.name, level, learner] = tuple(np.mean(ranks, axis=0).tolist())
    return found


def verdict(ranks: Ranks, numbers: dict[str, int]) -> None:
    """In how many cells NSVDist is above all others, below one, and significantly so, by either test."""
    tests = {
        "one-sided, uncorrected": lambda p: p,
        "the same, rounded to two digits": lambda p: round(p, 2),
        "Bonferroni and Dunn": corrected,
    }
    best = {key: max(one_sided(mean, numbers[key[0]])) for key, mean in ranks.items()}
    above = {key for key, p in best.items() if p < 0.5}
    rejected = sum(friedman(mean, numbers[key[0]]) <= 0.05 for key, mean in ranks.items())
    print(f"Friedman: equal ranks rejected at 0.05 in {rejected} of {len(ranks)} cells")
    print(f"NSVDist has the best rank in {len(above)} of {len(ranks)} cells")
    for name, test in tests.items():
        wins = sum(test(best[key]) <= 0.05 for key in above)
        losses = sum(test(1 - p) <= 0.05 for key, p in best.items() if key not in above)
        print(f"  {name}: significantly better than all others in {wins}, worse than the best other in {losses}")


def check(tables: dict[int, dict[str, list[float]]]) -> None:
    """The paper's p-values from its own ranks."""
    print("The paper's p-values that follow from its mean ranks (Tables 7 and 8), to 0.01:")
    told = papers_agreement(tables)
    print(", ".join(f"Table {table}: {agree} of {total}" for table, (agree, total) in told.items()))
    verdict(papers_ranks(tables), N)
    print("(the paper says: Friedman rejects in all 64; significantly better in 31, worse in 10)")


def main() -> None:
    warnings.filterwarnings("ignore")
    said = settings(__doc__)
    tables = printed()
    check(tables)
    grid, ranks = Grid(said.folds, said.draws), {}
    print(f"\nours: {said.folds} of ten folds, {said.draws} draws, k as below; machine: {machine()}")
    for dataset in chosen(*said.datasets):
        ks = said.ks[dataset.name]
        mine = our_ranks(grid, dataset, ks)
        ranks |= mine
        print(
            f"\n{dataset.name}, k = {', '.join(map(str, ks))}; mean ranks (paper's), Friedman's p, p to the best other"
        )
        for (name, level, learner), mean in mine.items():
            theirs = tables[7 + level][name][5 * LEARNERS.index(learner) :]
            cells = "  ".join(f"{a:.2f} ({b:.2f})" for a, b in zip(mean, theirs, strict=False))
            p = max(one_sided(mean, len(ks)))
            tests = f"{friedman(mean, len(ks)):.3f}  {p:.3f}, corrected {corrected(p):.3f}"
            print(f"{'l > 1' if level else 'l = 1'}  {learner:<12} {cells}  {tests}", flush=True)
    print("\nours, all together")
    verdict(ranks, {name: len(said.ks[name]) for name in N})


if __name__ == "__main__":
    main()
