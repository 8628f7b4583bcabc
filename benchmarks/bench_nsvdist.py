"""NSVDist's greedy choice on Adult (14 attributes); the baseline prices every record for every pick, all at once.

The baseline is NumPy, extrapolated from a few records drawn at random, and must pick the same records.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "experiments" / "nsvdist"))

from common import machine, named

from shoal.arrays import Keys, Nodes
from shoal.data.encoded import EncodedTable
from shoal.methods.nsvdist.greedy import masked
from shoal.methods.nsvdist.layout import Wanted
from shoal.methods.nsvdist.space import Prices, Space
from shoal.methods.parts.closures import intervals_among
from shoal.methods.parts.publish import Publish

TRIED = 6


def main() -> None:
    (adult,) = named("Adult")
    table = adult.table(adult.codes(adult.rows))
    quasi = table.quasi_identifiers
    prices = Prices.loss_metric(quasi, intervals_among(quasi, Publish.INTERVALS), np.ones(len(quasi)))
    space = Space.of(table, prices)
    masked(space, prices, Wanted(2, np.array([2], dtype=np.int32), False), lambda _: None)  # compiles
    print(machine())
    print(f"Adult: {table.total:,} records, {len(table.counts):,} distinct, {len(quasi)} quasi-identifiers")
    print(f"{'k':>5}{'cap':>6}{'CPU s':>9}{'wall s':>9}{'every record, every pick':>28}{'ratio':>8}")
    rows = np.random.default_rng(1).choice(len(table.counts), TRIED, replace=False)
    for k, cap in ((10, 10), (50, 50), (50, 45), (500, 500)):
        wanted = Wanted(k, np.array([cap], dtype=np.int32), False)
        started, wall = time.process_time(), time.perf_counter()
        made = masked(space, prices, wanted, lambda _: None, members=True)
        spent, waited = time.process_time() - started, time.perf_counter() - wall
        place = {row: i for i, row in enumerate(made.source.tolist())}
        tried = rows if k < 500 else rows[:2]
        started = time.process_time()
        picked = [everything(table, prices, int(row), k, cap) for row in tried]
        slow = (time.process_time() - started) / len(tried) * len(table.counts)
        same = all(made.member[place[row]].tolist() == some for row, some in zip(tried.tolist(), picked, strict=True))
        said = f"{slow:,.0f} s ({'same sets' if same else 'OTHER SETS'})"
        print(f"{k:>5}{cap:>6}{spent:>9.1f}{waited:>9.1f}{said:>28}{slow / spent:>8.0f}")


def everything(table: EncodedTable, prices: Prices, seed: int, k: int, cap: int) -> list[int]:
    """Algorithm 1 for one record; what a pick does not change is not priced again."""
    leaf = [table.counts.column(a.name).astype(np.int32) for a in prices.attributes]
    value = table.counts.column(table.sensitive[0].name)
    rest, found = table.counts.sizes.copy(), [seed]
    rest[seed] -= 1
    tally = np.bincount(value[[seed]], minlength=table.sensitive[0].domain.size)
    priced: list[Nodes | None] = [None] * len(leaf)
    ends: list[tuple[int, int]] = [(int(column[seed]), int(column[seed])) for column in leaf]
    while len(found) < k:
        for i, column in enumerate(leaf):
            if priced[i] is None:
                priced[i] = _priced(prices, i, column, *ends[i])
        cost: Keys = np.sum([part for part in priced if part is not None], axis=0, dtype=np.int64)
        cost[(rest == 0) | (tally[value] >= cap)] = np.iinfo(np.int64).max
        best = int(cost.argmin())
        found.append(best)
        rest[best] -= 1
        tally[value[best]] += 1
        for i, column in enumerate(leaf):
            low, high = min(ends[i][0], int(column[best])), max(ends[i][1], int(column[best]))
            if (low, high) != ends[i]:
                ends[i], priced[i] = (low, high), None
    return found


def _priced(prices: Prices, column: int, leaves: Nodes, low: int, high: int) -> Nodes:
    """What a column costs with each further leaf."""
    lows, highs = np.minimum(low, leaves), np.maximum(high, leaves)
    if prices.is_interval[column]:
        return prices.coordinates(column, highs) - prices.coordinates(column, lows)
    values = np.unique(leaves)
    hierarchy = prices.attributes[column].hierarchy
    nodes = hierarchy.common_ancestor(np.minimum(low, values), np.maximum(high, values))
    return prices.nodes(column)[nodes][np.searchsorted(values, leaves)]


if __name__ == "__main__":
    main()
