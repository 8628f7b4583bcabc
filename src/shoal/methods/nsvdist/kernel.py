"""NSVDist's greedy choice, exactly, without looking at every record for every pick.

The loss of a set of records is a sum over columns of whole numbers that never fall as the set grows. So what adding a
record cost earlier is a lower bound of what it costs now. Records lie in small blocks of neighbors; each block keeps a
lower bound of its cheapest record, from the box around the block and from the last time its records were priced. A pick
prices again only the blocks whose bound is no higher than the cheapest record seen: the others cannot win, nor tie.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Nodes
from shoal.kernels.jit import compiled
from shoal.methods.nsvdist.closure_kernel import add_interval, add_step, grow_closure, start_closure
from shoal.methods.nsvdist.layout import GONE, Blocks, Closures, Records, Trees, Wanted


@compiled
def _least(values: Nodes) -> int:
    best: int = values[0]
    for i in range(1, len(values)):
        best = min(best, values[i])
    return best


@compiled
def count_values(record: int, value: Nodes, cap: Nodes, tally: Nodes) -> int:
    """Count the sensitive values of a record that joins the set; how many reach their cap by it."""
    reached = 0
    for s in range(len(cap)):
        tally[s, value[s, record]] += 1
        reached += tally[s, value[s, record]] == cap[s]
    return reached


@compiled
def _price_block(  # noqa: PLR0917
    first: int,
    end: int,
    base: int,
    coordinate: Nodes,
    offset: Nodes,
    ends: Nodes,
    chain: Nodes,
    length: Nodes,
    rest: Nodes,
    cost: Nodes,
) -> None:
    """What the closure would cost with each record from `first` to `end`, if it is not used up."""
    part = cost[first:end]
    for i in range(len(part)):
        part[i] = base
    for column in range(len(offset)):
        here = coordinate[column, first:end]
        if offset[column] < 0:
            add_interval(part, here, here, ends[column])
        else:
            for h in range(length[column]):
                add_step(part, here, here, chain[column, h], 0, 1)
    for i in range(len(part)):
        if rest[first + i] == 0:
            part[i] = GONE


@compiled
def _leave_out_full(first: int, end: int, value: Nodes, cap: Nodes, tally: Nodes, cost: Nodes) -> None:
    """Put records out of reach of which a sensitive value has reached its cap."""
    for i in range(first, end):
        for s in range(len(cap)):
            if tally[s, value[s, i]] >= cap[s]:
                cost[i] = GONE


@compiled
def _best_record(
    cheapest: int, start: Nodes, key: Nodes, cost: Nodes, rank: Nodes, size: Nodes, used: Keys, fair: bool
) -> int:
    """Among the cheapest records the first, or the one used least."""
    best = -1
    for g in range(len(key)):
        if key[g] != cheapest:
            continue
        for i in range(start[g], start[g + 1]):
            if cost[i] != cheapest:
                continue
            if best < 0:
                best = i
            elif fair and used[i] * size[best] != used[best] * size[i]:
                if used[i] * size[best] < used[best] * size[i]:
                    best = i
            elif rank[i] < rank[best]:
                best = i
    return best


@compiled
def keep(place: int, picked: Keys, wanted: int, joint: Nodes, closure: Nodes, closures: Closures) -> None:
    """Write down the set of a seed, and its closure."""
    closures.stuck[place] = len(picked) < wanted
    for column in range(len(closure)):
        closures.low[column, place], closures.high[column, place] = closure[column, 0], closure[column, 1]
    for i in range(len(picked)):
        closures.counts[place, joint[picked[i]]] += 1
        if closures.member.shape[1] > 0:
            closures.member[place, i] = picked[i]


@compiled
def widest(value: Nodes) -> int:
    """One more than the largest sensitive value."""
    widest = 0
    for s in range(len(value)):
        for i in range(value.shape[1]):
            widest = max(widest, value[s, i] + 1)
    return widest


@compiled
def greedy(
    seeds: Keys, records: Records, trees: Trees, blocks: Blocks, wanted: Wanted, used: Keys, closures: Closures
) -> None:
    """Algorithm 1 for some seeds; seed number j fills column, or row, j of `closures`.

    `used` counts how often each record was picked, and decides ties where `wanted.fair`; else it is not touched.
    """
    coordinate, leaf, rank, size, value = records.coordinate, records.leaf, records.rank, records.size, records.value
    start, box_low, box_high, cap = blocks.start, blocks.low, blocks.high, wanted.cap
    columns, number = coordinate.shape
    groups = len(start) - 1
    closure, ends = np.empty((columns, 2), np.int32), np.empty((columns, 2), np.int32)
    chain, length = np.empty((columns, trees.height, 3), np.int32), np.zeros(columns, np.int32)
    cost = np.empty(number, np.int32)  # of each record, as of the time its block was priced
    bound = np.empty(groups, np.int32)  # of each block, from its box
    key = np.empty(groups, np.int32)  # the best lower bound of each block
    priced = np.full(groups, -1, np.int64)  # when the records of each block were priced
    rest = size.copy()  # how many records of each kind are not in the set
    tally = np.zeros((len(cap), widest(value)), np.int32)
    picked = np.empty(wanted.k, np.int64)
    now = 0  # the time: what was priced earlier may cost more by now
    for place in range(len(seeds)):
        seed = seeds[place]
        now += 1
        picked[0], chosen = seed, 1
        rest[seed] -= 1
        tally[:] = 0
        full = count_values(seed, value, cap, tally)  # how many sensitive values have reached their cap
        base = start_closure(seed, coordinate, leaf, trees, box_low, box_high, closure, ends, chain, length, bound)
        key[:] = bound
        while chosen < wanted.k:
            cheapest = _least(key)
            behind = bool(cheapest < GONE)
            while behind:  # price blocks until the cheapest one is up to date
                behind = False
                for g in range(groups):
                    if key[g] == cheapest and priced[g] < now:
                        first, end = start[g], start[g + 1]
                        _price_block(first, end, base, coordinate, trees.offset, ends, chain, length, rest, cost)
                        if full > 0:
                            _leave_out_full(first, end, value, cap, tally, cost)
                        key[g] = _least(cost[first:end])
                        priced[g] = now
                        behind = True
                if behind:
                    cheapest = _least(key)
            if cheapest >= GONE:
                break
            best = _best_record(cheapest, start, key, cost, rank, size, used, wanted.fair)
            picked[chosen] = best
            chosen += 1
            rest[best] -= 1
            if wanted.fair:
                used[best] += 1
            if rest[best] == 0:
                g = int(np.searchsorted(start, best, side="right")) - 1
                cost[best] = GONE
                key[g] = _least(cost[start[g] : start[g + 1]])
            reached = count_values(best, value, cap, tally)
            full += reached
            now += reached  # what was priced may be out of reach now, but none got cheaper
            grown, step = grow_closure(
                best, coordinate, leaf, trees, box_low, box_high, closure, ends, chain, length, bound
            )
            base += step
            if grown:
                now += 1
                for g in range(groups):
                    key[g] = max(key[g], bound[g])
        for i in range(chosen):
            rest[picked[i]] += 1
        keep(place, picked[:chosen], wanted.k, records.joint, closure, closures)
