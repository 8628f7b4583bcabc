"""Precision: how coarse a column was made, as users of k-anonymity measure it.

Paper: (k, ε)-anonymity §III-A, after Sweeney 2002.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.data.domain import Categorical
from shoal.data.shown import Distributions, Numbers, Shown, Spans, TreeNodes, ValueSets
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.outcome import Outcome


def categorical_precision_loss(outcome: Outcome, column: str) -> float:
    """The mean over published records of l / (h − 1): the level of a value, of h levels; 0 where there is one only.

    A ZIP code shown as 237** at level 2 of 6 loses 0.4.
    """
    attribute, shown = _shown(outcome, column)
    if not isinstance(shown, TreeNodes):
        raise ParameterError(
            f"{column!r} is not published as nodes of its hierarchy, which categorical precision is about; take "
            "numerical_precision_loss."
        )
    levels = attribute.hierarchy.level_of / max(attribute.hierarchy.height, 1)
    levels[attribute.hierarchy.root] = 1.0 if attribute.hierarchy.height else 0.0
    return _mean(outcome, column, levels[shown.nodes])


def numerical_precision_loss(outcome: Outcome, column: str) -> float:
    """The mean over published records of (range of the shown interval) / (range of the original column).

    A height shown as 165-180 in a table of heights from 150 to 190 loses 0.375. Of names, the share of the other names
    that occur and that a set may stand for.
    """
    attribute, shown = _shown(outcome, column)
    seen = np.flatnonzero(outcome.table.marginal(column))
    if attribute.domain.missing is not None:
        seen = seen[seen != attribute.domain.missing]
    if len(seen) < 2:
        return 0.0
    if isinstance(attribute.domain, Categorical):
        widths, whole = _counts(attribute, shown, seen), float(len(seen) - 1)
    else:
        first, last = _ends(attribute, shown)
        widths = (np.clip(last, seen[0], seen[-1]) - np.clip(first, seen[0], seen[-1])).astype(float)
        whole = float(seen[-1] - seen[0])
    return _mean(outcome, column, np.clip(widths, 0, None) / whole)


def _shown(outcome: Outcome, column: str) -> tuple[Attribute, Shown]:
    attribute = outcome.table[column]
    shown = outcome.shown.get(column)
    if shown is None:
        return attribute, TreeNodes(np.arange(attribute.domain.size, dtype=np.int32))
    return attribute, shown


def _mean(outcome: Outcome, column: str, of_code: Floats) -> float:
    sizes = outcome.published.sizes
    return float((of_code[outcome.published.column(column)] * sizes).sum() / max(sizes.sum(), 1))


def _ends(attribute: Attribute, shown: Shown) -> tuple[Floats, Floats]:
    """The first and the last leaf of each entry."""
    match shown:
        case TreeNodes():
            first = attribute.hierarchy.first[shown.nodes]
            return first.astype(float), (first + attribute.hierarchy.leaf_count[shown.nodes] - 1).astype(float)
        case Spans():
            return shown.first.astype(float), shown.last.astype(float)
        case ValueSets():
            return shown.members[shown.starts[:-1]].astype(float), shown.members[shown.starts[1:] - 1].astype(float)
        case Numbers() | Distributions():
            raise ParameterError(f"{attribute.name!r} is not published in ranges or sets, so precision has no meaning.")


def _counts(attribute: Attribute, shown: Shown, seen: Keys) -> Floats:
    """How many further names that occur each entry may stand for."""
    if isinstance(shown, ValueSets):
        occurs = np.isin(shown.members, seen)
        return np.add.reduceat(occurs, shown.starts[:-1]).astype(float) - 1
    first, last = _ends(attribute, shown)
    return (np.searchsorted(seen, last, side="right") - np.searchsorted(seen, first)).astype(float) - 1
