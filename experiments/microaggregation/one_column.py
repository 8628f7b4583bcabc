"""What the exact sensitivity is worth: each Census column by itself, as published and rigorous, and four together.

Root mean squared error by record, as a share of the column's width; bounds as in the paper.
"""

from __future__ import annotations

import sys

import numpy as np
from common import CENSUS, as_published, census, headline, masked_with_noise

from shoal.data.encoded import EncodedTable
from shoal.methods.microaggregation.advice import advised_k
from shoal.methods.microaggregation.method import MicroaggregationDP


def error(table: EncodedTable, method: MicroaggregationDP, runs: int) -> float:
    """Mean over runs, all columns alike."""
    found = [masked_with_noise(table, method, seed).squared_error(scaled=True) for seed in range(runs)]
    return float(np.mean(np.sqrt(np.array(found) / (table.total * len(table.attributes)))))


def main() -> None:
    """Print the errors."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    headline("Census, one column at a time, epsilon = 1", f"{runs} runs; root mean squared error by width")
    print(f"{'k':>4}  {'column':8} {'as published':>12} {'rigorous':>9} {'+ smoothed':>10}  noise less by")
    for k in (1, 5, 10, 33, 66, advised_k(1080, 1, 1.0)):
        for name in CENSUS:
            table = census((name,))
            errors = [
                error(table, as_published(table, k, 1.0), runs),
                error(table, MicroaggregationDP(epsilon=1, k=k, smooth=False), runs),
                error(table, MicroaggregationDP(epsilon=1, k=k), runs),
            ]
            print(f"{k:4}  {name:8} {errors[0]:12.4f} {errors[1]:9.4f} {errors[2]:10.4f}  {1080 / k:.1f}")
    headline("\nCensus, four columns", "epsilon = 1 for all of them together, delta = 1e-6 where there is one")
    table = census()
    for k in (33, 66, 132, 270, 540):
        laplace = error(table, MicroaggregationDP(epsilon=1, k=k), runs)
        gaussian = error(table, MicroaggregationDP(epsilon=1, delta="1e-6", k=k), runs)
        published = error(table, as_published(table, k, 1.0), runs)
        print(f"k = {k:3}: Laplace {laplace:.4f}, Gaussian {gaussian:.4f}; as published, at epsilon 4: {published:.4f}")


if __name__ == "__main__":
    main()
