"""Nodes of Adult's generalization lattice: one at a time, all of them, and the optimal search; CPU time on one core.

The baseline is what a Python programmer would write: generalize every record, `np.unique` over the rows, for each node.
"""

from __future__ import annotations

import numpy as np
from common import adult, cpu, machine

from shoal.criteria import KAnonymity
from shoal.methods import OLA, OptimalLattice
from shoal.quality import Discernibility, Granularity, GroupSize, Intensity, Loss, NonUniformEntropy
from shoal.search.evaluator import Evaluator
from shoal.search.exhaustive import best_of_all, walk
from shoal.search.lattice import Lattice, NodeClasses


def main() -> None:
    table = adult()
    lattice = Lattice.of(table)
    print(machine())
    print(f"Adult: {table.total:,} records, {len(table.counts):,} distinct, {lattice.size:,} nodes")

    rng = np.random.default_rng(0)
    nodes = [tuple(int(rng.integers(0, height + 1)) for height in lattice.heights) for _ in range(500)]
    ours = cpu(lambda: _sizes(NodeClasses(table), nodes))
    naive = cpu(lambda: [_naive_sizes(table, node) for node in nodes[:50]], repeat=1) * len(nodes) / 50
    print(f"{'random nodes':<44} {len(nodes) / ours:>9,.0f} nodes/s   {naive / ours:>6.1f} x np.unique over rows")

    every = cpu(lambda: [source.at(node).sizes for node, source in walk(NodeClasses(table))])
    print(f"{'all nodes, merging as it goes':<44} {lattice.size / every:>9,.0f} nodes/s   {every:>6.2f} s")

    head = f"{'optimal search, k = 5':<22} {'limit':>6} {'loss':>7} {'looked at':>10} {'CPU s':>7} {'all/ours':>16}"
    print(f"\n{head}")
    for model in (Loss(), Granularity(), Intensity(), Discernibility(), NonUniformEntropy(), GroupSize()):
        for limit in (0.0, 0.04, 1.0):
            method = OptimalLattice(k=5, suppression_limit=limit, quality=model)
            full = Evaluator(table, [KAnonymity(5)], model, min(int(limit * table.total), table.total - 1))
            whole = cpu(lambda full=full: best_of_all(full), repeat=1) if isinstance(model, Loss) else None
            _row(type(model).__name__, limit, method, table, whole)
    _row("Loss, by OLA", 0.04, OLA(k=5, suppression_limit=0.04), table, None)


def _row(name, limit, method, table, whole) -> None:  # noqa: ANN001
    found, seconds = method.run(table).search, cpu(lambda: method.run(table))
    ratio = "" if whole is None else f"{whole / seconds:.1f}"
    print(f"{name:<22} {limit:>6.0%} {found['loss']:>7.4f} {found['evaluated']:>10,} {seconds:>7.3f} {ratio:>16}")


def _sizes(classes: NodeClasses, nodes: list[tuple[int, ...]]) -> None:
    for node in nodes:
        _ = classes.at(node).sizes


def _naive_sizes(table, node):  # noqa: ANN001, ANN202
    rows = np.column_stack(
        [
            a.hierarchy.up[level][table.counts.column(a.name)]
            for a, level in zip(table.quasi_identifiers, node, strict=True)
        ]
    )
    _, inverse = np.unique(rows, axis=0, return_inverse=True)
    return np.bincount(inverse.ravel(), weights=table.counts.sizes)


if __name__ == "__main__":
    main()
