"""Which classes of a table to leave out so that the others may be published.

A criterion that judges a class by itself, or against the input, says so at once: exactly the classes that fail go, and
no release at this recoding can keep one of them. A criterion that compares with the *published* table does not: leaving
out a class changes what all others are compared with, and which classes to leave out so that the rest passes is a
question about all sets of classes. Two rules answer it (`published_reference`), and a search takes the better answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Mask
from shoal.criteria.base import Criterion
from shoal.criteria.published_reference import Compared
from shoal.criteria.reference import Comparison, Reference, given_of, heaviest_record, histogram_of, shares_of
from shoal.data.classes import Classes

EXACT = "exactly the classes that fail"
TWO_RULES = (
    "the better of two sets: all failing classes at once, or the worst one first, judged again until none fails; "
    "then whatever can be put back is put back"
)
BY_RISK = "the classes that fail, and of those in danger as many as the risk of the rest asks for"
AT_ONCE = "all failing classes at once, judged again until none fails"


class Suppression:
    """The classes that a request leaves out of a recoding.

    Args:
        criteria: What the classes that are left must meet.
    """

    def __init__(self, criteria: Sequence[Criterion]) -> None:
        relative = [criterion for criterion in criteria if criterion.is_relative]
        self._by_themselves = [criterion for criterion in criteria if not criterion.is_relative]
        self._published = [criterion for criterion in relative if isinstance(criterion, Comparison)]
        self._others = relative if len(self._published) < len(relative) else []
        self._comparisons = [criterion for criterion in criteria if isinstance(criterion, Comparison)]

    @property
    def words(self) -> str:
        """What is left out of each recoding."""
        if self._others and all(hasattr(criterion, "is_kept_upward") for criterion in self._others):
            return BY_RISK
        return AT_ONCE if self._others else TWO_RULES if self._published else EXACT

    def choices(self, classes: Classes, allowed: int, worthwhile: int | None = None) -> list[Mask]:
        """Sets of classes, with at most `allowed` records each, without which the others meet every criterion.

        None of them is looked for if all have more than `worthwhile` records for certain.
        """
        published = np.ones(len(classes), dtype=np.bool_)
        for criterion in self._by_themselves:
            published &= ~criterion.violations(classes, published)
        lost = int(classes.sizes[~published].sum())
        budget, useful = allowed - lost, min(allowed, allowed if worthwhile is None else worthwhile) - lost
        if budget < 0 or useful < 0:
            return []
        if self._others:
            kept = _at_once([*self._published, *self._others], classes, published, budget)
            return [] if kept is None else [~kept]
        if not self._published or not published.any():
            return [~published]
        return Compared(self._published, classes, published).choices(budget, useful)

    def least(self, classes: Classes, certain: Mask, allowed: int) -> int:
        """No finer recoding that suppresses `certain` and at most `allowed` records in all suppresses fewer than this.

        Each comparison says which share of a class cannot be kept however it is divided (`Comparison.must_lose`).
        """
        lost = int(classes.sizes[certain].sum())
        if lost > allowed or not self._comparisons or certain.all():
            return lost
        left = ~certain
        records_lost = np.zeros(int(left.sum()))
        for criterion in self._comparisons:
            here, heaviest = histogram_of(criterion, classes)[left], heaviest_record(criterion, classes)
            if criterion.reference is Reference.INPUT:
                reference, movable = given_of(criterion, classes), 0.0
            else:
                reference = here.sum(axis=0)
                movable = (allowed - lost) * heaviest / int(reference.sum())
            attribute = classes.table[criterion.column]
            must = criterion.must_lose(shares_of(here), attribute, shares_of(reference), movable)
            np.maximum(records_lost, must * here.sum(axis=1) / heaviest, out=records_lost)
        return lost + int(np.ceil(records_lost - 1e-6).sum())


def violations(criteria: Sequence[Criterion], classes: Classes) -> Mask:
    """The classes to suppress so that what is left meets every criterion; of several sets the one of fewest records."""
    choices = Suppression(criteria).choices(classes, classes.total)
    return min(choices, key=lambda suppressed: int(classes.sizes[suppressed].sum()))


def _at_once(relative: Sequence[Criterion], classes: Classes, published: Mask, budget: int) -> Mask | None:
    """What is left when failing classes go all at once, again and again: for criteria that are no comparisons."""
    published = published.copy()
    while published.any():
        bad = np.zeros(len(classes), dtype=np.bool_)
        for criterion in relative:
            bad |= criterion.violations(classes, published)
        bad &= published
        if not bad.any():
            break
        budget -= int(classes.sizes[bad].sum())
        if budget < 0:
            return None
        published &= ~bad
    return published
