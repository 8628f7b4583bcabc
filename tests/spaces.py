"""Small tables in small spaces, and clustering written down plainly: what `shoal.cluster` is checked against."""

import itertools
from fractions import Fraction

import numpy as np

import shoal
from shoal.arrays import narrowest
from shoal.cluster.space import CategoryAxis, Space
from shoal.data.counts import Counts
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role
from shoal.data.settle import settle

SPORT = {"sport": {"winter": ["skiing"], "water": ["sailing", "swimming"], "field": ["soccer"]}}


def number(name, width, **more):
    return settle(Column(name, Role.QUASI_IDENTIFIER), Grid.between(0, width, **more))


def category(name, nested):
    recipe = shoal.tree(nested)
    return settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=recipe), recipe.leaves())


def encoded(attributes, rows):
    """Rows of codes as an encoded table."""
    sizes = [attribute.domain.size for attribute in attributes]
    columns = np.array(rows, dtype=np.int64).reshape(len(rows), len(attributes)).T
    codes = [column.astype(narrowest(size)) for column, size in zip(columns, sizes, strict=True)]
    return EncodedTable(tuple(attributes), Counts.of([a.name for a in attributes], codes, sizes))


def rows_of(table):
    """The records, sorted."""
    distinct = zip(*(column.tolist() for column in table.counts.codes), strict=True)
    return [row for row, size in zip(distinct, table.counts.sizes.tolist(), strict=True) for _ in range(size)]


def clusters_of(table, partition):
    """The records of each cluster, sorted."""
    rows = list(zip(*(column.tolist() for column in table.counts.codes), strict=True))
    found = [[] for _ in range(partition.groups)]
    for source, label, size in zip(partition.source, partition.label, partition.sizes, strict=True):
        found[label] += [rows[source]] * int(size)
    return [sorted(cluster) for cluster in found]


def in_turn(rows, k, references, widths):
    """Algorithm 2 in fractions: k nearest to each reference in turn, ties by the record itself."""
    left, found, turn = sorted(rows), [], itertools.cycle(references)
    while len(left) >= 2 * k:
        corner = next(turn)

        def away(row, corner=corner):
            return sum(Fraction((x - (w if t else 0)) ** 2, w * w) for x, t, w in zip(row, corner, widths, strict=True))

        left.sort(key=lambda row: (away(row), row))
        found.append(sorted(left[:k]))
        left = left[k:]
    return [*found, sorted(left)]


def plain_mdav(table, k):
    """Algorithm 1 on all records, one by one, in the same floating-point operations as the kernel."""
    space = Space.of(table.attributes)
    numbers = [i for i in space.wide if not isinstance(space.axes[i], CategoryAxis)]
    trees = [i for i in space.wide if isinstance(space.axes[i], CategoryAxis)]
    left, found = rows_of(table), []

    def average():
        center = [sum(r[i] for r in left) / len(left) * (1 / space.axes[i].width) for i in numbers]
        for i in trees:
            units = space.axes[i].taxonomy.units
            center.append(int(np.argmin(units[:, [r[i] for r in left]].sum(axis=1))))
        return center

    def point(row):
        return [row[i] / space.axes[i].width for i in numbers] + [row[i] for i in trees]

    def away(row, center):
        total = 0.0
        for i, c in zip(numbers, center, strict=False):
            total += (row[i] / space.axes[i].width - c) ** 2
        for i, node in zip(trees, center[len(numbers) :], strict=True):
            total += float((space.axes[i].taxonomy.units[node, row[i]] / space.axes[i].width) ** 2)
        return total

    def farthest(center):
        return max(range(len(left)), key=lambda j: (away(left[j], center), -j))

    def take(at):
        chosen = left.pop(at)
        order = sorted(range(len(left)), key=lambda j: (away(left[j], point(chosen)), j))[: k - 1]
        found.append(sorted([chosen, *(left[j] for j in order)]))
        for j in sorted(order, reverse=True):
            del left[j]
        return point(chosen)

    while len(left) >= 3 * k:
        first = take(farthest(average()))
        take(farthest(first))
    if len(left) >= 2 * k:
        take(farthest(average()))
    return [*found, sorted(left)]
