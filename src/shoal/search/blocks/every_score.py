"""The best node of a lattice for k-anonymity, by the scores of all nodes at once.

Only for models that add up over classes, so that a block of class sizes gives the scores of many nodes
(`block_scores`). A prefix whose own small classes hold more records than may be suppressed has no admissible node below
it, and is not followed. Scores are sums in another order than those of the model, so all nodes within rounding of the
best are priced by the model in the end: what is found is what looking at every node finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.criteria import KAnonymity, are_class_sizes
from shoal.progress import Progress, silent
from shoal.quality import Classification, EquivalenceClassSize, GroupSize
from shoal.search.blocks.block_scores import BlockScore, Classes, Majorities
from shoal.search.blocks.refinement import Refinement
from shoal.search.optimal import Found

if TYPE_CHECKING:
    from shoal.arrays import Floats, Mask, Sizes
    from shoal.search.evaluator import Evaluator
    from shoal.search.lattice import Node

_SELDOM = 16
"""After how many prefixes progress is told."""


def adds_up(evaluator: Evaluator) -> bool:
    """Whether the request is k-anonymity alone, and the model one that adds up over classes and has weak bounds."""
    return (
        (isinstance(evaluator.quality, GroupSize | EquivalenceClassSize) or _target(evaluator) is not None)
        and len(evaluator.criteria) > 0
        and are_class_sizes(evaluator.criteria)
    )


def has_every_score(evaluator: Evaluator) -> bool:
    """Whether the best node can be found by the scores of all."""
    return adds_up(evaluator) and Refinement.is_for(evaluator.table)


def _target(evaluator: Evaluator) -> int | None:
    """Which quasi-identifier a classification is about, if there are others to tell it from."""
    names = [attribute.name for attribute in evaluator.table.quasi_identifiers]
    target = evaluator.quality.target if isinstance(evaluator.quality, Classification) else None
    return names.index(target) if target in names and len(names) > 1 else None


def best_of_scores(evaluator: Evaluator, *, progress: Progress = silent, fixed: Node | None = None) -> Found | None:
    """The admissible node with the least loss, the first of equals in the order of levels; None if there is none."""
    k = max(criterion.k for criterion in evaluator.criteria if isinstance(criterion, KAnonymity))
    target, quasi = _target(evaluator), evaluator.table.quasi_identifiers
    source = Refinement(evaluator.table, k, last=target, looks=evaluator.lattice.size)
    last = list(enumerate(source.order))[source.depth :]
    levels = _levels(evaluator, source, fixed)
    suffix = source.suffix(tuple(levels[source.depth :]))
    kept = Classes(lambda sizes: np.where(sizes < k, 0, sizes))
    score, tolerance = _score(evaluator, k)
    least = evaluator.table.total - evaluator.allowed
    close: list[tuple[float, Node]] = []
    best = -inf

    def tells(column: int, level: int) -> bool:
        """Whether a feature of a classification is told at a level."""
        return column != target and quasi[column].hierarchy.up[level, 0] != quasi[column].hierarchy.root

    for prefix in _prefixes(source, levels, least, progress):
        blocks = list(source.blocks(prefix, suffix))
        is_admissible = np.asarray(kept.of(blocks, suffix)[..., 0] >= least)
        evaluator.evaluated += is_admissible.size
        if not is_admissible.any():
            continue
        scores = score.of(blocks, suffix)[..., 0]
        if target is not None and not any(tells(i, level) for i, level in zip(source.order, prefix, strict=False)):
            scores[_silent([[tells(i, level) for level in levels[at]] for at, i in last])] = 0.0
        scores = np.where(is_admissible, scores, -inf)
        best = max(best, float(scores.max()))
        for at in map(tuple, np.argwhere(is_admissible & (scores >= best - tolerance))):
            rest = tuple(of_axis[i] for of_axis, i in zip(levels[source.depth :], at, strict=True))
            close.append((float(scores[at]), source.join((*prefix, *rest))))
    nodes = sorted(node for reached, node in close if reached >= best - tolerance)
    if not nodes:
        return None
    loss, node, suppressed = min((_priced(evaluator, node) for node in nodes), key=lambda priced: priced[0])
    return Found(node, loss, suppressed, loss, evaluator.evaluated, evaluator.lattice.size)


def _priced(evaluator: Evaluator, node: Node) -> tuple[float, Node, int]:
    loss, suppressed = evaluator.price(node, evaluator.classes)
    return loss, node, suppressed


def _levels(evaluator: Evaluator, source: Refinement, fixed: Node | None) -> list[tuple[int, ...]]:
    """The levels each column may have, in the order in which columns are settled."""
    allowed = evaluator.lattice.levels(fixed)
    return [tuple(allowed[i]) for i in source.order]


def _prefixes(source: Refinement, levels: list[tuple[int, ...]], least: int, progress: Progress) -> Iterator[Node]:
    """Every combination of levels of the first columns below which something may be admissible."""
    every, seen, yielded = prod(map(len, levels[: source.depth])), 0, 0

    def settle(prefix: Node) -> Iterator[Node]:
        nonlocal seen, yielded
        depth = len(prefix)
        if source.kept(prefix) < least:
            seen += prod(map(len, levels[depth : source.depth]))
        elif depth < source.depth:
            for level in levels[depth]:
                yield from settle((*prefix, level))
        else:
            if yielded % _SELDOM == 0:
                progress("looking at every node of the lattice", seen / every)
            seen, yielded = seen + 1, yielded + 1
            yield prefix

    return settle(())


def _silent(tells: list[list[bool]]) -> Mask:
    """At which combinations of levels of the last columns none of them tells anything."""
    speaks = np.zeros([len(of_column) for of_column in tells], dtype=np.bool_)
    for number, of_column in enumerate(tells):
        speaks |= np.array(of_column).reshape([-1 if i == number else 1 for i in range(speaks.ndim)])
    return ~speaks


def _score(evaluator: Evaluator, k: int) -> tuple[BlockScore, float]:
    """What rises as the loss of the model falls, and how far it can be off."""

    def kept(sizes: Sizes) -> Floats:
        return np.where(sizes < k, 0.0, sizes)

    if isinstance(evaluator.quality, Classification):
        return Majorities(kept, np.float64), 0.5
    # One model does not count a class that shows nothing, the other counts all that is suppressed as one: one at most.
    return Classes(lambda sizes: (sizes >= k).astype(np.float64), np.float64), 1.5
