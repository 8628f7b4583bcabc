"""The loops of `prospects`, compiled."""

from __future__ import annotations

from shoal.arrays import Keys, Sizes
from shoal.kernels.jit import compiled
from shoal.search.blocks.refining_compiled import quotient


@compiled
def add_prospects(  # noqa: PLR0917  compiled functions take positions
    tally: Sizes,
    codes: Keys,
    sums: Sizes,
    least: int,
    rates: Sizes,
    first: Sizes,
    price: Sizes,
    prefix: Keys,
    bounds: Sizes,
) -> None:
    """Add to `bounds[prefix]` what classes are worth at most with one level of a column, times what their cells cost.

    `sums` is room for one number per class of the level.
    """
    last = len(rates) - 1
    for i in range(tally.shape[0]):
        for j in range(len(sums)):
            sums[j] = 0
        for leaf in range(tally.shape[1]):
            sums[codes[leaf]] += tally[i, leaf]
        for j in range(len(sums)):
            if sums[j] >= least:
                bounds[prefix[i]] += sums[j] * rates[min(sums[j], last)] * (first[i] + price[j])


@compiled
def add_largest(cells: Keys, weights: Sizes, rest: int, target: int, records: Sizes) -> None:
    """Add to `records[class]` the largest weight of each run of cells that differ in the last column alone."""
    to_feature, to_class = 1.0 / target, 1.0 / rest
    mask = -target if target & (target - 1) == 0 else 0  # of powers of 2 there is no need to divide
    run, largest = -1, 0
    for i in range(len(cells)):
        cell, weight = cells[i], weights[i]
        here = cell & mask if mask else quotient(cell, target, to_feature) * target
        largest = largest if here == run else 0  # no jumps: which way they go is hard to foresee
        records[quotient(cell, rest, to_class)] += max(weight - largest, 0)
        largest, run = max(largest, weight), here
