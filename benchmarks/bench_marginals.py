"""How long `marginals` takes: made-up tables of fifteen columns in which nearly all records are distinct.

After encoding, on one core; releases are made with seeded coins. Usage: bench_marginals.py [records ...]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import shoal
from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.kernels.grouping import narrowest

NAMED = (2, 2, 3, 5, 6, 7, 8, 14, 16, 41)
WIDE = (80, 100, 5_000, 100_000, 1_500_000)


def main() -> None:
    """A line for each size."""
    for records in map(int, sys.argv[1:] or ("30000", "1000000")):
        table = made_up(records)
        start = time.process_time()
        outcome = shoal.Marginals(epsilon=1, target="n0").run(table, coins=SeededCoins(1), ledger=Ledger())
        seconds = time.process_time() - start
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        groups = len(outcome.search["columns counted together"])
        print(
            f"{records:>10,} records ({len(table.counts):,} distinct): {seconds:5.1f} s of CPU, {groups} groups, "
            f"{megabytes:,.0f} MB in all",
            flush=True,
        )


def made_up(records: int) -> EncodedTable:
    """Columns that depend on one another through two hidden numbers."""
    rng = np.random.default_rng(0)
    hidden = rng.random((2, records))
    attributes, codes = [], []
    for i, size in enumerate((*NAMED, *WIDE)):
        place = np.clip(0.6 * hidden[i % 2] + 0.4 * rng.random(records), 0, 1 - 1e-9) ** (1 + i % 3)
        domain = Categorical(tuple(map(str, range(size)))) if i < len(NAMED) else Grid.between(0, size - 1)
        attributes.append(settle(Column(f"n{i}", Role.QUASI_IDENTIFIER), domain))
        codes.append((place * size).astype(narrowest(size)))
    sizes = [attribute.domain.size for attribute in attributes]
    return EncodedTable(tuple(attributes), Counts.of([a.name for a in attributes], codes, sizes))


if __name__ == "__main__":
    main()
