"""Is `k = "auto"` any good? The error for many k beside that for the advised one, which is found without the data."""

from __future__ import annotations

import sys

import numpy as np
from common import adult, census, headline, masked_with_noise

from shoal.data.encoded import EncodedTable
from shoal.methods.microaggregation.method import MicroaggregationDP


def error(table: EncodedTable, k: int, epsilon: float, delta: str, runs: int) -> float:
    """Root mean squared error by record and column, as a share of the width."""
    method = MicroaggregationDP(epsilon=epsilon, delta=delta, k=k)
    found = [masked_with_noise(table, method, seed).squared_error(scaled=True) for seed in range(runs)]
    return float(np.mean(np.sqrt(np.array(found) / (table.total * len(table.attributes)))))


def main() -> None:
    """Print where the advice lands."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    headline(
        "Root mean squared error by k", f"rigorous, {runs} runs; numbers as shares of their width, categories of theirs"
    )
    tables = {
        "Census, FEDTAX": census(("FEDTAX",)),
        "Census, INTVAL": census(("INTVAL",)),
        "Census, 4 columns": census(),
        "Adult, 2 categories": adult(numerical=False),
        "Adult, 2 numbers, 2 categories": adult(numerical=True),
    }
    for name, table in tables.items():
        for epsilon, delta in ((0.1, "0"), (1.0, "0"), (1.0, "1e-6"), (10.0, "0")):
            advised = MicroaggregationDP(epsilon=epsilon, delta=delta).cluster_size(table)
            sizes = sorted({max(2, round(table.total / 2**i)) for i in range(12)} | {advised})
            errors = {k: error(table, k, epsilon, delta, runs) for k in sizes}
            best = min(errors, key=errors.__getitem__)
            print(
                f"{name:31} epsilon {epsilon:4} delta {delta:4}: advised k = {advised:6,} error {errors[advised]:.4f}; "
                f"best of {len(sizes)} k = {best:6,} error {errors[best]:.4f}; k = 2 error {errors[min(sizes)]:.4f}"
            )


if __name__ == "__main__":
    main()
