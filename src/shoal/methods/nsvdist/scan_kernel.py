"""NSVDist's greedy choice under the entropy measure, which can fall as a set grows: every pick looks at every record.

What a column adds to the loss of a set depends on the closure of that column alone. So after a pick only the columns
whose closure changed are priced anew, for each of their values once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.kernels.jit import compiled
from shoal.methods.nsvdist.kernel import Closures, Records, Trees, Wanted


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
def scan(
    seeds: Keys, records: Records, trees: Trees, values: Values, wanted: Wanted, used: Keys, closures: Closures
) -> None:
    """Algorithm 1 for some seeds, as `nsvdist.greedy`."""
    columns, number = records.leaf.shape
    sensitive = len(wanted.cap)
    widest, most = 0, 0
    for s in range(sensitive):
        for i in range(number):
            widest = max(widest, records.value[s, i] + 1)
    for column in range(columns):
        most = max(most, values.offset[column + 1] - values.offset[column])
    row, new = np.zeros((columns, most), np.int32), np.zeros(most, np.int32)
    low, high = np.empty(columns, np.int32), np.empty(columns, np.int32)
    cost = np.empty(number, np.int32)
    rest = records.size.copy()
    tally = np.zeros((sensitive, widest), np.int32)
    picked = np.empty(wanted.k, np.int64)
    for place in range(len(seeds)):
        seed = seeds[place]
        tally[:] = 0
        for s in range(sensitive):
            tally[s, records.value[s, seed]] = 1
        picked[0] = seed
        rest[seed] -= 1
        cost[:] = 0
        for column in range(columns):
            is_tree = trees.offset[column] >= 0
            low[column] = high[column] = records.leaf[column, seed] if is_tree else values.number[column, seed]
            _reprice(values, trees, column, low[column], high[column], row[column])
            for i in range(number):
                cost[i] += row[column, values.number[column, i]]
        chosen = 1
        while chosen < wanted.k:
            best = -1
            for i in range(number):
                if best >= 0 and cost[i] > cost[best]:
                    continue
                open_ = rest[i] > 0
                for s in range(sensitive):
                    open_ = open_ and tally[s, records.value[s, i]] < wanted.cap[s]
                if not open_:
                    continue
                if best < 0 or cost[i] < cost[best]:
                    best = i
                    continue
                one, other = np.int64(0), np.int64(0)
                if wanted.fair:
                    one, other = used[i] * records.size[best], used[best] * records.size[i]
                if one < other or (one == other and records.rank[i] < records.rank[best]):
                    best = i
            if best < 0:
                break
            picked[chosen] = best
            chosen += 1
            rest[best] -= 1
            if wanted.fair:
                used[best] += 1
            for s in range(sensitive):
                tally[s, records.value[s, best]] += 1
            for column in range(columns):
                if trees.offset[column] < 0:
                    v = values.number[column, best]
                    if low[column] <= v <= high[column]:
                        continue
                    low[column], high[column] = min(low[column], v), max(high[column], v)
                else:
                    offset, node, leaf = trees.offset[column], low[column], records.leaf[column, best]
                    while leaf < trees.first[offset + node] or leaf > trees.last[offset + node]:
                        node = trees.parent[offset + node]
                    if node == low[column]:
                        continue
                    low[column] = high[column] = node
                _reprice(values, trees, column, low[column], high[column], new)
                for i in range(number):
                    v = values.number[column, i]
                    cost[i] += new[v] - row[column, v]
                row[column] = new
        closures.stuck[place] = chosen < wanted.k
        for column in range(columns):
            closures.low[column, place], closures.high[column, place] = low[column], high[column]
            if trees.offset[column] < 0:
                first = values.offset[column]
                closures.low[column, place] = values.leaf[first + low[column]]
                closures.high[column, place] = values.leaf[first + high[column]]
        for i in range(chosen):
            rest[picked[i]] += 1
            closures.counts[place, records.joint[picked[i]]] += 1
        if closures.member.shape[1] > 0:
            for i in range(chosen):
                closures.member[place, i] = picked[i]
