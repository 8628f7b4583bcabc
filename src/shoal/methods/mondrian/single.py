"""Single-dimensional Mondrian: each column is cut for the whole table at once."""

from __future__ import annotations

import heapq

import numpy as np

from shoal.arrays import Codes, Keys, Sizes
from shoal.data.partition import Partition
from shoal.data.shown import Shown
from shoal.kernels import grouping
from shoal.methods.parts.cells import Cells, Ranges, Rows
from shoal.methods.parts.judge import Judge

_TRIES = 200
"""So many cuts of one piece are tried, the most even first."""


def single_classes(cells: Cells, judge: Judge) -> tuple[Partition, Keys]:
    """The classes when every column is cut into pieces that hold everywhere, and `pieces[row, column]`.

    The dearest piece is cut first, at the most even of the cuts under which every class of the table stays admissible.
    A cut that was refused is not tried again: criteria survive merging, so finer classes cannot meet what coarser ones
    do not; of those about persons most do. Where one may not, no two pieces are shown alike, so that no classes merge.
    """
    rows, columns = cells.codes.shape
    sizes = cells.table.counts.sizes
    label, pieces = np.zeros(rows, dtype=np.int64), np.zeros((rows, columns), dtype=np.int64)
    count = np.ones(columns, dtype=np.int64)
    keeps_apart = judge.by_persons and not judge.is_size_alone and cells.is_by_nodes
    taken: list[set[int]] = [set() for _ in cells.leaves]  # the nodes that other pieces of a column are shown as
    queue = [(-_price(cells, j, 0, len(leaf) - 1), j, 0, len(leaf) - 1) for j, leaf in enumerate(cells.leaves)]
    heapq.heapify(queue)
    while queue:
        _, j, low, high = heapq.heappop(queue)
        values = cells.codes[:, j]
        inside = np.flatnonzero((values >= low) & (values <= high))
        if keeps_apart:
            taken[j].discard(_node(cells, j, low, high))
        for cut in _cuts(cells, j, low, high, sizes[inside], values[inside], judge.k)[:_TRIES]:
            shown = {_node(cells, j, low, cut), _node(cells, j, cut + 1, high)} if keeps_apart else set()
            if keeps_apart and (len(shown) < 2 or shown & taken[j]):
                continue
            is_right = values[inside] > cut
            halves, groups = grouping.compact(2 * label[inside] + is_right, 2 * rows)
            if judge.admissible(inside, halves, groups, sizes[inside]).all():
                label[inside] = rows + halves
                label, _ = grouping.compact(label, 2 * rows)
                pieces[inside[is_right], j] = count[j]
                count[j] += 1
                taken[j] |= shown
                for piece in ((low, cut), (cut + 1, high)):
                    heapq.heappush(queue, (-_price(cells, j, *piece), j, *piece))
                break
        else:
            if keeps_apart:
                taken[j].add(_node(cells, j, low, high))
    return Partition.whole(label, sizes), pieces


def single_shown(cells: Cells, partition: Partition, pieces: Keys) -> tuple[dict[str, tuple[Shown, Codes]], float]:
    """What is published for each class: per column the piece it is in; and the loss."""
    one = grouping.members(partition.label, partition.groups)
    shown, spent = {}, 0.0
    for j, attribute in enumerate(cells.table.quasi_identifiers):
        rows = Rows.of(np.arange(len(pieces)), pieces[:, j])
        entries, entry = cells.column_shown(j, rows)
        piece = pieces[one, j]
        shown[attribute.name] = (entries, entry[piece])
        spent += float((cells.costs(j, cells.ranges(j, rows))[piece] * partition.totals).sum())
    return shown, cells.mean(spent)


def _cuts(cells: Cells, column: int, low: int, high: int, sizes: Sizes, values: Codes, k: int) -> list[int]:
    """Cuts that leave k records on both sides, the most even first."""
    tally = grouping.totals(values - low, high - low + 1, sizes)
    left = np.cumsum(tally)[:-1]
    smaller = np.minimum(left, int(sizes.sum()) - left)
    first = np.zeros(len(left), dtype=np.int64)
    cut = np.arange(low, high)
    if cells.is_by_nodes and len(cut):
        top = cells.nodes(column, _range(low, high))
        first = (cells.nodes(column, Ranges(cut, cut + 1, cut)) == top).astype(np.int64)
    order = np.lexsort((cut, -smaller, -first))
    return [int(c) for c in cut[order[smaller[order] >= k]]]


def _price(cells: Cells, column: int, low: int, high: int) -> float:
    """What a piece costs; every value between its ends occurs in the table."""
    return float(cells.costs(column, _range(low, high))[0])


def _node(cells: Cells, column: int, low: int, high: int) -> int:
    """The node that a piece is shown as."""
    return int(cells.nodes(column, _range(low, high))[0])


def _range(low: int, high: int) -> Ranges:
    return Ranges(np.array([low]), np.array([high]), np.array([high - low + 1]))
