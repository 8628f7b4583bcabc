"""The best admissible node of a lattice, by branch and bound over boxes.

A box is all nodes between two: `lo`, the finest, and `hi`, the coarsest. A look at hi gives a bound for the whole box
(`quality.base`): cells get no finer than at lo, and what cannot be published at hi cannot be published anywhere in
the box. And if hi itself must suppress too much, so must every node of the box. The box with the least bound is
halved along the column whose levels differ most in price; one half keeps hi, the other gets a new hi, which is looked
at. So one look discards or narrows a whole box, the least open bound is at any moment a lower bound on what any node
can reach (the search can be stopped early and say how far from the optimum it may be), and memory grows with the
number of open boxes, not with the lattice.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, prod

from shoal.arrays import Floats
from shoal.errors import InfeasibleError
from shoal.progress import Progress, silent
from shoal.search.descent import Best, descend
from shoal.search.evaluator import Evaluator, Look
from shoal.search.lattice import Node

_LARGE = 1 << 17
"""From so many nodes on a good node is looked for first."""
_EQUAL = 1e-9
"""Prices that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to.

    Attributes:
        node: The best node seen.
        loss: Its loss.
        suppressed: How many records it suppresses.
        least: No node of the lattice loses less than this; equal to `loss` when the search was not cut short.
        evaluated: How many nodes were looked at.
        lattice: How many there are.
    """

    node: Node
    loss: float
    suppressed: int
    least: float
    evaluated: int
    lattice: int

    @property
    def is_optimal(self) -> bool:
        """Whether nothing better can exist."""
        return self.least >= self.loss


class Deadline:
    """When a search is to stop: so many seconds from now."""

    def __init__(self, seconds: float = inf) -> None:
        self.seconds, self._end = seconds, time.monotonic() + seconds

    def is_over(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() > self._end


def best_node(
    evaluator: Evaluator, *, deadline: Deadline | None = None, progress: Progress = silent, fixed: Node | None = None
) -> Found | None:
    """The admissible node with the least loss, or the best one seen when time runs out; None if there is none.

    Args:
        evaluator: The table and the request.
        deadline: When to stop early.
        progress: Told the share of the lattice that is settled, what was found and what is proved.
        fixed: For each column the level it must stay at, or −1, or a floor (`Lattice.levels`).
    """
    lattice = evaluator.lattice
    allowed = lattice.levels(fixed)
    bottom, top = tuple(levels[0] for levels in allowed), tuple(levels[-1] for levels in allowed)
    prices, order = evaluator.prices(), evaluator.classes.order
    deadline = deadline or Deadline()
    settled, size = 0, volume(bottom, top)
    best: Best | None = None
    newest = 0
    boxes: list[tuple[float, int, Node, Node, Look]] = []

    def visit(lo: Node, hi: Node) -> None:
        """Look at hi; keep the box below it if it may hold something better."""
        nonlocal best, settled
        raised = evaluator.raised(lo, hi)
        if raised is None:
            settled += volume(lo, hi)
            return
        settled, lo = settled + volume(lo, hi) - volume(raised, hi), raised
        look = evaluator.look(hi, lo, inf if best is None else best[0])
        if look.loss < (inf if best is None else best[0]):
            best = (look.loss, hi, look.suppressed)
        if look.is_open:
            keep(lo, hi, look)
        else:
            settled += volume(lo, hi)

    def keep(lo: Node, hi: Node, look: Look) -> None:
        nonlocal newest, settled
        bound = look.bound(lo)
        if lo == hi or (best is not None and bound >= best[0]):
            settled += volume(lo, hi)
            return
        newest -= 1  # among equal bounds the newest box first: it is the smallest
        heapq.heappush(boxes, (bound, newest, lo, hi, look))

    visit(bottom, top)
    if best is not None and size > _LARGE:
        best = descend(evaluator, best, bottom, deadline.is_over)
    least = inf
    while boxes:
        bound, _, lo, hi, look = heapq.heappop(boxes)
        if best is not None and bound >= best[0]:
            break
        if deadline.is_over():
            if best is None:
                raise InfeasibleError(
                    f"no admissible recoding was seen within {deadline.seconds:g} seconds, which does not mean that "
                    "there is none; raise time_limit, or allow more suppression."
                )
            least = bound
            break
        progress(f"searching the lattice{progress_so_far(None if best is None else best[0], bound)}", settled / size)
        column = widest_column(lo, hi, prices, order)
        middle = (lo[column] + hi[column]) // 2
        keep((*lo[:column], middle + 1, *lo[column + 1 :]), hi, look)
        visit(lo, (*hi[:column], middle, *hi[column + 1 :]))
    if best is None:
        return None
    loss, node, suppressed = best
    return Found(node, loss, suppressed, min(least, loss), evaluator.evaluated, lattice.size)


def progress_so_far(loss: float | None, bound: float) -> str:
    """What a search has found and proved, for whoever waits for it."""
    found = "" if loss is None else f"a loss of {loss:.4f} found, "
    return f": {found}none below {bound:.4f}" if bound > 0 else ""


def finest_equal(
    evaluator: Evaluator, found: Found, fixed: Node | None = None, deadline: Deadline | None = None
) -> Found:
    """The same loss with no column coarser than it needs to be: a recoding that costs nothing is still not made."""
    allowed, deadline = evaluator.lattice.levels(fixed), deadline or Deadline()
    moved = True
    while moved:
        moved = False
        for node in evaluator.lattice.predecessors(found.node):
            if deadline.is_over():
                break
            if any(level not in levels for level, levels in zip(node, allowed, strict=True)):
                continue
            if evaluator.is_refused(node):
                continue
            loss, suppressed = evaluator.price(node, evaluator.classes)
            if loss <= found.loss:
                found = replace(found, node=node, loss=loss, suppressed=suppressed, evaluated=evaluator.evaluated)
                moved = True
                break
    return found


def volume(lo: Node, hi: Node) -> int:
    """How many nodes a box has."""
    return prod([high - low + 1 for low, high in zip(lo, hi, strict=True)])


def widest_column(lo: Node, hi: Node, prices: Sequence[Floats], order: Sequence[int]) -> int:
    """The column whose levels in the box differ most in price, among those that have several; of equals the first.

    `order` has the widest domain first. What differs by rounding alone is equal.
    """
    spread = [price[high] - price[low] if high > low else -inf for price, low, high in zip(prices, lo, hi, strict=True)]
    most = max(spread) - _EQUAL
    return next(column for column in order if spread[column] >= most)
