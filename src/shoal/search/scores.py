"""What nodes of a lattice lose and leave out: a picture of the choices, where a search wants the best one only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.progress import Progress, silent

if TYPE_CHECKING:
    from shoal.search.evaluator import Evaluator
    from shoal.search.lattice import Lattice, Node


@dataclass(frozen=True, slots=True)
class Scored:
    """Nodes as they were priced; for the owner only.

    Attributes:
        nodes: A level per quasi-identifier.
        losses: What each loses, also where it leaves out more than the request allows.
        suppressed: How many records each leaves out.
        of: How many nodes the lattice has.
    """

    nodes: tuple[Node, ...]
    losses: tuple[float, ...]
    suppressed: tuple[int, ...]
    of: int


def scored(evaluator: Evaluator, *, most: int, seconds: float = inf, progress: Progress = silent) -> Scored:
    """Price every node of a lattice, or `most` of them drawn evenly; what `seconds` do not suffice for is left out.

    The request's criteria decide which classes a node leaves out, as always; that it may leave out only so many is not
    asked here, so that what is not admissible can be seen, too.
    """
    free = replace(evaluator, allowed=evaluator.table.total - 1)
    size, until = min(evaluator.lattice.size, most), time.monotonic() + seconds
    nodes: list[Node] = []
    losses: list[float] = []
    suppressed: list[int] = []
    for node in _chosen(evaluator.lattice, most):
        if time.monotonic() > until:
            break
        loss, left_out = free.price(node, free.classes)
        nodes.append(node)
        losses.append(loss)
        suppressed.append(min(left_out, evaluator.table.total))
        progress("pricing schemes", len(nodes) / size)
    return Scored(tuple(nodes), tuple(losses), tuple(suppressed), evaluator.lattice.size)


def _chosen(lattice: Lattice, most: int) -> Iterator[Node]:
    """All nodes in their order; of a lattice that is too large the finest, the coarsest, and others drawn evenly."""
    if lattice.size <= most:
        yield from lattice
        return
    rng = np.random.default_rng(0)  # which ones are looked at is of no consequence
    seen = {lattice.bottom, lattice.top}
    yield from seen
    while len(seen) < most:
        node = tuple(int(level) for level in rng.integers(0, np.array(lattice.heights) + 1))
        if node not in seen:
            seen.add(node)
            yield node
