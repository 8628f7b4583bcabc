"""The minimal admissible node that loses least, without tagging the lattice: boxes of nodes, bounded from both ends.

As in `optimal`, a look at the coarsest node of a box bounds what its nodes lose, and if it is not admissible none of
them is. Where criteria are kept by coarser recodings the finest node tells as much: if it is admissible, no other node
of the box is minimal. So a box is halved only as long as its ends differ, and only if it may hold a node that loses
less than the best minimal one seen.
"""

from __future__ import annotations

import heapq
from math import inf

import numpy as np

from shoal.progress import Progress, silent
from shoal.search.evaluator import Evaluator, Look
from shoal.search.lattice import Node
from shoal.search.minimal import require_tags
from shoal.search.optimal import progress_so_far, volume, widest_column

_EQUAL = 1e-9
"""Losses are compared exactly; bounds that exceed one by no more than this share of it may be equal to it."""


def best_minimal_node(
    evaluator: Evaluator, fixed: Node | None = None, progress: Progress = silent
) -> tuple[float, Node] | None:
    """Of the nodes of `minimal_nodes` the one with the least loss, the first of equals in the order of levels.

    None if no node is admissible. Worth it where the quality model bounds boxes of nodes.
    """
    require_tags(evaluator)
    allowed = evaluator.lattice.levels(fixed)
    bottom, top = tuple(levels[0] for levels in allowed), tuple(levels[-1] for levels in allowed)
    looks = _Looks(evaluator, bottom)
    if not looks.admits(top):
        return None
    prices, order = evaluator.prices(), evaluator.classes.order
    node = looks.descended(top)
    best = (evaluator.price(node, evaluator.classes)[0], node)
    boxes: list[tuple[float, int, Node, Node]] = []
    newest, settled, size = 0, 0, volume(bottom, top)

    def keep(lo: Node, hi: Node) -> None:
        nonlocal newest, settled
        bound = looks.at(hi).bound(lo)
        if bound > _or_equal(best[0]):
            settled += volume(lo, hi)
            return
        newest -= 1  # among equal bounds the newest box first: it is the smallest
        heapq.heappush(boxes, (bound, newest, lo, hi))

    keep(bottom, top)
    while boxes and boxes[0][0] <= _or_equal(best[0]):
        bound, _, lo, hi = heapq.heappop(boxes)
        progress(f"searching the minimal recodings{progress_so_far(best[0], bound)}", settled / size)
        if lo == hi:
            settled += 1
            if not any(map(looks.admits, looks.below(hi))):
                best = min(best, (evaluator.price(hi, evaluator.classes)[0], hi))
        elif looks.admits(lo):
            settled += volume(lo, hi) - 1
            keep(lo, lo)
        else:
            column = widest_column(lo, hi, prices, order)
            middle = (lo[column] + hi[column]) // 2
            keep((*lo[:column], middle + 1, *lo[column + 1 :]), hi)
            finer = (*hi[:column], middle, *hi[column + 1 :])
            if looks.admits(finer):
                keep(lo, finer)
            else:
                settled += volume(lo, finer)
    return best


class _Looks:
    """Looks at nodes, each at most once, and what follows from them about nodes above and below."""

    def __init__(self, evaluator: Evaluator, bottom: Node) -> None:
        self._evaluator, self._bottom = evaluator, bottom
        self._seen: dict[Node, Look] = {}
        self._admitted = self._refused = np.zeros((0, len(bottom)), dtype=np.int32)  # of each kind those that tell most

    def at(self, node: Node) -> Look:
        """A look at a node."""
        if node not in self._seen:
            self._seen[node] = self._evaluator.look(node)
        return self._seen[node]

    def admits(self, node: Node) -> bool:
        """Whether a node is admissible."""
        if node in self._seen:
            return self._seen[node].loss < inf
        levels = np.array(node, dtype=np.int32)
        if (levels <= self._refused).all(axis=1).any():
            return False
        if (levels >= self._admitted).all(axis=1).any():
            return True
        is_admissible = self.at(node).loss < inf
        if is_admissible:
            tells_more = (self._admitted < levels).any(axis=1)
            self._admitted = np.vstack([self._admitted[tells_more], levels])
        else:
            tells_more = (self._refused > levels).any(axis=1)
            self._refused = np.vstack([self._refused[tells_more], levels])
        return is_admissible

    def below(self, node: Node) -> list[Node]:
        """The nodes one level finer in one column that are in play."""
        return [
            (*node[:i], level - 1, *node[i + 1 :])
            for i, (level, least) in enumerate(zip(node, self._bottom, strict=True))
            if level > least
        ]

    def descended(self, node: Node) -> Node:
        """A minimal node below an admissible one: step by step to where least is lost."""
        while finer := [(self.at(below).loss, below) for below in self.below(node) if self.admits(below)]:
            node = min(finer)[1]
        return node


def _or_equal(loss: float) -> float:
    """The largest bound that a node of this loss might have, for all that rounding can do."""
    return loss + _EQUAL * max(abs(loss), 1.0)
