"""NSVDist's greedy choice under the entropy measure, which can fall as a set grows: every pick looks at every record.

What a column adds to the loss of a set depends on the closure of that column alone. So after a pick only the columns
whose closure changed are priced anew, for each of their values once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.jit import compiled
from shoal.methods.nsvdist.kernel import count_values, keep, widest
from shoal.methods.nsvdist.layout import Closures, Records, Trees, Wanted


class Values(NamedTuple):
    """The values of each column that occur, in order, one column after the other.

    Attributes:
        offset: Where the values of each column begin, and where the last ends.
        leaf: The leaf code of each value.
        number: `[column, record]`: which of its column's values a record has.
        before: Records with an earlier value of the column: one entry more than values for each column.
        logs: Σ n log₂ n over the earlier values, in the same places as `before`.
        unit: What one bit costs in each column.
    """

    offset: Nodes
    leaf: Nodes
    number: Nodes
    before: Floats
    logs: Floats
    unit: Floats


@compiled
def _entropy(values: Values, column: int, first: int, last: int) -> int:
    """What an interval of values costs: the entropy of a record's value, given that it lies in the interval."""
    start = values.offset[column] + column  # `before` and `logs` have one entry more for each column
    records = values.before[start + last + 1] - values.before[start + first]
    logs = values.logs[start + last + 1] - values.logs[start + first]
    bits = np.log2(records) - logs / records
    return int(np.rint(max(bits, 0.0) * values.unit[column]))


@compiled
def _reprice(values: Values, trees: Trees, column: int, low: int, high: int, row: Nodes) -> None:
    """What the closure of a column costs with each further value."""
    first, count = values.offset[column], values.offset[column + 1] - values.offset[column]
    if trees.offset[column] < 0:
        same = _entropy(values, column, low, high)
        for v in range(count):
            row[v] = same if low <= v <= high else _entropy(values, column, min(low, v), max(high, v))
    else:
        offset = trees.offset[column]
        for v in range(count):
            node, leaf = low, values.leaf[first + v]
            while leaf < trees.first[offset + node] or leaf > trees.last[offset + node]:
                node = trees.parent[offset + node]
            row[v] = trees.price[offset + node]


@compiled
def _closed(values: Values, trees: Trees, column: int, low: int, high: int, best: int, leaf: int) -> tuple[int, int]:
    """The closure of a column with one record more: its ends as numbered values, or its node twice."""
    if trees.offset[column] < 0:
        v = values.number[column, best]
        return min(low, v), max(high, v)
    offset, node = trees.offset[column], low
    while leaf < trees.first[offset + node] or leaf > trees.last[offset + node]:
        node = trees.parent[offset + node]
    return node, node


@compiled
def _best_record(cost: Nodes, rest: Nodes, records: Records, wanted: Wanted, tally: Nodes, used: Keys) -> int:
    """The cheapest record that may join; among equals the first, or the one used least; −1 if there is none."""
    rank, size, value, cap, fair = records.rank, records.size, records.value, wanted.cap, wanted.fair
    best = -1
    for i in range(len(cost)):
        if best >= 0 and cost[i] > cost[best]:
            continue
        is_open = rest[i] > 0
        for s in range(len(cap)):
            is_open = is_open and tally[s, value[s, i]] < cap[s]
        if not is_open:
            continue
        if best < 0 or cost[i] < cost[best]:
            best = i
            continue
        one, other = np.int64(0), np.int64(0)
        if fair:
            one, other = used[i] * size[best], used[best] * size[i]
        if one < other or (one == other and rank[i] < rank[best]):
            best = i
    return best


@compiled
def scan(
    seeds: Keys, records: Records, trees: Trees, values: Values, wanted: Wanted, used: Keys, closures: Closures
) -> None:
    """Algorithm 1 for some seeds, as `kernel.greedy`."""
    columns, number = records.leaf.shape
    most = 0
    for column in range(columns):
        most = max(most, values.offset[column + 1] - values.offset[column])
    row, new = np.zeros((columns, most), np.int32), np.zeros(most, np.int32)
    closure = np.empty((columns, 2), np.int32)  # numbered values of an interval column, the node of a tree column
    cost = np.empty(number, np.int32)
    rest = records.size.copy()
    tally = np.zeros((len(wanted.cap), widest(records.value)), np.int32)
    picked = np.empty(wanted.k, np.int64)
    for place in range(len(seeds)):
        seed = seeds[place]
        picked[0], chosen = seed, 1
        rest[seed] -= 1
        tally[:] = 0
        count_values(seed, records.value, wanted.cap, tally)
        cost[:] = 0
        for column in range(columns):
            is_tree = trees.offset[column] >= 0
            closure[column] = records.leaf[column, seed] if is_tree else values.number[column, seed]
            _reprice(values, trees, column, closure[column, 0], closure[column, 1], row[column])
            for i in range(number):
                cost[i] += row[column, values.number[column, i]]
        while chosen < wanted.k:
            best = _best_record(cost, rest, records, wanted, tally, used)
            if best < 0:
                break
            picked[chosen] = best
            chosen += 1
            rest[best] -= 1
            if wanted.fair:
                used[best] += 1
            count_values(best, records.value, wanted.cap, tally)
            for column in range(columns):
                before, after = closure[column, 0], closure[column, 1]
                low, high = _closed(values, trees, column, before, after, best, records.leaf[column, best])
                if low == before and high == after:
                    continue
                closure[column, 0], closure[column, 1] = low, high
                _reprice(values, trees, column, low, high, new)
                for i in range(number):
                    v = values.number[column, i]
                    cost[i] += new[v] - row[column, v]
                row[column] = new
        for i in range(chosen):
            rest[picked[i]] += 1
        for column in range(columns):
            if trees.offset[column] < 0:
                first = values.offset[column]
                closure[column, 0] = values.leaf[first + closure[column, 0]]
                closure[column, 1] = values.leaf[first + closure[column, 1]]
        keep(place, picked[:chosen], wanted.k, records.joint, closure, closures)
