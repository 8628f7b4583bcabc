"""MDAV: clusters of similar records, k each, formed from the outside in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Sizes
from shoal.cluster.centers import centers, squares
from shoal.cluster.space import CategoryAxis, NumberAxis, Space, full_width
from shoal.cluster.taxonomy import UNIT
from shoal.data.partition import Partition
from shoal.data.people.incidence import Incidence
from shoal.progress import Progress, silent

_SCANNED = 1_000
"""Up to so many distinct records all are looked at for each cluster; beyond, boxes of them."""

_PAIRS = 1 << 22
"""So many distances between records and centers are held at once."""


def mdav_clusters(
    space: Space,
    codes: Sequence[Codes],
    sizes: Sizes,
    k: int,
    *,
    block: int | None = None,
    persons: Incidence | None = None,
    progress: Progress = silent,
) -> Partition:
    """Clusters of k records each, the last one k to 2k − 1.

    While 3k or more records are left: the record farthest from the average one and its k − 1 nearest are a cluster, and
    so are the record farthest from that one and its k − 1 nearest. With 2k or more left one more cluster is formed in
    this way, and the rest is the last. Among equals the first distinct record is taken. The average record has the mean
    of numbers and the marginality centroid of categories; a missing number stands at the mean of the others.

    Where persons are counted, a cluster takes its nearest until they are of k persons, and no distinct record is
    divided; records that are left over and of fewer than k persons join the clusters whose centers are nearest.

    Args:
        space: The axes.
        codes: Per axis, the codes of the distinct records, in lexicographic order.
        sizes: How many records are equal to each; they may be divided among clusters.
        k: Records in a cluster.
        block: Distinct records that are looked at together, at most. Of a larger table so many that are farthest from
            the average one are taken, and the clusters formed first, of half of them, kept; what is left is halved
            across its widest axis, again and again, and each block clustered by itself. So the number of distances
            grows with n and not with n². Where persons are counted, the table is halved alone.
        persons: Who has which distinct records, if persons are counted.
        progress: Told how much is done.

    Paper: Microaggregation-DP Algorithm 1, after Domingo-Ferrer & Torra 2005.
    """
    places = [
        _places(axis, column, sizes, scale) for axis, column, scale in zip(space.axes, codes, space.scales, strict=True)
    ]
    made = _clusters(_Table(space, codes, places), sizes, k, max(block or len(sizes), 1), persons)
    source, label, taken, clusters = [], [], [], 0
    for part in made:
        source.append(part.source)
        label.append(part.label + clusters)
        taken.append(part.sizes)
        clusters += part.groups
        progress("clustering", sum(map(len, source)) / len(sizes))
    which = np.concatenate(source)
    order = np.argsort(which, kind="stable")
    return Partition(which[order], np.concatenate(label)[order], np.concatenate(taken)[order])


class _Table(NamedTuple):
    """The distinct records: their axes, their codes, and where they stand, axis by axis."""

    space: Space
    codes: Sequence[Codes]
    places: Sequence[Floats]


def _clusters(table: _Table, sizes: Sizes, k: int, most: int, persons: Incidence | None) -> Iterator[Partition]:
    """Clusters of the outermost records first, so that those in long tails have the company they would have had."""
    rows, left = np.arange(len(sizes)), sizes.copy()
    if persons is None and len(rows) > max(most, 2 * k):
        shell = _outermost(table, rows, left, max(most, 2 * k))
        found = _cluster(table, shell, left, k, max(2 * k, int(left[shell].sum()) // 2))
        kept = found.label < found.groups - 1  # the last is what is left of the shell
        found = Partition(found.source[kept], found.label[kept], found.sizes[kept])
        np.subtract.at(left, found.source, found.sizes)
        yield found
        rows = np.flatnonzero(left)
    for part in _blocks(table.places, left, rows, most, k, persons):
        here = None if persons is None else persons.kept(_marked(part, len(sizes)))
        yield _cluster(table, part, left, k, 2 * k, here)


def _outermost(table: _Table, rows: Keys, sizes: Sizes, most: int) -> Keys:
    """So many rows, those that are farthest from the average one; the first of equals."""
    codes = [column[rows] for column in table.codes]
    at = centers(table.space, codes, Partition.whole(np.zeros(len(rows), dtype=np.int64), sizes[rows]))
    away = np.zeros(len(rows))
    for i in table.space.wide:
        away += squares(table.space.axes[i], codes[i], at[i]) / table.space.scales[i] ** 2
    return np.sort(rows[np.argsort(-away, kind="stable")[:most]])


def _places(axis: NumberAxis | CategoryAxis, codes: Codes, sizes: Sizes, scale: float) -> Floats:
    """Where each record stands on an axis, scaled; categories along the leaves of their tree, for halving."""
    if isinstance(axis, CategoryAxis):
        return codes / max(axis.taxonomy.values - 1, 1) * (full_width(axis) / scale)
    steps = axis.places(codes, np.nan)
    absent = np.isnan(steps)
    if absent.all():
        return np.zeros(len(codes))
    mean = np.average(steps[~absent], weights=sizes[~absent]) if absent.any() else 0.0
    return np.where(absent, np.rint(mean), steps) / scale


def _blocks(
    places: Sequence[Floats], sizes: Sizes, rows: Keys, most: int, k: int, persons: Incidence | None
) -> list[Keys]:
    """Rows in blocks of at most `most`: halved by records across the axis that is widest in the block, ties together.

    A block that cannot be halved into parts of k records, or persons, each stays as it is.
    """
    waiting, blocks = [rows], []
    while waiting:
        rows = waiting.pop()
        halves = None if len(rows) <= most else _halves(places, sizes, rows, k, persons)
        if halves is None:
            blocks.append(rows)
        else:
            waiting += halves[::-1]
    return blocks


def _halves(places: Sequence[Floats], sizes: Sizes, rows: Keys, k: int, persons: Incidence | None) -> list[Keys] | None:
    spreads = [float(np.ptp(place[rows])) for place in places]
    for axis in np.argsort(spreads, kind="stable")[::-1]:
        here = places[axis][rows]
        order = np.argsort(here, kind="stable")
        ends = np.cumsum(sizes[rows[order]])
        cut = int(np.searchsorted(ends, ends[-1] / 2))
        middle = here[order[cut]]
        for lower in (here <= middle, here < middle):
            if lower.all() or not lower.any():
                continue
            below = int(sizes[rows[lower]].sum())
            smaller = min(below, int(ends[-1]) - below)
            if persons is not None:
                side = np.full(len(sizes), -1)
                side[rows] = lower
                smaller = int(persons.heads(side, 2).min())
            if smaller >= k:
                return [rows[lower], rows[~lower]]
    return None


def _marked(rows: Keys, total: int) -> Mask:
    marked = np.zeros(total, dtype=np.bool_)
    marked[rows] = True
    return marked


def _cluster(table: _Table, rows: Keys, sizes: Sizes, k: int, rest: int, persons: Incidence | None = None) -> Partition:
    """Clusters of some rows, the last of them what is left when fewer than `rest` records are."""
    codes = [column[rows] for column in table.codes]
    found, group, count = _kernel(table.space, [p[rows] for p in table.places], codes, sizes[rows], k, rest, persons)
    return Partition(rows[found], _joined(table.space, codes, found, group, count), count)


def _kernel(
    space: Space,
    places: Sequence[Floats],
    codes: Sequence[Codes],
    sizes: Sizes,
    k: int,
    rest: int,
    persons: Incidence | None,
) -> tuple[Keys, Keys, Sizes]:
    """Which row, in which cluster, how many of its records; axes of no width are left out."""
    numbers = [i for i in space.wide if isinstance(space.axes[i], NumberAxis)]
    points, scales = len(sizes), space.scales[numbers]
    coordinates = np.array([places[i] for i in numbers], dtype=np.float64).reshape(len(numbers), points)
    steps = np.rint(coordinates * scales[:, None]).astype(np.int64)
    if persons is None and len(numbers) == len(space.wide) and points > _SCANNED:
        from shoal.cluster.mdav_tree_kernel import cluster_coordinates

        return cluster_coordinates(coordinates, steps, 1 / scales, sizes, k, rest)
    from shoal.cluster.mdav_kernel import cluster_points
    from shoal.kernels.heads import ONE_EACH

    trees = [(axis, i) for i in space.wide if isinstance(axis := space.axes[i], CategoryAxis)]
    tables = [axis.taxonomy.units for axis, _ in trees]
    squares = [(table / (space.scales[i] * UNIT)) ** 2 for (_, i), table in zip(trees, tables, strict=True)]
    offsets = np.cumsum([0, *(table.size for table in tables)])[:-1]
    return cluster_points(
        coordinates,
        steps,
        1 / scales,
        np.array([codes[i] for _, i in trees], dtype=np.int32).reshape(len(trees), points),
        np.concatenate([np.zeros(0, dtype=np.int64), *(table.ravel() for table in tables)]),
        np.concatenate([np.zeros(0), *(table.ravel() for table in squares)]),
        offsets.astype(np.int64),
        np.array([table.shape[1] for table in tables], dtype=np.int64),
        np.array([table.shape[0] for table in tables], dtype=np.int64),
        sizes.copy(),
        k,
        rest,
        ONE_EACH if persons is None else persons.pairs,
    )


def _joined(space: Space, codes: Sequence[Codes], found: Keys, group: Keys, count: Sizes) -> Keys:
    """The cluster of each part; those that have none join the one whose center is nearest, the first of equals."""
    alone, clusters = np.flatnonzero(group < 0), int(group.max()) + 1
    if not len(alone):
        return group
    placed = group >= 0
    at = centers(space, codes, Partition(found[placed], group[placed], count[placed]))
    joined, together = group.copy(), max(_PAIRS // clusters, 1)
    for start in range(0, len(alone), together):
        here = alone[start : start + together]
        away = np.zeros((len(here), clusters))
        for i in space.wide:
            axis = space.axes[i]
            away += squares(axis, codes[i][found[here]][:, None], at[i][None, :]) / space.scales[i] ** 2
        joined[here] = np.argmin(away, axis=1)
    return joined
