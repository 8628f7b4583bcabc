"""DiffGen after encoding, h = 15: CPU seconds on one core, peak memory, by number of records.

Larger tables are made as in the paper (§5, Scalability): each record of Adult and variations of it with some values
replaced at random. The baseline is what a NumPy programmer would write for the scores of one specialization: sort
(group, value, class) of every column. The paper: tens of seconds for 200,000 to 1,000,000 records.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from common import cpu, fresh_process, machine

from shoal.data.encoded import EncodedTable
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.methods.base import Mode
from shoal.methods.diffgen.method import DiffGen

TARGET = "income"


def grown(records: int) -> EncodedTable:
    """Adult, and variations of its records with 3 of 10 values replaced by one of the same column."""
    import importlib.util

    where = Path(__file__).resolve().parents[1] / "experiments" / "diffgen" / "common.py"
    spec = importlib.util.spec_from_file_location("diffgen_common", where)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    made: EncodedTable = loaded.grown(records)
    return made


def naive(table: EncodedTable) -> None:
    """The counts from which one round of scores is made, by sorting."""
    group = np.zeros(len(table.counts), dtype=np.int64)
    for name in table.counts.names:
        rows = np.stack([group, table.counts.column(name).astype(np.int64), table.counts.column(TARGET)])
        _, which = np.unique(rows, axis=1, return_inverse=True)
        np.bincount(which.ravel(), weights=table.counts.sizes)


def main() -> None:
    print(machine())
    # First, for a new process begins with the peak of the one that started it.
    code = "from bench_diffgen import *; t = grown({})\n"
    code += "m = DiffGen(epsilon=1, target=TARGET, specializations=15, show='groups')\n"
    run = "m.run(t, coins=SeededCoins(1), ledger=Ledger())\n"
    for records in (30_162, 1_000_000):
        (_, before), (_, after) = (fresh_process(code.format(records) + more) for more in ("", run))
        print(f"peak memory, {records:>9,} records: {after:,.0f} MB, {before:,.0f} MB of them for the table")
    print(f"{'records':>10} {'distinct':>10} {'mode':<14} {'CPU s':>7} {'x sorting':>10}")
    for records in [int(said) for said in sys.argv[1:]] or [30_162, 200_000, 1_000_000]:
        table = grown(records)
        sorting = 15 * cpu(lambda table=table: naive(table), repeat=1)
        for mode in (Mode.RIGOROUS, Mode.AS_PUBLISHED):
            method = DiffGen(epsilon=1, target=TARGET, specializations=15, mode=mode, threshold=20)
            method.run(table, coins=SeededCoins(0), ledger=Ledger())  # compiled
            seconds = cpu(
                lambda method=method, table=table: method.run(table, coins=SeededCoins(1), ledger=Ledger()), repeat=2
            )
            print(
                f"{records:>10,} {len(table.counts):>10,} {mode.value:<14} {seconds:>7.2f} {sorting / seconds:>10,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
