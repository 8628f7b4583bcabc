"""The loop of MDAV on points with coordinates alone, by a tree of boxes: the clusters of a look at all points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Keys, Sizes
from shoal.cluster.box_tree_kernel import (
    BoxTree,
    box_order,
    box_tree,
    farthest,
    least_away,
    refer,
    squares_of,
    taken_from,
)
from shoal.cluster.mdav_kernel import lift, sink
from shoal.kernels.jit import compiled

_LONG = 64
"""So many pairs of clusters are taken out before the distances to the center are measured again."""


@compiled
def _nearest(  # noqa: PLR0917  compiled functions take positions
    tree: BoxTree,
    numbers: Floats,
    ids: Keys,
    sizes: Sizes,
    far: int,
    k: int,
    heap: Keys,
    near: Floats,
    stack: Keys,
    bounds: Floats,
    away: Floats,
) -> tuple[int, int]:
    """A point and its nearest, k records together, into `heap`: how many points, and how many records they are."""
    leaves = len(tree.start) - 1
    place = numbers[:, far].copy()
    held = count = 0
    bound, bound_id = np.inf, np.int64(-1)
    depth = 1
    stack[0], bounds[0] = 0, -1.0
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if held >= k and bounds[depth] > bound:
            continue
        if node < leaves - 1:
            left, right = 2 * node + 1, 2 * node + 2
            left_least = least_away(tree, left, place) if tree.left[left] > 0 else np.inf
            right_least = least_away(tree, right, place) if tree.left[right] > 0 else np.inf
            if left_least < right_least:
                left, right, left_least, right_least = right, left, right_least, left_least
            if left_least < np.inf and (held < k or left_least <= bound):
                stack[depth], bounds[depth] = left, left_least
                depth += 1
            if right_least < np.inf and (held < k or right_least <= bound):
                stack[depth], bounds[depth] = right, right_least
                depth += 1
            continue
        start = tree.start[node - leaves + 1]
        stop = start + tree.left[node]
        squares_of(numbers, place, start, stop, away)
        for i in range(start, stop):
            d = away[i - start]
            if i == far:
                d = -1.0  # itself first, even among its equals
            if held >= k and (d > bound or (d == bound and ids[i] > bound_id)):
                continue
            near[i] = d
            heap[count] = i
            count += 1
            held += sizes[i]
            lift(heap, near, ids, count - 1)
            while held - sizes[heap[0]] >= k:
                held -= sizes[heap[0]]
                count -= 1
                heap[0] = heap[count]
                sink(heap, near, ids, count)
            bound, bound_id = near[heap[0]], ids[heap[0]]
    return count, held


@compiled
def cluster_coordinates(
    numbers: Floats, steps: NDArray[np.int64], scales: Floats, sizes: Sizes, k: int, rest: int
) -> tuple[Keys, Keys, Sizes]:
    """The clusters of `cluster_points`, for points that have coordinates and no categories, and are counted by records.

    Args:
        numbers: `numbers[axis, point]`, scaled so that distances can be added.
        steps: The same as whole numbers, whose sums are exact.
        scales: What a step of each axis is in `numbers`.
        sizes: How many records each point stands for; a point may be divided among clusters.
        k: Records of a cluster.
        rest: While so many records are left, or more, it goes on; what is left then is the last cluster.

    Returns:
        Parts: which point, in which cluster, how many records.
    """
    axes, points = numbers.shape
    left = int(sizes.sum())
    most = points + left // k + 1
    source, label, taken = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    sums = np.zeros(axes, np.int64)
    for axis in range(axes):
        for i in range(points):
            sums[axis] += steps[axis, i] * sizes[i]
    center = np.empty(axes)
    for axis in range(axes):
        center[axis] = sums[axis] / left * scales[axis]
    ids = np.arange(points)
    heap, near = np.empty(points, np.int64), np.empty(points)
    stack, bounds, away = np.empty(128, np.int64), np.empty(128), np.empty(points)
    order, leaves = box_order(numbers)
    numbers, steps, ids, sizes = numbers[:, order].copy(), steps[:, order].copy(), ids[order], sizes[order]
    tree = box_tree(numbers, leaves, center)
    leaf_of = np.empty(points, np.int64)
    for leaf in range(leaves):
        leaf_of[tree.start[leaf] : tree.start[leaf + 1]] = leaf
    built, here = points, np.empty(points, np.int64)
    parts = clusters = pairs = 0
    second = False
    while second or left >= rest:
        if not second:
            if 2 * points < built:  # half of them are gone: boxes of those that are left
                found = 0
                for leaf in range(leaves):
                    start = tree.start[leaf]
                    for i in range(start, start + tree.left[leaves - 1 + leaf]):
                        here[found] = i
                        found += 1
                numbers, steps = numbers[:, here[:found]].copy(), steps[:, here[:found]].copy()
                ids, sizes = ids[here[:found]], sizes[here[:found]]
                order, leaves = box_order(numbers)
                numbers, steps, ids, sizes = numbers[:, order].copy(), steps[:, order].copy(), ids[order], sizes[order]
                tree = box_tree(numbers, leaves, center)
                for leaf in range(leaves):
                    leaf_of[tree.start[leaf] : tree.start[leaf + 1]] = leaf
                built = points
            for axis in range(axes):
                center[axis] = sums[axis] / left * scales[axis]
            pairs += 1
            if pairs % _LONG == 0:
                refer(tree, numbers, center)
        # The record farthest from the average one; the second time, from the first one's record.
        far = farthest(tree, numbers, ids, center, stack, bounds, away)
        for axis in range(axes):
            center[axis] = numbers[axis, far]
        count, held = _nearest(tree, numbers, ids, sizes, far, k, heap, near, stack, bounds, away)
        # The farthest of them may have more records than are wanted: it stays with the rest.
        farthest_of_them, spare = heap[0], held - k
        chosen = np.sort(heap[:count])
        for place in range(count - 1, -1, -1):
            i = chosen[place]
            out = sizes[i] - spare if i == farthest_of_them else sizes[i]
            source[parts], label[parts], taken[parts] = ids[i], clusters, out
            parts += 1
            left -= out
            for axis in range(axes):
                sums[axis] -= steps[axis, i] * out
            sizes[i] -= out
            if sizes[i] > 0:
                continue
            points -= 1
            leaf = leaf_of[i]
            node = leaves - 1 + leaf
            tree.left[node] -= 1
            last = tree.start[leaf] + tree.left[node]
            ids[i], sizes[i] = ids[last], sizes[last]
            for axis in range(axes):
                numbers[axis, i], steps[axis, i] = numbers[axis, last], steps[axis, last]
            if place == 0 or leaf_of[chosen[place - 1]] != leaf:
                taken_from(tree, numbers, leaf)
        clusters += 1
        # Two clusters for each average while 3k or more were left, else one.
        second = not second and left >= rest
    for leaf in range(leaves):
        start = tree.start[leaf]
        for i in range(start, start + tree.left[leaves - 1 + leaf]):
            source[parts], label[parts], taken[parts] = ids[i], clusters, sizes[i]
            parts += 1
    return source[:parts], label[:parts], taken[:parts]
