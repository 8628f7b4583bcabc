"""SafePub's search as published (Figure 7): for comparison with the paper; its result has no privacy guarantee.

The walk chooses each pivot by the exponential mechanism, but returns the pivot with the best *true* score, and works on
the very sample that is released (theory SP-3, SP-4).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.guarantee import exact
from shoal.dp.selection import ExponentialMechanism
from shoal.errors import ParameterError
from shoal.quality import CellModel, Classification, Discernibility, GroupSize, NonUniformEntropy, QualityModel
from shoal.search.lattice import Lattice, Node, NodeClasses

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins import Coins
    from shoal.progress import Progress

_GRID = Fraction(1, 1 << 10)


def published_sensitivity(model: QualityModel, k: int, columns: int) -> Fraction:
    """Δ of Theorems 6 to 9, for k > 1."""
    match model:
        case CellModel():
            return Fraction((k - 1) * columns if k > 1 else columns)  # Thm 6
        case Discernibility():
            return Fraction(k * k, k - 1) + 1 if k > 1 else Fraction(5)  # Thm 7
        case NonUniformEntropy():
            return columns * (Fraction(k * k, k - 1) + 1 if k > 1 else Fraction(5))  # Thm 8
        case GroupSize():
            return Fraction(1)  # §5.4
        case Classification():
            return Fraction(k)  # Thm 9
        case _:
            raise ParameterError(f"SafePub has no score function {type(model).__name__}; choose another quality model.")


def search_as_published(
    sample: EncodedTable,
    model: QualityModel,
    k: int,
    epsilon: Fraction,
    steps: int,
    coins: Coins,
    progress: Progress,
) -> Node:
    """The scheme that Figure 7 returns for a sample."""
    attributes = sample.quasi_identifiers
    names = [attribute.name for attribute in attributes]
    target = names.index(model.target) if isinstance(model, Classification) else None
    heights = tuple(0 if i == target else height for i, height in enumerate(Lattice.of(sample).heights))
    lattice, classes, objective = Lattice(heights), NodeClasses(sample, last=target), model.on(sample)
    features = [i for i in range(len(attributes)) if i != target]

    def score(node: Node) -> float:
        found = classes.at(node)
        hidden = found.sizes < k
        if all(node[i] == heights[i] for i in features):
            hidden[:] = True  # generalized altogether is suppressed
        return objective.score(found, hidden)

    step = exact(epsilon) / steps  # line 2
    # Exponent ε̃ / (2 Δ) of Definition 3: a range of 2 Δ.
    mechanism = ExponentialMechanism(
        epsilon=step, score_range=2 * published_sensitivity(model, k, len(attributes)), grid=_GRID
    )
    pivot = optimum = lattice.top  # lines 3 and 4
    known = {pivot: score(pivot)}
    candidates = [pivot]  # line 5
    for number in range(steps):  # line 6
        progress("searching the lattice", number / steps)
        for node in lattice.predecessors(pivot):  # line 7
            if node not in known:
                known[node] = score(node)
            if node not in candidates:
                candidates.append(node)
        candidates.remove(pivot)  # line 8
        if not candidates:
            break
        scores = np.array([known[node] for node in candidates])
        pivot = candidates[mechanism.select(scores, coins)]  # line 9
        if known[pivot] > known[optimum]:  # lines 10 to 12: the line that is not private
            optimum = pivot
    return optimum  # line 14
