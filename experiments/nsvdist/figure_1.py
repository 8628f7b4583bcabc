"""Figure 1: the loss metric of NSVDist, sequential anonymization and Mondrian over k, at two diversities.

The paper prints curves, not numbers: what can be compared is their order, NSVDist lowest.

Usage: figure_1.py [dataset …]
"""

from __future__ import annotations

import sys
import time

from common import global_diversity, machine, named

METHODS = ("NSVDist", "hardened", "SeqA", "Mondrian")
KS = {"Adult": (10, 50, 200), "CMC": (5, 10, 25, 50, 100), "Mammographic": (5, 10, 25, 50, 100)}

print(f"machine: {machine()}")
for dataset in named(*(sys.argv[1:] or KS)):
    table = dataset.table(dataset.codes(dataset.rows))
    higher = dataset.higher_diversity(float(global_diversity(dataset.rows)))
    print(f"\n{dataset.name}, {table.total:,} records: mean LM of a record (CPU seconds)")
    print(f"{'k':>5}{'l':>6}" + "".join(f"{name:>18}" for name in METHODS))
    for diversity in (1.0, higher):
        for k in KS[dataset.name]:
            line = f"{k:>5}{diversity:>6.2f}"
            for name in METHODS:
                started = time.process_time()
                outcome = dataset.release(name, table, k, diversity)
                spent = time.process_time() - started
                line += f"{'-':>18}" if outcome is None else f"{outcome.losses['loss']:>10.3f} ({spent:5.1f})"
            print(line, flush=True)
