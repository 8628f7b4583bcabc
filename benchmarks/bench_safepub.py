"""SafePub after encoding, CPU seconds on one core: 300 steps as published, and the rigorous mode, by distinct records.

The baseline is what a Python programmer would write: generalize every distinct record and `np.unique` over the rows,
for each scheme that the run looks at. ARX, 300 steps: Adult 1.05 s warm and 2.2 s cold; 1.2 million rows 27 s.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from common import ADULT, adult_schema, blow_up, cpu, machine

from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
from shoal.methods import Mode, SafePub
from shoal.quality import Classification, Loss
from shoal.search.blocks.block_scores import SchemeScores
from shoal.search.lattice import Lattice, Node

EVERY = 100_000


def encoded(path: Path) -> EncodedTable:
    schema = adult_schema("hierarchies_safepub")
    return encode(LocalEngine(open_source(path)), schema, schema.names(Role.QUASI_IDENTIFIER))


def naive_sizes(table: EncodedTable, node: Node) -> np.ndarray:
    rows = np.column_stack(
        [
            a.hierarchy.up[level][table.counts.column(a.name)]
            for a, level in zip(table.quasi_identifiers, node, strict=True)
        ]
    )
    _, inverse = np.unique(rows, axis=0, return_inverse=True)
    return np.bincount(inverse.ravel(), weights=table.counts.sizes)


def naive_seconds(table: EncodedTable, schemes: int) -> float:
    """CPU seconds of the baseline for one scheme."""
    rng = np.random.default_rng(0)
    nodes = [tuple(int(rng.integers(0, height + 1)) for height in Lattice.of(table).heights) for _ in range(schemes)]
    return cpu(lambda: [naive_sizes(table, node) for node in nodes], repeat=1) / schemes


def scored(method: SafePub, table: EncodedTable) -> int:
    """How many schemes a run looks at."""
    looked_at: set[Node] = set()
    one, many = SchemeScores.of, SchemeScores.near_the_best

    def watched(self: SchemeScores, node: Node) -> object:
        looked_at.add(node)
        return one(self, node)

    def all_watched(self: SchemeScores, nodes: list[Node], *also: object) -> object:
        looked_at.update(nodes)
        return many(self, nodes, *also)

    SchemeScores.of, SchemeScores.near_the_best = watched, all_watched  # type: ignore[method-assign]
    try:
        method.run(table, coins=SeededCoins(1), ledger=Ledger())
    finally:
        SchemeScores.of, SchemeScores.near_the_best = one, many  # type: ignore[method-assign]
    return len(looked_at)


def measure(name: str, table: EncodedTable, repeat: int, naive_schemes: int) -> None:
    naive = naive_seconds(table, naive_schemes)
    cases = {"published, 300 steps": {"mode": Mode.AS_PUBLISHED}, "rigorous, 1,000 candidates": {"candidates": 1000}}
    cases["rigorous, all schemes"] = {"candidates": EVERY}
    for quality in (Loss(), Classification("salary-class")):
        for what, settings in cases.items():
            method = SafePub(epsilon=1, delta="1e-6", quality=quality, **settings)
            schemes = scored(method, table)
            seconds = cpu(lambda method=method: method.run(table, coins=SeededCoins(1), ledger=Ledger()), repeat)
            print(
                f"{name:<12} {table.total:>10,} {len(table.counts):>9,} {type(quality).__name__:<15} {what:<28} "
                f"{schemes:>8,} {seconds:>7.2f} {naive * schemes / seconds:>12,.0f}",
                flush=True,
            )


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_200_000
    print(machine())
    columns = f"{'data':<12} {'rows':>10} {'distinct':>9} {'quality':<15} {'search':<28} {'schemes':>8} {'CPU s':>7}"
    print(f"{columns} {'x np.unique':>12}")
    measure("Adult", encoded(ADULT / "adult_arx.csv.gz"), repeat=3, naive_schemes=20)
    measure("Adult grown", encoded(blow_up(rows)), repeat=1, naive_schemes=2)


if __name__ == "__main__":
    main()
