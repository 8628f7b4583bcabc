"""Concrete records from a release: what learners and counting queries need."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.arrays import Codes, Keys, Sizes
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.evaluate.posterior import OverRange, spreads
from shoal.kernels.grouping import narrowest


def materialize(outcome: Outcome, rng: np.random.Generator, frequencies: Mapping[str, Sizes] | None = None) -> Counts:
    """Draw a concrete record from each published one, in the leaf codes of `outcome.table`.

    A node, range or set becomes one of its values, all equally likely; a number, the nearest value of the domain; a
    distribution, a value drawn from it. Columns are drawn independently of each other. A column that shows its values
    keeps them.

    Args:
        outcome: What a method decided.
        rng: Evaluation is for the owner's eyes, so a seeded generator will do.
        frequencies: Per column how often each leaf occurs, where that is public: values of a node, range or set are
            then as likely as it says.

    Paper: NSVDist §5.1, which draws by the frequencies of the training set.
    """
    published, cardinalities = outcome.published, outcome.table.counts.cardinality
    rows: Keys = np.repeat(np.arange(len(published)), published.sizes)
    columns: list[Codes] = []
    for name, by_code in spreads(outcome, frequencies).items():
        codes = published.column(name)
        if isinstance(by_code, OverRange) and np.array_equal(by_code.first, by_code.last):
            leaves = by_code.first[codes][rows]
        else:
            leaves = by_code.draw(codes[rows], rng)
        columns.append(leaves.astype(narrowest(cardinalities(name))))
    sizes = [cardinalities(name) for name in published.names]
    if not columns:
        return published
    return Counts.of(published.names, columns, sizes)
