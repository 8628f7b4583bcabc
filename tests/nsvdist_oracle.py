"""Algorithm 1 of NSVDist as the paper writes it, in plain Python, and small mixed tables to try it on."""

import itertools
from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
from hypothesis import strategies as st
from strategies import attribute_of, tree_of

from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Intervals
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Role
from shoal.kernels.grouping import narrowest
from shoal.methods.parts.closures import intervals_among
from shoal.methods.parts.publish import Publish


@st.composite
def mixed_tables(draw, records=(1, 14), sensitive=(1, 1), widest=4):
    """Numbers and trees, some equal records, one or more sensitive columns."""
    random = Random(draw(st.integers(0, 2**32 - 1)))
    return mixed_table(random, draw(st.integers(*records)), draw(st.integers(*sensitive)), widest)


def mixed_table(random, records, sensitive=1, widest=4):
    attributes = []
    for i in range(random.randint(1, 4)):
        if random.random() < 0.5:
            domain = Grid.between(0, random.choice((0, 3, 11, 40, 1000)))
            attributes.append(attribute_of(f"n{i}", Intervals((5,)), domain))
        else:
            leaves, height = random.randint(1, 6), random.randint(1, 3)
            borders = [random.randint(1, height) for _ in range(leaves - 1)]
            names = [f"v{i}{j}" for j in range(leaves)]
            paths = tree_of(names, borders, [random.random() < 0.5 for _ in range(height)], f"t{i}")
            attributes.append(attribute_of(f"t{i}", Paths(tuple(paths.values())), Categorical(tuple(names))))
    for i in range(sensitive):
        values = tuple(f"s{j}" for j in range(random.randint(1, widest)))
        attributes.append(attribute_of(f"s{i}", None, Categorical(values), Role.SENSITIVE))
    rows = []
    while len(rows) < records:
        row = [random.randrange(a.domain.size) for a in attributes]
        rows += [row] * random.choice((1, 1, 1, 2, 3))
    rows = rows[:records]
    codes = [np.array([row[i] for row in rows], dtype=narrowest(a.domain.size)) for i, a in enumerate(attributes)]
    sizes = [a.domain.size for a in attributes]
    return EncodedTable(tuple(attributes), Counts.of([a.name for a in attributes], codes, sizes))


def node_over(hierarchy, leaves):
    node = leaves[0]
    while not all(hierarchy.first[node] <= x < hierarchy.first[node] + hierarchy.leaf_count[node] for x in leaves):
        node = hierarchy.parent[node]
    return int(node)


class Oracle:
    """Records one by one, in the order of the table; `prices` are those of the code under test."""

    def __init__(self, table, prices=None, publish="intervals"):
        self.table, self.prices = table, prices
        self.attributes = table.quasi_identifiers
        self.is_interval = intervals_among(self.attributes, Publish(publish))
        self.rows = np.repeat(np.arange(len(table.counts)), table.counts.sizes).tolist()
        self.leaf = [[int(table.counts.column(a.name)[row]) for a in self.attributes] for row in self.rows]
        self.values = [tuple(int(table.counts.column(a.name)[row]) for a in table.sensitive) for row in self.rows]

    def closure(self, members):
        closed = []
        for column, attribute in enumerate(self.attributes):
            leaves = [self.leaf[i][column] for i in members]
            if self.is_interval[column]:
                closed.append((min(leaves), max(leaves)))
            else:
                node = node_over(attribute.hierarchy, leaves)
                closed.append((node, node))
        return closed

    def units(self, members):
        """The loss in whole units."""
        total = 0
        for column, (low, high) in enumerate(self.closure(members)):
            if not self.is_interval[column]:
                total += int(self.prices.nodes(column)[low])
            elif hasattr(self.prices, "bits"):
                bits = self.prices.bits(column, np.array([low]), np.array([high]))[0]
                total += int(np.rint(bits * self.prices.unit[column]))
            else:
                ends = self.prices.coordinates(column, np.array([low, high]))
                total += int(ends[1] - ends[0])
        return total

    def loss(self, members):
        """The loss metric, exactly."""
        lost = Fraction(0)
        for column, (low, high) in enumerate(self.closure(members)):
            hierarchy = self.attributes[column].hierarchy
            width = high - low if self.is_interval[column] else int(hierarchy.leaf_count[low]) - 1
            lost += Fraction(width, max(hierarchy.leaves - 1, 1))
        return lost / len(self.attributes)

    def fits(self, members, cap):
        return all(max(Counter(self.values[i][s] for i in members).values()) <= cap for s in range(len(self.values[0])))

    def greedy(self, k, cap, *, fair=False):
        """The set of every record, in the order in which it was picked; None where there is none left to pick."""
        found, used = [], Counter()
        size = Counter(self.rows)
        for n in range(len(self.rows)):
            members = [n]
            while len(members) < k:
                open_ = [i for i in range(len(self.rows)) if i not in members and self.fits([*members, i], cap)]
                if not open_:
                    break

                def order(i, members=members):
                    row = self.rows[i]
                    return (self.units([*members, i]), Fraction(used[row], size[row]) if fair else 0, i)

                best = min(open_, key=order)
                members.append(best)
                used[self.rows[best]] += 1
            found.append(members if len(members) == k else None)
        return found

    def least(self, n, k, cap):
        """The least loss of a set of k records that holds record n and is diverse."""
        others = [i for i in range(len(self.rows)) if i != n]
        sets = ((n, *some) for some in itertools.combinations(others, k - 1))
        return min(self.loss(members) for members in sets if self.fits(members, cap))


class BruteForce:
    """Algorithm 1 with every loss computed anew for every pick, all records at once; one sensitive column."""

    def __init__(self, table, prices):
        self.table, self.prices = table, prices
        self.attributes, self.is_interval = prices.attributes, prices.is_interval
        self.leaf = [table.counts.column(a.name).astype(np.int32) for a in self.attributes]
        self.value = table.counts.column(table.sensitive[0].name)

    def members(self, seed, k, cap):
        """The distinct records of the set of one, in the order in which they are picked."""
        rest, found = self.table.counts.sizes.copy(), [seed]
        rest[seed] -= 1
        tally = np.zeros(self.table.sensitive[0].domain.size, dtype=np.int64)
        tally[self.value[seed]] += 1
        while len(found) < k:
            cost = np.zeros(len(rest), dtype=np.int64)
            for column, attribute in enumerate(self.attributes):
                here, leaves = self.leaf[column][found], self.leaf[column]
                low, high = np.minimum(here.min(), leaves), np.maximum(here.max(), leaves)
                if self.is_interval[column]:
                    cost += self.prices.coordinates(column, high) - self.prices.coordinates(column, low)
                else:
                    cost += self.prices.nodes(column)[attribute.hierarchy.common_ancestor(low, high)]
            cost[(rest == 0) | (tally[self.value] >= cap)] = np.iinfo(np.int64).max
            best = int(cost.argmin())  # the first of equals
            found.append(best)
            rest[best] -= 1
            tally[self.value[best]] += 1
        return found
