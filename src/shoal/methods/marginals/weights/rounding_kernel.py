"""Compiled: records one after the other, each up or down, so that what is off in the cells of all pairs stays small."""

from __future__ import annotations

from typing import Any

from shoal.arrays import Floats, Keys, Sizes
from shoal.kernels.jit import compiled


@compiled
def round_each(
    codes: Any, pairs: Any, starts: Keys, widths: Keys, weights: Floats, off: Floats, cells: Keys, sizes: Sizes
) -> None:
    """Write the number for each record to `sizes`.

    `codes[i, column]`; the two columns of each pair, the first of its cells, and how many values its second column has.
    `off` is by how much published records are too many in each cell, and at its end in all; `cells` is scratch.
    """
    squares = len(pairs) + 1
    for i in range(len(weights)):
        whole = int(weights[i])
        part = weights[i] - whole
        total = off[-1]
        for pair in range(len(pairs)):
            first, second = pairs[pair]
            cells[pair] = starts[pair] + codes[i, first] * widths[pair] + codes[i, second]
            total += off[cells[pair]]
        is_up = 2 * (total - part * squares) + squares < 0  # Σ (off + 1 − part)² < Σ (off − part)²
        more = 1.0 - part if is_up else -part
        sizes[i] = whole + is_up
        off[-1] += more
        for pair in range(len(pairs)):
            off[cells[pair]] += more
