"""A tree of boxes over points that leave one after the other: the farthest point, and the nearest ones, exactly.

Points stand in halves of halves, cut across the widest axis, down to leaves of a few. Every node keeps the smallest box
around the points that it still has, and how far the farthest of them is from a reference. A node is skipped only if
no point of it can be as far, or as near, as what is found already, with a little to spare for rounding; so that what is
found is what a look at all points finds, ties included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.kernels.jit import compiled

_LEAF = 24
"""Points of a leaf, at most."""

_SPARE = 1e-9
"""Bounds are wider than what they bound by this share: more than rounding of sums over axes can come to."""


class BoxTree(NamedTuple):
    """Nodes numbered from the root, those under node i being 2i + 1 and 2i + 2; the leaves come last.

    Attributes:
        start: Where the points of each leaf start.
        left: How many points each node still has.
        low: `low[node, axis]`: the lowest coordinate of its points.
        high: The highest.
        reach: An upper bound of the distance of its points to the reference.
        reference: A point of the space.
    """

    start: Keys
    left: Keys
    low: Floats
    high: Floats
    reach: Floats
    reference: Floats


@compiled
def _select(values: Floats, order: Keys, start: int, stop: int, middle: int) -> None:
    """Rearrange `order[start:stop]` so that no value before `middle` is above one behind it."""
    first, last = start, stop - 1
    while first < last:
        pivot = values[order[(first + last) // 2]]
        i, j = first, last
        while i <= j:
            while values[order[i]] < pivot:
                i += 1
            while values[order[j]] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@compiled
def box_order(numbers: Floats) -> tuple[Keys, int]:
    """The points, leaf by leaf, and how many leaves there are; `numbers[axis, point]`."""
    axes, points = numbers.shape
    leaves = 1
    while leaves * _LEAF < points:
        leaves *= 2
    order = np.arange(points)
    parts = 1
    while parts < leaves:
        for part in range(parts):
            start, stop = part * points // parts, (part + 1) * points // parts
            widest, spread = 0, -1.0
            for axis in range(axes):
                low, high = np.inf, -np.inf
                for i in range(start, stop):
                    low, high = min(low, numbers[axis, order[i]]), max(high, numbers[axis, order[i]])
                if high - low > spread:
                    widest, spread = axis, high - low
            _select(numbers[widest], order, start, stop, (2 * part + 1) * points // (2 * parts))
        parts *= 2
    return order, leaves


@compiled
def box_tree(numbers: Floats, leaves: int, reference: Floats) -> BoxTree:
    """The tree of points that stand leaf by leaf."""
    axes, points = numbers.shape
    start = np.empty(leaves + 1, dtype=np.int64)
    nodes = 2 * leaves - 1
    tree = BoxTree(
        start,
        np.zeros(nodes, dtype=np.int64),
        np.empty((nodes, axes)),
        np.empty((nodes, axes)),
        np.empty(nodes),
        reference.copy(),
    )
    for leaf in range(leaves + 1):
        start[leaf] = leaf * points // leaves
    for leaf in range(leaves):
        tree.left[leaves - 1 + leaf] = start[leaf + 1] - start[leaf]
    refer(tree, numbers, reference)
    return tree


@compiled
def refer(tree: BoxTree, numbers: Floats, reference: Floats) -> None:
    """Take another point as the reference, near the center of what is left."""
    tree.reference[:] = reference
    leaves = len(tree.start) - 1
    for leaf in range(leaves):
        _look_at_leaf(tree, numbers, leaf)
    for node in range(leaves - 2, -1, -1):
        _look_at_halves(tree, node)


@compiled
def _look_at_leaf(tree: BoxTree, numbers: Floats, leaf: int) -> None:
    node = len(tree.start) - 2 + leaf
    first, count = tree.start[leaf], tree.left[node]
    tree.low[node], tree.high[node] = np.inf, -np.inf
    reach = 0.0
    for i in range(first, first + count):
        away = 0.0
        for axis in range(len(numbers)):
            value = numbers[axis, i]
            tree.low[node, axis], tree.high[node, axis] = (
                min(tree.low[node, axis], value),
                max(tree.high[node, axis], value),
            )
            away += (value - tree.reference[axis]) ** 2
        reach = max(reach, away)
    tree.reach[node] = np.sqrt(reach) * (1 + _SPARE)


@compiled
def _look_at_halves(tree: BoxTree, node: int) -> None:
    left, right = 2 * node + 1, 2 * node + 2
    tree.left[node] = tree.left[left] + tree.left[right]
    tree.reach[node] = max(tree.reach[left], tree.reach[right])
    for axis in range(tree.low.shape[1]):
        tree.low[node, axis] = min(tree.low[left, axis], tree.low[right, axis])
        tree.high[node, axis] = max(tree.high[left, axis], tree.high[right, axis])


@compiled
def taken_from(tree: BoxTree, numbers: Floats, leaf: int) -> None:
    """Make boxes smaller after points left a leaf, the count of which says how many there are."""
    _look_at_leaf(tree, numbers, leaf)
    node = len(tree.start) - 2 + leaf
    while node > 0:
        node = (node - 1) // 2
        _look_at_halves(tree, node)


@compiled
def _most(tree: BoxTree, node: int, place: Floats, off: float) -> float:
    """No point of a node is farther, squared: by its box, and by how far its points are from the reference.

    `off` is the distance of the place from the reference. |x − p|² = |x − r|² + |p − r|² − 2 (p − r)(x − r), and the
    last term is least at a corner of the box.
    """
    by_box, along = 0.0, 0.0
    for axis in range(len(place)):
        low, high, at = tree.low[node, axis], tree.high[node, axis], place[axis]
        away = max(at - low, high - at)
        by_box += away * away
        lean = at - tree.reference[axis]
        along += lean * ((low if lean > 0 else high) - tree.reference[axis])
    reach = tree.reach[node]
    by_reach = reach * reach + off * off - 2 * along
    # What is subtracted may be far larger than what is left: rounding is a share of the parts.
    by_reach += _SPARE * (reach * reach + off * off + 2 * abs(along))
    return float(min(by_box * (1 + _SPARE), by_reach, (reach + off) ** 2 * (1 + _SPARE)))


@compiled
def least_away(tree: BoxTree, node: int, place: Floats) -> float:
    """No point of a node is nearer, squared."""
    away = 0.0
    for axis in range(len(place)):
        gap = max(tree.low[node, axis] - place[axis], place[axis] - tree.high[node, axis])
        if gap > 0:
            away += gap * gap
    return float(away * (1 - _SPARE))


@compiled
def farthest(
    tree: BoxTree, numbers: Floats, ids: Keys, place: Floats, stack: Keys, bounds: Floats, away: Floats
) -> int:
    """The point farthest from a place, the one with the lowest number of equals; `stack`, `bounds`, `away` are room."""
    leaves = len(tree.start) - 1
    off = 0.0
    for axis in range(len(place)):
        off += (place[axis] - tree.reference[axis]) ** 2
    off = np.sqrt(off)
    found, most = -1, -1.0
    depth = 1
    stack[0], bounds[0] = 0, np.inf
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if bounds[depth] < most:
            continue
        if node >= leaves - 1:
            start = tree.start[node - leaves + 1]
            count = tree.left[node]
            squares_of(numbers, place, start, start + count, away)
            for i in range(count):
                if away[i] > most or (away[i] == most and ids[start + i] < ids[found]):
                    found, most = start + i, away[i]
            continue
        left, right = 2 * node + 1, 2 * node + 2
        left_most = _most(tree, left, place, off) if tree.left[left] > 0 else -1.0
        right_most = _most(tree, right, place, off) if tree.left[right] > 0 else -1.0
        if left_most > right_most:
            left, right, left_most, right_most = right, left, right_most, left_most
        if left_most >= most and left_most >= 0:
            stack[depth], bounds[depth] = left, left_most
            depth += 1
        if right_most >= most and right_most >= 0:
            stack[depth], bounds[depth] = right, right_most
            depth += 1
    return found


@compiled
def squares_of(numbers: Floats, place: Floats, start: int, stop: int, away: Floats) -> None:
    """The squared distance of points start…stop−1 to a place, into `away`; axis by axis, as everywhere."""
    away[: stop - start] = 0.0
    for axis in range(len(numbers)):
        at = place[axis]
        for i in range(start, stop):
            off = numbers[axis, i] - at
            away[i - start] += off * off
