"""Small tables in small spaces, and clustering written down plainly: what `shoal.cluster` is checked against."""

import itertools
from fractions import Fraction

import numpy as np

import shoal
from shoal.cluster.space import CategoryAxis, Space
from shoal.cluster.taxonomy import UNIT
from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role
from shoal.kernels.grouping import narrowest

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


class PlainDistances:
    """Distances and averages of records, in the same floating-point operations as the kernel of MDAV."""

    def __init__(self, table):
        self.space = Space.of(table.attributes)
        self.numbers = [i for i in self.space.wide if not isinstance(self.space.axes[i], CategoryAxis)]
        self.trees = [i for i in self.space.wide if isinstance(self.space.axes[i], CategoryAxis)]

    def average(self, left):
        center = [sum(r[i] for r in left) / len(left) * (1 / self.space.axes[i].width) for i in self.numbers]
        for i in self.trees:
            units = self.space.axes[i].taxonomy.units
            center.append(int(np.argmin(units[:, [r[i] for r in left]].sum(axis=1))))
        return center

    def point(self, row):
        return [row[i] / self.space.axes[i].width for i in self.numbers] + [row[i] for i in self.trees]

    def away(self, row, center):
        total = 0.0
        for i, c in zip(self.numbers, center, strict=False):
            total += (row[i] / self.space.axes[i].width - c) ** 2
        for i, node in zip(self.trees, center[len(self.numbers) :], strict=True):
            total += float((self.space.axes[i].taxonomy.units[node, row[i]] / self.space.axes[i].width) ** 2)
        return total

    def farthest(self, left, center):
        return max(range(len(left)), key=lambda j: (self.away(left[j], center), -j))


def plain_mdav(table, k):
    """Algorithm 1 on all records, one by one."""
    plain = PlainDistances(table)
    left, found = rows_of(table), []

    def take(at):
        chosen = left.pop(at)
        order = sorted(range(len(left)), key=lambda j: (plain.away(left[j], plain.point(chosen)), j))[: k - 1]
        found.append(sorted([chosen, *(left[j] for j in order)]))
        for j in sorted(order, reverse=True):
            del left[j]
        return plain.point(chosen)

    while len(left) >= 3 * k:
        first = take(plain.farthest(left, plain.average(left)))
        take(plain.farthest(left, first))
    if len(left) >= 2 * k:
        take(plain.farthest(left, plain.average(left)))
    return [*found, sorted(left)]


def plain_person_mdav(table, k):
    """The same with persons: nearest distinct records until k persons have one; who is left over joins the nearest."""
    plain = PlainDistances(table)
    distinct = list(zip(*(column.tolist() for column in table.counts.codes), strict=True))
    sizes, persons = dict(zip(distinct, table.counts.sizes.tolist(), strict=True)), table.persons
    owners = {row: set() for row in distinct}
    for record, person in zip(persons.record.tolist(), persons.person.tolist(), strict=True):
        owners[distinct[record]].add(person)
    left, found = list(distinct), []

    def people(rows):
        return len(set().union(*(owners[row] for row in rows)))

    def can():
        return sum(len(owners[row]) for row in left) >= 2 * k and people(left) >= k

    def average(rows):
        return plain.average([row for row in rows for _ in range(sizes[row])])

    def take(at):
        chosen = left.pop(at)
        cluster = [chosen]
        for row in sorted(left, key=lambda r: (plain.away(r, plain.point(chosen)), r)):
            if people(cluster) >= k:
                break
            cluster.append(row)
        left[:] = [row for row in left if row not in cluster]
        found.append(cluster)
        return plain.point(chosen)

    while can():
        first = take(plain.farthest(left, average(left)))
        if can():
            take(plain.farthest(left, first))
    if people(left) >= k:
        return [*found, left]
    at = [centers_of(plain.space, [row for row in cluster for _ in range(sizes[row])]) for cluster in found]
    for row in left:
        away = [sum(steps_apart(plain.space, row, center)) for center in at]
        found[away.index(min(away))].append(row)
    return found


def centers_of(space, rows):
    """The mean of each axis that is wide, in steps, or the node that is nearest to all."""
    columns = {i: [row[i] for row in rows] for i in space.wide}
    return {
        i: int(np.argmin(space.axes[i].taxonomy.units[:, column].sum(axis=1)))
        if isinstance(space.axes[i], CategoryAxis)
        else sum(column) / len(column)
        for i, column in columns.items()
    }


def steps_apart(space, row, center):
    """The squared distance on each axis."""
    for i in space.wide:
        axis = space.axes[i]
        if isinstance(axis, CategoryAxis):
            yield (axis.taxonomy.units[center[i], row[i]] / UNIT) ** 2 / (axis.width / UNIT) ** 2
        else:
            yield (row[i] - center[i]) ** 2 / float(axis.width) ** 2
