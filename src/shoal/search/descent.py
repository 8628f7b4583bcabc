"""A good node of a large lattice early on: from a coarse one down, as long as that loses less.

Each step makes one column one level finer, the one that gains most for each record that has to go besides: what may be
suppressed is spent where it buys most. A column is looked at again only when what it promised last is the most of all,
so that a step costs few looks however many columns there are. Nothing is proved by it: a search that bounds starts
from what it finds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from math import inf
from typing import TypeAlias

from shoal.search.evaluator import Evaluator, Look
from shoal.search.lattice import Node

Best: TypeAlias = tuple[float, Node, int]
"""A loss, the node that has it, and how many records that suppresses."""

_FREE = 1e-4
"""What is gained without suppressing more is divided by this share of all records: it is large, and not infinite."""


def descend(evaluator: Evaluator, start: Best, finest: Node, is_late: Callable[[], bool]) -> Best:
    """The node where no column can be made finer, down to `finest`, without losing more; or where time ran out."""
    best, free = start, _FREE * max(evaluator.table.total, 1)
    promised: list[tuple[float, int, Node | None, Look | None]] = [(-inf, i, None, None) for i in range(len(finest))]
    while promised and not is_late():
        worth, column, seen_from, look = heapq.heappop(promised)
        if best[1][column] == finest[column]:
            continue
        finer = (*best[1][:column], best[1][column] - 1, *best[1][column + 1 :])
        if look is None or seen_from != best[1]:
            look = evaluator.look(finer)
            if look.loss < best[0]:  # otherwise it will hardly pay further down
                worth = (look.loss - best[0]) / (max(look.suppressed - best[2], 0) + free)
                heapq.heappush(promised, (worth, column, best[1], look))
        else:
            best = (look.loss, finer, look.suppressed)
            heapq.heappush(promised, (worth, column, None, None))
    return best
