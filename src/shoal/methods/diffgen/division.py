"""How ε is divided where single columns are counted too: by what is public, and by the noisy number of records."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.methods.marginals.budget import SIZE_SHARE

_LITTLE = 100
_FEW = 300
_MANY = 2500
_ALONE = Fraction(1, 20)
"""For groups of the score alone: they are few and large, and say enough with more noise."""
_GROWN = Fraction(3, 10)
_STEPS = 4
LEAST_FOR_TABLES = 1 - SIZE_SHARE - _GROWN
"""What class tables get at least, of what trees leave."""
_MOST_CLASSES = 64
"""Of more classes no groups are counted: score by class would be too many counts."""
_LEAST_LEAVES = 64
"""A column of named values is counted by up to so many of them at least."""
MOST_LEAVES = 10_000
"""And by no more than so many."""


@dataclass(frozen=True, slots=True)
class Division:
    """What groups get, and how they are made.

    Attributes:
        groups: The share of choices and counts of groups; class tables get the rest.
        scores: Into how many pieces the score is cut beforehand.
        steps: How many specializations are chosen at most.
    """

    groups: Fraction
    scores: int
    steps: int


def division_for(x: float, classes: int = 2) -> Division:
    """For so many records in scales of the noise on one of d tables, ε n / d, and so many classes.

    Found on Adult and five other tables (`experiments/diffgen/loses_nowhere.py`).

    Where there is little, the counts of groups would be mostly noise, and all goes to class tables; in between groups
    are those of the score; only where there is much are further ones chosen.

    >>> [(division_for(x).scores, division_for(x).steps) for x in (50, 200, 1000, 3000)]
    [(1, 0), (4, 0), (8, 0), (8, 4)]
    """
    if x < _LITTLE or classes > _MOST_CLASSES:
        return Division(Fraction(0), 1, 0)
    if x < _MANY:
        return Division(_ALONE, 4 if x < _FEW else 8, 0)
    return Division(_GROWN, 8, _STEPS)


def most_leaves(x: float) -> int:
    """By how many named values a column is counted at most; where it has more, by nodes of its hierarchy."""
    return max(_LEAST_LEAVES, int(min(x, MOST_LEAVES)))
