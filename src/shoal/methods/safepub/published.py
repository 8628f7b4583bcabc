"""SafePub's search as published (Figure 7): for comparison with the paper; its result has no privacy guarantee.

The walk chooses each pivot by the exponential mechanism, but returns the pivot with the best *true* score, and works on
the very sample that is released (theory SP-3, SP-4).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.errors import ParameterError
from shoal.parameters import exact
from shoal.quality import CellModel, Classification, Discernibility, GroupSize, NonUniformEntropy, QualityModel
from shoal.quality.base import checked_weights
from shoal.search.blocks.block_scores import BlockScore, Cells, Classes, ColumnSpread, Majorities, SchemeScores, Spread
from shoal.search.blocks.refinement import blocks_of
from shoal.search.lattice import Lattice, Node

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
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


def published_score(model: QualityModel, sample: EncodedTable, k: int, looks: int) -> Callable[[Node], float]:
    """The score of §5 for schemes of a sample, classes below k suppressed: what is kept, less a constant.

    Where every feature is generalized altogether, everything counts as suppressed.
    """
    names = [attribute.name for attribute in sample.quasi_identifiers]
    hierarchies = [attribute.hierarchy for attribute in sample.quasi_identifiers]
    target = names.index(model.target) if isinstance(model, Classification) else None
    total = sample.total

    def kept(sizes: Sizes) -> Floats:
        return np.where(sizes < k, 0.0, sizes)

    score, worst = _block_score(model, sample, kept, k)
    levels = [1 if i == target else h.height + 1 for i, h in enumerate(hierarchies)]
    scores = SchemeScores(blocks_of(sample, k, last=target, looks=looks), score, levels)
    features = [(i, h) for i, h in enumerate(hierarchies) if i != target]

    def of(node: Node) -> float:
        if all(h.up[node[i], 0] == h.root for i, h in features):
            return worst * total
        return worst * total + float(scores.of(node))

    return of


def _block_score(
    model: QualityModel, sample: EncodedTable, kept: Callable[[Sizes], Floats], k: int
) -> tuple[BlockScore, float]:
    """What published classes add to the score, and what a suppressed record costs."""
    hierarchies = [attribute.hierarchy for attribute in sample.quasi_identifiers]
    match model:
        case CellModel():
            weights = checked_weights(model.weights, sample)
            prices = [w * (1 - model.costs(h)) for w, h in zip(weights, hierarchies, strict=True)]
            return Cells(kept, prices, np.float64), -float(weights.sum())
        case Discernibility():
            return Spread(kept, sample.total, np.float64), -1.0
        case NonUniformEntropy():
            weights = checked_weights(model.weights, sample)
            return ColumnSpread(kept, sample.total, weights.tolist(), hierarchies, np.float64), -float(weights.sum())
        case GroupSize():
            return Classes(lambda sizes: (sizes >= k).astype(np.float64), np.float64), 0.0
        case Classification():
            return Majorities(kept, np.float64), 0.0
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
    target = model.target if isinstance(model, Classification) else None
    lattice = Lattice(tuple(0 if a.name == target else a.hierarchy.height for a in attributes))
    score = published_score(model, sample, k, looks=steps * len(attributes))
    step = exact(epsilon) / steps  # line 2
    # Exponent ε̃ / (2 Δ) of Definition 3: a range of 2 Δ.
    mechanism = ExponentialMechanism(
        epsilon=step, score_range=2 * published_sensitivity(model, k, len(attributes)), grid=_GRID
    )
    pivot = optimum = lattice.top  # lines 3 and 4
    known = {pivot: score(pivot)}
    candidates = {pivot: known[pivot]}  # line 5
    for number in range(steps):  # line 6
        progress("searching the lattice", number / steps)
        for node in lattice.predecessors(pivot):  # line 7
            if node not in known:
                known[node] = score(node)
            candidates.setdefault(node, known[node])
        del candidates[pivot]  # line 8
        if not candidates:
            break
        nodes = list(candidates)
        pivot = nodes[mechanism.select(np.fromiter(candidates.values(), dtype=float), coins)]  # line 9
        if known[pivot] > known[optimum]:  # lines 10 to 12: the line that is not private
            optimum = pivot
    return optimum  # line 14
