"""TDS and PAIS after encoding, CPU seconds on one core: Adult with 14 attributes, and grown to a million records.

The baseline is what a Python programmer would write: for each step and column one `np.unique` over the recoded rows to
see how small groups become; for PAIS one for each combination of columns.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
from common import cpu, machine

from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
from shoal.methods import PAIS, TDS

TARGET = "income"


def adult() -> EncodedTable:
    """Adult as the experiments read it, its class sensitive."""
    path = Path(__file__).resolve().parents[1] / "experiments" / "diffgen" / "common.py"
    read = importlib.util.module_from_spec(importlib.util.spec_from_file_location("experiments_common", path))
    read.__spec__.loader.exec_module(read)
    table = read.adult("train")
    roles = tuple(replace(a, role=Role.SENSITIVE) if a.name == TARGET else a for a in table.attributes)
    return replace(table, attributes=roles)


def grown(table: EncodedTable, rows: int) -> EncodedTable:
    """Records drawn with replacement, each cell drawn anew from its marginal with probability 0.12."""
    rng = np.random.default_rng(1)
    weights = table.counts.sizes / table.total
    chosen = rng.choice(len(table.counts), rows, p=weights)
    columns = []
    for codes in table.counts.codes:
        other = rng.choice(len(table.counts), rows, p=weights)
        columns.append(codes[np.where(rng.random(rows) < 0.12, other, chosen)])
    return replace(table, counts=Counts.of(table.counts.names, columns, table.counts.cardinalities))


def naive_seconds(table: EncodedTable, columns: int) -> float:
    """One `np.unique` over the rows of some columns."""
    names = [attribute.name for attribute in table.quasi_identifiers][:columns]
    rows = np.column_stack([table.counts.column(name).astype(np.int64) % 4 for name in names])
    return cpu(lambda: np.unique(rows, axis=0, return_inverse=True), repeat=1)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    train = adult()
    print(machine())
    print(f"{'':<22} {'records':>10} {'distinct':>10} {'steps':>6} {'classes':>8} {'CPU s':>7} {'x np.unique':>12}")
    for table, repeat in ((train, 3), (grown(train, rows), 1)):
        width = len(table.quasi_identifiers)
        whole, four = naive_seconds(table, width), naive_seconds(table, 4)
        for name, method in (
            ("TDS, k = 5", TDS(k=5, target=TARGET)),
            ("TDS, k = 50", TDS(k=50, target=TARGET)),
            ("PAIS, L = 4, K = 5", PAIS(length=4, k=5, target=TARGET)),
            ("PAIS, L = 4, K = 50", PAIS(length=4, k=50, target=TARGET)),
            ("PAIS, L = 2, K = 50", PAIS(length=2, k=50, target=TARGET)),
        ):
            outcome = method.run(table)
            seconds = cpu(lambda method=method, table=table: method.run(table), repeat)
            steps = outcome.search["specializations"]
            looks = whole * width if isinstance(method, TDS) else four * comb(width - 1, method.length - 1)
            print(
                f"{name:<22} {table.total:>10,} {len(table.counts):>10,} {steps:>6} {outcome.search['classes']:>8,} "
                f"{seconds:>7.2f} {steps * looks / seconds:>12,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
