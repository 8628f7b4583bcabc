"""Every node of a lattice, each from the merged records of a finer one.

The columns are settled one after the other, the widest first; what has become equal is merged before the next column is
touched, so that most nodes are counted from a table far smaller than the original. For objectives without useful bounds
this is the fastest exact search, and it is the oracle for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from shoal.progress import Progress, silent
from shoal.search.evaluator import Evaluator
from shoal.search.lattice import Lattice, Node, NodeClasses
from shoal.search.optimal import Found

_UNMERGED = 3
"""How many columns are left to the last step, where merging would cost as much as counting."""


def walk(source: NodeClasses, fixed: Node | None = None) -> Iterator[tuple[Node, NodeClasses]]:
    """Every node with the smallest table its classes can be counted from."""
    order, levels = source.order, Lattice.of(source.table).levels(fixed)

    def settle(depth: int, node: Node, table: NodeClasses) -> Iterator[tuple[Node, NodeClasses]]:
        if depth == len(order):
            yield node, table
            return
        column = order[depth]
        for level in levels[column]:
            here = (*node[:column], level, *node[column + 1 :])
            merged = table.above(here) if level and depth < len(order) - _UNMERGED else table
            yield from settle(depth + 1, here, merged)
            if level:
                table = merged

    return settle(0, Lattice.of(source.table).bottom, source)


def best_of_all(evaluator: Evaluator, *, progress: Progress = silent, fixed: Node | None = None) -> Found | None:
    """The admissible node with the least loss, by looking at each; the first of equals in the order of levels."""
    best: tuple[float, Node, int] | None = None
    for number, (node, source) in enumerate(walk(evaluator.classes, fixed)):
        if number % 256 == 0:
            progress("looking at every node of the lattice", number / evaluator.lattice.size)
        loss, suppressed = evaluator.price(node, source)
        if (loss, node) < ((inf, ()) if best is None else best[:2]):
            best = (loss, node, suppressed)
    if best is None:
        return None
    loss, node, suppressed = best
    return Found(node, loss, suppressed, loss, evaluator.evaluated, evaluator.lattice.size)
