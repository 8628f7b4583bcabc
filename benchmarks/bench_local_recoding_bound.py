"""How much any local recoding of Adult within the hierarchies loses at least, k = 5 and nothing suppressed.

A class lies in a cell of the generalization lattice, has at least k of its records, and each of them costs what the
cell costs, c. Whatever prices p records are given, a recoding costs sum(p) − the sum of (p − c) over all records, each
in its class. The classes of one cell are k or more of its records, and for no such set is the sum of (p − c) larger
than for all with p > c, filled up with the dearest others if they are not k: the gain of the cell. So no recoding costs
less than sum(p) − the sum of all gains above 0. Step by step prices rise where no cell that gains has a record among
these, and fall where several have; they begin with what records cost in a local recoding. Steps look at the cells that
matter, the bound at all cells of the lattice. It takes a minute and a half of CPU.
"""

from __future__ import annotations

import argparse
from math import prod

import numpy as np
from common import adult, machine

from shoal.arrays import Floats, Keys
from shoal.data.encoded import EncodedTable
from shoal.data.partition import Partition
from shoal.kernels.jit import compiled
from shoal.methods import LocalRecoding
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.publish import Publish

_KEPT = 30
"""Of each cell that matters so many records, the dearest, are kept for the steps."""

_NEAR = 4.0
"""Cells whose gain is further below 0 are left out of the steps."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--turns", type=int, default=5, help="how often all cells are looked at")
    parser.add_argument("--steps", type=int, default=150, help="steps between two looks")
    asked = parser.parse_args()
    print(machine())
    table = adult()
    cells = Cells.of(table, Publish.NODES, {})
    for passes in (0, 1, 2):
        outcome = LocalRecoding(k=asked.k, passes=passes).run(table)
        print(f"local recoding, {passes} passes {outcome.search['loss']:.5f}")
    made = outcome.sources
    shown = cells.shown(Partition(made.source, made.label, made.sizes))
    cost = sum(cells._entry_costs(j, entries)[entry] for j, (entries, entry) in enumerate(shown.values()))  # noqa: SLF001
    sizes = table.counts.sizes
    prices = np.bincount(made.source, cost[made.label] * made.sizes) / sizes
    found = cells.mean(bound(table, cells, prices, asked.k, asked.turns, asked.steps))
    print(f"no recoding loses less than {found:.5f}; the last one {outcome.search['loss'] / found - 1:.1%} more")


def bound(table: EncodedTable, cells: Cells, prices: Floats, k: int, turns: int, steps: int) -> float:
    """The largest bound on what all records cost together that was found."""
    group, cost, at, size, heights = _levels(cells)
    sizes, best, width = table.counts.sizes, -np.inf, 1.0
    target = 0.97 * float(prices @ sizes)
    for turn in range(turns + 1):
        order = np.argsort(-prices, kind="stable")
        gains, starts, members, costs = _looked_at(cells.codes, sizes, prices, order, k, group, cost, at, size, heights)
        here = float(prices @ sizes) - gains
        print(f"turn {turn}: {cells.mean(here):.5f}, {len(costs):,} cells matter", flush=True)
        best = max(best, here)
        if turn < turns:
            prices, width = _stepped(starts, members, costs, sizes, prices, k, steps, width, target)
    return best


def _levels(cells: Cells) -> tuple[Keys, Floats, Keys, Keys, Keys]:
    """Which node of each level a value is under, and what it costs, side by side; where a level starts, its size."""
    hierarchies = [attribute.hierarchy for attribute in cells.table.quasi_identifiers]
    heights = np.array([hierarchy.height for hierarchy in hierarchies])
    at, size = (np.zeros((len(heights), heights.max() + 1), dtype=np.int64) for _ in range(2))
    groups, costs, end = [], [], 0
    for j, hierarchy in enumerate(hierarchies):
        for level, nodes in enumerate(hierarchy.up):
            groups.append(hierarchy.levels[level].codes[cells.leaves[j]].astype(np.int64))
            costs.append(cells.scales[j] * (hierarchy.leaf_count[nodes[cells.leaves[j]]] - 1.0))
            at[j, level], size[j, level] = end, groups[-1].max() + 1
            end += len(groups[-1])
    if prod(int(widths.max()) for widths in size) >= np.iinfo(np.int64).max:
        raise ValueError("one integer cannot number the cells of this lattice")
    return np.concatenate(groups), np.concatenate(costs), at, size, heights


@compiled
def _looked_at(  # noqa: PLR0917  compiled functions take positions
    codes: Keys,
    sizes: Keys,
    prices: Floats,
    order: Keys,
    k: int,
    group: Keys,
    cost: Floats,
    at: Keys,
    size: Keys,
    heights: Keys,
) -> tuple[float, Keys, Keys, Floats]:
    """All gains above 0 together; and the dearest records of each cell that matters.

    Records come in the order of their prices, so that the first k of a cell are the dearest.
    """
    n, d = codes.shape
    room = 16
    while room < 2 * n:
        room *= 2
    stamp, key = np.zeros(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    units, gain, paid = np.empty(room, dtype=np.int64), np.empty(room), np.empty(room)
    number, place = np.empty(room, dtype=np.int64), np.empty(n, dtype=np.int64)
    nodes, total = 1, 0.0
    for j in range(d):
        nodes *= heights[j] + 1
    here, many = np.empty(d, dtype=np.int64), 0
    starts, costs, ends = [0], [0.0], 0
    members = np.empty(1 << 20, dtype=np.int64)
    for node in range(nodes):
        rest = node
        for j in range(d - 1, -1, -1):
            here[j] = rest % (heights[j] + 1)
            rest //= heights[j] + 1
        for i in range(n):
            row, cell, price = order[i], 0, 0.0
            for j in range(d):
                value = at[j, here[j]] + codes[row, j]
                cell = cell * size[j, here[j]] + group[value]
                price += cost[value]
            spread = cell * np.int64(-7046029254386353131)
            slot = (spread ^ (spread >> 32)) & (room - 1)
            while stamp[slot] == node + 1 and key[slot] != cell:
                slot = (slot + 1) & (room - 1)
            if stamp[slot] != node + 1:
                stamp[slot], key[slot], units[slot], gain[slot], paid[slot] = node + 1, cell, 0, 0.0, price
                number[slot] = -1
            more = sizes[row] if prices[row] > price else max(0, min(sizes[row], k - units[slot]))
            gain[slot] += more * (prices[row] - price)
            units[slot] += sizes[row]
            place[i] = slot
        first = many
        for i in range(n):
            slot = place[i]
            if units[slot] < k or gain[slot] <= -_NEAR:
                continue
            if number[slot] < 0:
                number[slot] = many
                total += max(gain[slot], 0.0)
                costs.append(paid[slot])
                many += 1
                starts.append(0)
            if starts[number[slot] + 1] < _KEPT:
                starts[number[slot] + 1] += 1
        for c in range(first, many):
            starts[c + 1] += starts[c]
        ends = starts[many]
        while ends > len(members):
            members = np.concatenate((members, members))
        filled = np.zeros(many - first, dtype=np.int64)
        for i in range(n):
            c = number[place[i]]
            if c >= first and starts[c] + filled[c - first] < starts[c + 1]:
                members[starts[c] + filled[c - first]] = order[i]
                filled[c - first] += 1
    return total, np.array(starts), members[:ends], np.array(costs[1:])


@compiled
def _stepped(  # noqa: PLR0917  compiled functions take positions
    starts: Keys,
    members: Keys,
    costs: Floats,
    sizes: Keys,
    prices: Floats,
    k: int,
    steps: int,
    width: float,
    target: float,
) -> tuple[Floats, float]:
    """Better prices for these cells, and how wide the last step was: 0.7 of the one before after ten without a gain."""
    n = len(prices)
    here, best, most, vain = prices.copy(), prices.copy(), -np.inf, 0
    asked, way = np.empty(n), np.zeros(n)
    for _ in range(steps):
        bound = 0.0
        for i in range(n):
            asked[i] = 0.0
            bound += here[i] * sizes[i]
        for c in range(len(costs)):
            for is_final in (False, True):
                # members are nearly in the order of their prices; those above the cost first, then the dearest others
                units, gain = 0, 0.0
                for p in range(starts[c], starts[c + 1]):
                    i = members[p]
                    if here[i] > costs[c]:
                        units += sizes[i]
                        gain += sizes[i] * (here[i] - costs[c])
                        if is_final:
                            asked[i] += sizes[i]
                last, seen = np.inf, -1
                while gain > 0 and units < k:
                    next_one = -1
                    for p in range(starts[c], starts[c + 1]):
                        i = members[p]
                        if here[i] > costs[c] or here[i] > last or (here[i] == last and p <= seen):
                            continue
                        if next_one < 0 or here[i] > here[members[next_one]]:
                            next_one = p
                    if next_one < 0:
                        gain = -1.0
                        break
                    i = members[next_one]
                    last, seen = here[i], next_one
                    more = min(sizes[i], k - units)
                    units += more
                    gain += more * (here[i] - costs[c])
                    if is_final:
                        asked[i] += more
                if gain <= 0:
                    break
                if not is_final:
                    bound -= gain
        if bound > most:
            most, vain = bound, 0
            for i in range(n):
                best[i] = here[i]
        else:
            vain += 1
            if vain == 10:
                width, vain = 0.7 * width, 0
        length = 0.0
        for i in range(n):
            way[i] = 0.7 * way[i] + sizes[i] - asked[i]
            length += way[i] * way[i] / sizes[i]
        if length == 0:
            break
        for i in range(n):
            here[i] += width * max(target - bound, 1e-9) / length * way[i] / sizes[i]
    return best, width


if __name__ == "__main__":
    main()
