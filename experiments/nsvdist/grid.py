"""Accuracies of the paper's learners on what each anonymizer publishes, for every k and both diversities (§5.1).

Only training records are anonymized; concrete records are drawn from the release, values by their frequencies in the
training records, classes from their distributions; tests are on original records. Every number is kept, so that Table
4, Figures 2 to 4 and Tables 5 to 10 share them, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from common import Dataset, global_diversity, named
from learners import accuracies
from workbench import Kept

from shoal.arrays import Keys
from shoal.evaluate.materialize import materialize

METHODS = ("NSVDist", "PAIS", "SeqA", "Mondrian")
KS = {
    "Abalone": (2, 5, 10, 25, 50, 100, 200, 300, 500),
    "Adult": (2, 5, 10, 25, 50, 100, 150, 200, 300, 400, 500),
    "Breast Cancer": (2, 5, 10, 20, 30, 50, 75, 100, 150),
    "CMC": (2, 5, 10, 25, 50, 100, 200, 300),
    "Ecoli": (2, 5, 10, 20, 30, 50, 75),
    "Mammographic": (2, 5, 10, 25, 50, 75, 100, 150, 200),
    "Page Blocks": (2, 5, 10, 50, 100, 200, 500),
    "Yeast": (2, 5, 10, 25, 50, 100, 200),
}
"""As many as the paper's average ranks tell that it had; which, it does not print."""
FEWER = {name: (10, 25, 50, 100) if name != "Adult" else (10, 50, 100) for name in KS} | {"Ecoli": (5, 10, 25, 50)}


def settings(about: str | None) -> argparse.Namespace:
    """How many folds and draws; `ks` are all of them with `--full`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*")
    parser.add_argument("--full", action="store_true", help="ten folds, ten draws, as many k as in the paper")
    parser.add_argument("--folds", type=int)
    parser.add_argument("--draws", type=int)
    said = parser.parse_args()
    said.folds, said.draws = (said.folds or (10 if said.full else 5)), (said.draws or (10 if said.full else 1))
    said.ks = KS if said.full else FEWER
    return said


def splits(dataset: Dataset, folds: int) -> Iterator[tuple[Keys, Keys]]:
    """Training and test records."""
    codes = dataset.codes(dataset.rows)
    if dataset.test_rows:
        yield codes, dataset.codes(dataset.test_rows)
        return
    fold = np.random.default_rng(0).permutation(len(codes)) % max(folds, 10)
    for number in range(folds):
        yield codes[fold != number], codes[fold == number]


class Grid:
    """Mean accuracies by dataset, anonymizer, k and diversity."""

    def __init__(self, folds: int, draws: int) -> None:
        self.folds, self.draws = folds, draws
        self._kept = Kept("nsvdist_accuracies")
        sources = (Path(__file__).with_name(name).read_bytes() for name in ("grid.py", "learners.py", "ripper.py"))
        self._version = hashlib.sha256(b"".join(sources)).hexdigest()[:12]

    def original(self, dataset: Dataset) -> dict[str, float]:
        """What is learned from the training records themselves, and what the majority gets."""
        return self._get(dataset, "original", 1, 1.0)

    def at(self, dataset: Dataset, name: str, k: int, level: int) -> dict[str, float] | None:
        """What is learned from a release at ℓ = 1 (level 0) or the higher diversity (1); None if there is none."""
        return self._get(dataset, name, k, diversities(dataset)[level])

    def _get(self, dataset: Dataset, name: str, k: int, diversity: float) -> dict[str, float] | None:
        folds = 1 if dataset.test_rows else self.folds
        key = (self._version, dataset.name, name, k, diversity, folds, self.draws)
        found: dict[str, float] | None = self._kept.get(key, lambda: self._measured(dataset, name, k, diversity))
        return found

    def _measured(self, dataset: Dataset, name: str, k: int, diversity: float) -> dict[str, float] | None:
        found = []
        for number, (train, test) in enumerate(splits(dataset, self.folds)):
            rng = np.random.default_rng([7, number])
            drawn = [train] if name == "original" else self._drawn(dataset, train, name, k, diversity, rng)
            found += [accuracies(dataset, rows, test, rng) for rows in drawn]
        return {one: float(np.mean([each[one] for each in found])) for one in found[0]} if found else None

    def _drawn(
        self, dataset: Dataset, train: Keys, name: str, k: int, diversity: float, rng: np.random.Generator
    ) -> Iterator[Keys]:
        table = dataset.table(train)
        outcome = dataset.release(name, table, k, diversity)
        marginals = {a.name: table.marginal(a.name) for a in table.quasi_identifiers}
        for _ in range(self.draws if outcome is not None and outcome.published.kept else 0):
            drawn = materialize(outcome, rng, marginals)
            yield np.repeat(np.stack([c.astype(np.int64) for c in drawn.codes], axis=1), drawn.sizes, axis=0)


def diversities(dataset: Dataset) -> tuple[float, float]:
    """ℓ = 1, and the higher one of §5.2."""
    return 1.0, dataset.higher_diversity(float(global_diversity(dataset.rows)))


def chosen(*names: str) -> list[Dataset]:
    """Some of the datasets, Adult, which takes longest, last."""
    return sorted(named(*names), key=lambda dataset: dataset.name == "Adult")
