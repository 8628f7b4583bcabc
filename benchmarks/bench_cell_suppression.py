"""Cell suppression: seconds for a million records, blanks beside the bound, and beside the optimum for small tables.

Synthetic people with skewed columns (Zipf), k = 5. CPU time from the table to the facts of its release.

Run: python benchmarks/bench_cell_suppression.py [records]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow as pa
from common import machine

import shoal

COLUMNS = {"age": 100, "zip": 500, "sex": 2, "education": 12, "job": 60, "nationality": 40}


def people(records: int, widths: dict[str, int]) -> tuple[pa.Table, shoal.Schema]:
    """Skewed columns, and their schema."""
    rng = np.random.default_rng(0)
    schema = shoal.Schema()
    for name, width in widths.items():
        schema = schema.with_column(name, role="quasi-identifier", domain=(0, width - 1))
    return pa.table({name: rng.zipf(1.5, records) % width for name, width in widths.items()}), schema


def measure(records: int, widths: dict[str, int], *, optimal: bool = False) -> tuple[float, dict[str, object]]:
    """CPU seconds and what was found."""
    table, schema = people(records, widths)
    start = time.process_time()
    facts = shoal.CellSuppression(k=5, optimal=optimal).anonymize(table, schema).facts
    return time.process_time() - start, dict(facts.search)


def main(records: int) -> None:
    """A large table, then small ones with the optimum."""
    print(machine())
    seconds, found = measure(records, COLUMNS)
    cells = records * len(COLUMNS)
    print(f"{records:,} records, {len(COLUMNS)} quasi-identifiers: {seconds:.1f} s with reading and report facts")
    print(f"  blanked {found['blanked cells']:,} of {cells:,} cells; any choice blanks", end=" ")
    print(f"{float(str(found['no choice of cells loses less than'])) * cells:,.0f} or more")
    for size in (50, 100, 200):
        widths = {"a": 6, "b": 4, "c": 3, "d": 2}
        quick, best = measure(size, widths)[1], measure(size, widths, optimal=True)
        print(f"{size} records, 4 columns: {quick['blanked cells']} blanks,", end=" ")
        print(f"optimum {best[1]['blanked cells']} ({best[0]:.1f} s)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
