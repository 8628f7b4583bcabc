"""All minimal admissible nodes of a lattice, by predictive tagging (OLA).

Where a criterion survives growth (or nothing may be suppressed), a node above an admissible one is admissible and a
node below an inadmissible one is not, so one look tags a whole upper or lower part of the lattice.
"""

from __future__ import annotations

import numpy as np

from shoal.errors import ParameterError
from shoal.progress import Progress, silent
from shoal.search.evaluator import Evaluator
from shoal.search.lattice import Node

LARGEST_LATTICE = 20_000_000


def minimal_nodes(evaluator: Evaluator, fixed: Node | None = None, progress: Progress = silent) -> list[Node]:
    """The admissible nodes below which nothing is admissible.

    The paper halves sublattices recursively; this halves what is still untagged by height, and finds the same nodes.

    Paper: El Emam et al. 2009, "A globally optimal k-anonymity method for the de-identification of health data".
    """
    require_tags(evaluator)
    lattice = evaluator.lattice
    shape = tuple(height + 1 for height in lattice.heights)
    admissible, settled = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    for axis, levels in enumerate(lattice.levels(fixed)):  # all other levels are out of play
        out = ~np.isin(np.arange(shape[axis]), levels)
        settled[tuple(out if i == axis else slice(None) for i in range(len(shape)))] = True
    heights = np.indices(shape, dtype=np.int32, sparse=True)
    height = sum(heights[1:], start=heights[0]).ravel()
    while (unknown := np.flatnonzero(~settled.ravel())).size:
        progress("tagging the lattice", 1 - unknown.size / lattice.size)
        middle = np.argpartition(height[unknown], unknown.size // 2)[unknown.size // 2]
        node = tuple(int(level) for level in np.unravel_index(unknown[middle], shape))
        _, suppressed = evaluator.price(node, evaluator.classes)
        fits = suppressed <= evaluator.allowed
        part = tuple(slice(level, None) if fits else slice(level + 1) for level in node)
        admissible[part] |= fits & ~settled[part]
        settled[part] = True
    return [
        node
        for node in map(tuple, np.argwhere(admissible).tolist())
        if not any(admissible[below] for below in lattice.predecessors(node))
    ]


def require_tags(evaluator: Evaluator) -> None:
    """Refuse lattices that are too large, and criteria of which one node tells nothing about others."""
    lattice = evaluator.lattice
    if lattice.size > LARGEST_LATTICE:
        raise ParameterError(
            f"OLA is for lattices of at most {LARGEST_LATTICE:,} nodes, and this one has {_told(lattice.size)}; use "
            "optimal-lattice with a time limit, or fewer or lower hierarchies."
        )
    if not evaluator.is_monotone and evaluator.allowed == 0:
        raise ParameterError(
            "OLA needs a criterion that coarser recodings keep, and no bound on the share of persons who have a value "
            "is one: two classes that meet it may not meet it together. Use optimal-lattice for this one."
        )
    if not evaluator.is_monotone:
        raise ParameterError(
            "OLA needs a criterion that coarser recodings keep: k-anonymity or distinct diversity, or any criterion "
            "with suppression_limit 0. Use optimal-lattice for this one."
        )


def _told(number: int) -> str:
    """A number with its digits, or how many it has."""
    return f"{number:,}" if number < 10**15 else f"about 10^{len(str(number)) - 1}"
