"""How well scores rank records: the area under the ROC curve."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from shoal.arrays import Codes, Floats
from shoal.evaluate.learning.examples import Examples


@runtime_checkable
class Scores(Protocol):
    """A classifier that says how likely each label is."""

    def scores(self, examples: Examples) -> Floats:
        """`scores[label, row]`: the larger, the likelier."""
        ...


def auc(labels: Codes, scores: Floats, weights: Floats) -> float:
    """How often a record of a class is scored higher for it than one of another class; ties count half.

    Of several classes the average over them, each against all others, by how many records it has. One half where all
    records have one label: there is nothing to rank.

    >>> auc(np.array([0, 0, 1, 1]), np.array([[0.9, 0.4, 0.6, 0.1], [0.1, 0.6, 0.4, 0.9]]), np.ones(4))
    0.75
    """
    whole = np.bincount(labels, weights=weights, minlength=len(scores))
    there = np.flatnonzero(whole)
    if len(there) < 2:
        return 0.5
    each = [_against_others(labels == label, scores[label], weights) for label in there]
    return float(np.average(each, weights=whole[there]))


def _against_others(is_one: Codes, scores: Floats, weights: Floats) -> float:
    _, rank = np.unique(scores, return_inverse=True)
    ones = np.bincount(rank, weights=weights * is_one)
    others = np.bincount(rank, weights=weights * ~is_one.astype(bool))
    below = np.cumsum(others) - others
    return float(ones @ (below + others / 2) / (ones.sum() * others.sum()))
