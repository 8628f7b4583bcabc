"""Classes from priced cells, those first whose records pay most above what the cell costs."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.kernels.jit import compiled
from shoal.methods.local_recoding.near_cells_kernel import NearCells
from shoal.methods.local_recoding.prices_kernel import best_class, room_to_choose


@compiled
def greedy_classes(
    cells: NearCells, sizes: Sizes, prices: Floats, k: int, least: float, little: float
) -> tuple[Keys, Keys, Keys, Keys]:
    """Classes of k records or more: rows, their classes and how many records of each; and those left over.

    A cell is as good as its best class gains per record and cost, `little` added to the cost. Gains change as records
    get classes: a cell that comes first is looked at again before it becomes a class, and after.
    """
    left, chosen = sizes.copy(), room_to_choose(len(sizes))
    heap = [(0.0, 0)]  # of what type it is
    heap.pop()
    for cell in range(len(cells.costs)):
        gain, records, _ = best_class(cells, cell, left, prices, k, least, chosen)
        if gain > least:
            heap.append((-gain / (records * (cells.costs[cell] + little)), cell))
    heapify(heap)
    source, label, many, classes = [0], [0], [0], 0
    while len(heap) > 0:
        _, cell = heappop(heap)
        gain, records, rows = best_class(cells, cell, left, prices, k, least, chosen)
        if gain <= least:
            continue
        order = -gain / (records * (cells.costs[cell] + little))
        heappush(heap, (order, cell))
        if heap[0][0] < order:
            continue
        for i in range(rows):
            source.append(chosen.row[i])
            label.append(classes)
            many.append(chosen.many[i])
            left[chosen.row[i]] -= chosen.many[i]
        classes += 1
    return np.array(source[1:]), np.array(label[1:]), np.array(many[1:]), left
