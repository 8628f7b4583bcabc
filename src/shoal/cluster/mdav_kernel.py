"""The loop of MDAV on points: n²/k distances, so every one of them counts.

Points are kept densely: who is clustered is overwritten by the last one. Among equal distances the point with the
lowest number is taken, wherever it stands by then. Sums are whole numbers, so the average does not depend on the order
in which points leave; distances are added axis by axis. Where persons are counted, points stay whole, and a point is
worth those of its persons who have no nearer one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Keys, Nodes, Sizes
from shoal.kernels.heads import Pairs
from shoal.kernels.jit import compiled

_BLOCK = 512
_FAR = np.inf


@compiled
def _squares(  # noqa: PLR0917  compiled functions take positions
    numbers: Floats,
    center: Floats,
    categories: Nodes,
    node: Keys,
    squares: Floats,
    offsets: Keys,
    widths: Keys,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """The squared distance of points start…stop−1 to a center, into `out`."""
    out[: stop - start] = 0.0
    for axis in range(len(numbers)):
        at = center[axis]
        for i in range(start, stop):
            away = numbers[axis, i] - at
            out[i - start] += away * away
    for axis in range(len(categories)):
        first = offsets[axis] + node[axis] * widths[axis]
        for i in range(start, stop):
            out[i - start] += squares[first + categories[axis, i]]


@compiled
def lift(heap: Keys, near: Floats, ids: Keys, place: int) -> None:
    """Restore the heap upwards: the farthest is on top, of equals the one with the highest number."""
    while place > 0:
        parent = (place - 1) // 2
        a, b = heap[place], heap[parent]
        if near[a] > near[b] or (near[a] == near[b] and ids[a] > ids[b]):
            heap[place], heap[parent] = b, a
            place = parent
        else:
            return


@compiled
def sink(heap: Keys, near: Floats, ids: Keys, size: int) -> None:
    """Restore the heap downwards from its top."""
    place = 0
    while True:
        largest = place
        for child in (2 * place + 1, 2 * place + 2):
            if child < size:
                a, b = heap[child], heap[largest]
                if near[a] > near[b] or (near[a] == near[b] and ids[a] > ids[b]):
                    largest = child
        if largest == place:
            return
        heap[place], heap[largest] = heap[largest], heap[place]
        place = largest


@compiled
def _counted(point: int, by: int, held: Sizes, pairs: Pairs) -> int:
    """Put a point into a set, or take it out (`by` 1 or −1): how many persons the set has more, or fewer, then.

    `held` says how many points of the set each person has.
    """
    changed = 0
    for pair in range(pairs.starts[point], pairs.starts[point + 1]):
        person = pairs.person[pair]
        if by < 0:
            held[person] -= 1
        if held[person] == 0:
            changed += 1
        if by > 0:
            held[person] += 1
    return changed


@compiled
def _worth(point: int, held: Sizes, pairs: Pairs) -> int:
    """How many persons a set has fewer without one of its points."""
    worth = 0
    for pair in range(pairs.starts[point], pairs.starts[point + 1]):
        if held[pairs.person[pair]] == 1:
            worth += 1
    return worth


@compiled
def cluster_points(  # noqa: PLR0917
    numbers: Floats,
    steps: NDArray[np.int64],
    scales: Floats,
    categories: Nodes,
    units: NDArray[np.int64],
    squares: Floats,
    offsets: Keys,
    widths: Keys,
    heights: Keys,
    sizes: Sizes,
    k: int,
    rest: int,
    pairs: Pairs,
) -> tuple[Keys, Keys, Sizes]:
    """MDAV (Microaggregation-DP Algorithm 1) on weighted points; all arrays but the tables are used up.

    Args:
        numbers: `numbers[axis, point]`, scaled so that distances can be added.
        steps: The same as whole numbers, whose sums are exact.
        scales: What a step of each axis is in `numbers`.
        categories: `categories[axis, point]`, a value of the axis.
        units: Tables of distances between nodes and values, one axis after the other, as whole numbers.
        squares: The same, squared and scaled.
        offsets: Where the table of each axis starts.
        widths: How many values each axis has.
        heights: How many nodes.
        sizes: How many records each point stands for; a point may be divided among clusters if records are counted.
        k: Records of a cluster, or persons.
        rest: While so many records are left, or more, it goes on; what is left then is the last cluster. 2k, or more if
            only those on the outside are wanted.
        pairs: Who has which points, if persons are counted.

    Returns:
        Parts: which point, in which cluster, how many records. Points that are left over and of fewer than k persons
        are in cluster −1.
    """
    points, axes, trees = len(sizes), len(numbers), len(categories)
    ids = np.arange(points)
    left = int(sizes.sum())
    most = points + left // k + 1
    # What may still be clustered: records, or pairs of a point and a person, which are no fewer than persons.
    by_persons = len(pairs.starts) > 0
    waiting, people = len(pairs.person) if by_persons else left, pairs.people
    points_of, held_of = np.zeros(pairs.people, np.int64), np.zeros(pairs.people, np.int64)
    for pair in range(len(pairs.person)):
        points_of[pairs.person[pair]] += 1
    source, label, taken = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    parts = clusters = 0
    sums = np.zeros(axes, np.int64)
    for axis in range(axes):
        for i in range(points):
            sums[axis] += steps[axis, i] * sizes[i]
    nodes = 0
    for axis in range(trees):
        nodes = max(nodes, heights[axis])
    marginality = np.zeros((trees, nodes), np.int64)
    for axis in range(trees):
        for i in range(points):
            for node in range(heights[axis]):
                marginality[axis, node] += units[offsets[axis] + node * widths[axis] + categories[axis, i]] * sizes[i]
    center, node_of = np.empty(axes, np.float64), np.empty(trees, np.int64)
    distances, heap, near = np.empty(_BLOCK), np.empty(points, np.int64), np.empty(points, np.float64)
    second, opposite = False, -1
    while second or (waiting >= rest and (people >= k or not by_persons)):
        if not second:
            # The average record: means, and the least marginal nodes.
            for axis in range(axes):
                center[axis] = sums[axis] / left * scales[axis]
            for axis in range(trees):
                best = 0
                for node in range(1, heights[axis]):
                    if marginality[axis, node] < marginality[axis, best]:
                        best = node
                node_of[axis] = best
        # The record farthest from it; the second time, from the first one's record, unless that scan has found it.
        far, distance = opposite, -1.0
        if far < 0:
            for start in range(0, points, _BLOCK):
                stop = min(start + _BLOCK, points)
                _squares(numbers, center, categories, node_of, squares, offsets, widths, start, stop, distances)
                for i in range(start, stop):
                    d = distances[i - start]
                    if d > distance or (d == distance and ids[i] < ids[far]):
                        far, distance = i, d
        for axis in range(axes):
            center[axis] = numbers[axis, far]
        for axis in range(trees):
            node_of[axis] = categories[axis, far]
        # It and its nearest, k records together; and the farthest from it on the way.
        held = count = 0
        opposite, distance = -1, -1.0
        bound, bound_id = _FAR, points
        for start in range(0, points, _BLOCK):
            stop = min(start + _BLOCK, points)
            _squares(numbers, center, categories, node_of, squares, offsets, widths, start, stop, distances)
            for i in range(start, stop):
                d = distances[i - start]
                if d > distance or (d == distance and ids[i] < ids[opposite]):
                    opposite, distance = i, d
                if i == far:
                    d = -1.0  # itself first, even among its equals
                if held >= k and (d > bound or (d == bound and ids[i] > bound_id)):
                    continue
                near[i] = d
                heap[count] = i
                count += 1
                held += _counted(ids[i], 1, held_of, pairs) if by_persons else sizes[i]
                lift(heap, near, ids, count - 1)
                while True:
                    worth = _worth(ids[heap[0]], held_of, pairs) if by_persons else sizes[heap[0]]
                    if held - worth < k:
                        break
                    held -= worth
                    if by_persons:
                        _counted(ids[heap[0]], -1, held_of, pairs)
                    count -= 1
                    heap[0] = heap[count]
                    sink(heap, near, ids, count)
                bound, bound_id = near[heap[0]], ids[heap[0]]
        # The farthest of them may have more records than are wanted: it stays with the rest.
        chosen = np.sort(heap[:count])
        spare, farthest = 0 if by_persons else held - k, heap[0]
        for place in range(count - 1, -1, -1):
            i = chosen[place]
            out = sizes[i] - spare if i == farthest else sizes[i]
            source[parts], label[parts], taken[parts] = ids[i], clusters, out
            parts += 1
            left -= out
            if by_persons:
                _counted(ids[i], -1, held_of, pairs)
                waiting -= pairs.starts[ids[i] + 1] - pairs.starts[ids[i]]
                people -= _counted(ids[i], -1, points_of, pairs)
            else:
                waiting -= out
            for axis in range(axes):
                sums[axis] -= steps[axis, i] * out
            for axis in range(trees):
                for node in range(heights[axis]):
                    marginality[axis, node] -= units[offsets[axis] + node * widths[axis] + categories[axis, i]] * out
            sizes[i] -= out
            if sizes[i] == 0:
                points -= 1
                if opposite == i:
                    opposite = -1
                elif opposite == points:
                    opposite = i
                ids[i], sizes[i] = ids[points], sizes[points]
                for axis in range(axes):
                    numbers[axis, i], steps[axis, i] = numbers[axis, points], steps[axis, points]
                for axis in range(trees):
                    categories[axis, i] = categories[axis, points]
        clusters += 1
        # Two clusters for each average while 3k or more were left, else one.
        second = not second and waiting >= rest and (people >= k or not by_persons)
        if not second:
            opposite = -1
    last = -1 if by_persons and people < k else clusters
    for i in range(points):
        source[parts], label[parts], taken[parts] = ids[i], last, sizes[i]
        parts += 1
    return source[:parts], label[:parts], taken[:parts]
