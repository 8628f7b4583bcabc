"""Where the query error of `marginals` comes from: what its model leaves out, noise, and whole numbers of records.

For each ε the mean relative error of the queries of `queries.py` where (1) counts have no noise but choices, cuts and
shares are those of a release, and records keep their weights: what the model leaves out; (2) the same in whole
numbers; (3) with noise, records with their weights; (4) as released. Looks at the original without noise: for research
only. Usage: where_error_comes_from.py [releases] [table]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from queries import TABLES, tables

import shoal
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.evaluate.queries import Workload, query_errors
from shoal.methods.marginals import method
from shoal.methods.marginals.purse import PurePurse
from shoal.methods.marginals.weights.rounding import balanced_numbers

MANY = 1000
"""A record that is published so often stands for its weight."""


def main() -> None:
    """Four lines for each ε."""
    releases = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    name = sys.argv[2] if len(sys.argv) > 2 else "adult-9"
    train, _ = tables(name)
    for epsilon in (1.0, 0.1):
        for said, settings in {
            "no noise, weights": (False, False),
            "no noise, whole numbers": (False, True),
            "noise, weights": (True, False),
            "as released": (True, True),
        }.items():
            with changed(*settings):
                made = shoal.Marginals(epsilon=epsilon, target=TABLES[name].target)
                errors = [
                    query_errors(
                        made.run(train, coins=SeededCoins(seed), ledger=Ledger()), Workload(seed=seed).on(train)
                    ).mean
                    for seed in range(releases)
                ]
            spread = np.std(errors) / np.sqrt(releases)
            print(f"{name:<10} {epsilon:>5}  {said:<24} {np.mean(errors):.4f} ± {spread:.4f}", flush=True)


@contextmanager
def changed(noise: bool, whole: bool) -> Iterator[None]:
    """Without noise on counts, or without whole numbers."""

    def exact(_: PurePurse, table: Any, *__: object) -> Any:
        return table.copy()

    def as_weights(columns: Any, weights: Any, total: int) -> Any:
        return balanced_numbers(columns, weights, MANY * total)

    counts = PurePurse.count if noise else exact
    numbers = balanced_numbers if whole else as_weights
    with patch.object(PurePurse, "count", counts), patch.object(method, "balanced_numbers", numbers):
        yield


if __name__ == "__main__":
    main()
