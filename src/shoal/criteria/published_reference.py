"""Classes compared with what is published of them: which to leave out.

Two rules, each a function of the classes alone:

- *all at once*: leave out every class that fails, judge again, until none fails;
- *worst first*: leave out the class that fails by most, judge again, until none fails.

After either, whatever can be put back is put back, the largest class first, until no single class can be. Neither rule
is always better, and neither always finds the set with the fewest records. Nothing depends on how classes happen to be
numbered: of equals the smaller class comes first, then the one whose published values do, column by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Nodes, Sizes
from shoal.criteria.reference import Comparison, heaviest_record, histogram_of, shares_of
from shoal.data.classes import Classes

_POOL = 64
"""So many of the worst classes are judged again after each one that goes, as long as no other can be worse."""

_EQUAL = 1e-9
"""Classes that differ by less fail by as much as each other: rounding decides nothing."""


class Compared:
    """Classes of a table of which none fails by itself.

    Args:
        criteria: What they must meet, compared with what is published of them.
        classes: The classes of a recoding.
        published: Those that are left.
    """

    def __init__(self, criteria: Sequence[Comparison], classes: Classes, published: Mask) -> None:
        self._criteria, self._classes = criteria, classes
        self._put(np.flatnonzero(published))

    def _put(self, position: Keys) -> None:
        """Have the classes in this order."""
        self._position, self._sizes = position, self._classes.sizes[position]
        self._columns = [_Column(criterion, self._classes, position) for criterion in self._criteria]

    def _order(self) -> None:
        """Have the classes in an order that does not hang on how they are numbered: ties are broken by it."""
        classes, position = self._classes, self._position
        keys: list[Nodes | Sizes] = [classes.nodes(i)[position] for i in range(len(classes.table.quasi_identifiers))]
        keys.insert(0, self._sizes)
        self._put(position[np.lexsort(keys[::-1])])
        self._features = [column.features for column in self._columns]

    def choices(self, budget: int, useful: int) -> list[Mask]:
        """For each rule the classes of the table that it leaves out, if they are at most `budget` records.

        None if every choice certainly leaves out more than `useful` records.
        """
        if self._must_go(useful) > useful:  # whatever their order
            return []
        self._order()
        found: list[Mask] = []
        for rule in (self._all_at_once, self._worst_first):
            kept = rule(budget)
            if kept is not None and not any((kept == other).all() for other in found):
                found.append(kept)
        return [self._suppressed(self._put_back(kept)) for kept in found]

    def _suppressed(self, kept: Mask) -> Mask:
        suppressed = np.ones(len(self._classes), dtype=np.bool_)
        suppressed[self._position[kept]] = False
        return suppressed

    def _must_go(self, budget: int) -> int:
        """Records that any choice of at most `budget` records leaves out: classes that fail whichever others go."""
        gone, lost, before = np.zeros(len(self._sizes), dtype=np.bool_), 0, -1
        while before < lost <= budget and not gone.all():
            for column in self._columns:
                if not gone.all():  # of no records nothing has a share
                    gone |= column.must_go(~gone, budget - lost)
            before, lost = lost, int(self._sizes[gone].sum())
        return lost

    def _all_at_once(self, budget: int) -> Mask | None:
        kept = np.ones(len(self._sizes), dtype=np.bool_)
        while kept.any():
            fails = kept & (self._excess(self._compared(self._wholes(kept)), self._features) >= 0)
            if not fails.any():
                break
            budget -= int(self._sizes[fails].sum())
            if budget < 0:
                return None
            kept &= ~fails
        return kept

    def _worst_first(self, budget: int) -> Mask | None:
        """Of many classes only the worst few are judged again, until another one could have become as bad."""
        kept = np.ones(len(self._sizes), dtype=np.bool_)
        wholes = self._wholes(kept)
        while kept.any():
            looked_at = self._compared(wholes)
            excess = np.where(kept, self._excess(looked_at, self._features), -np.inf)
            worst = _worst(excess)
            if excess[worst] < 0:
                break
            pool, others = _pool(excess)
            features = [of[pool] for of in self._features]
            while True:
                kept[worst] = False
                budget -= int(self._sizes[worst])
                if budget < 0:
                    return None
                wholes = [whole - column.histogram[worst] for whole, column in zip(wholes, self._columns, strict=True)]
                if len(pool) == 0 or not kept.any():
                    break
                now = self._compared(wholes)
                here = np.where(kept[pool], self._excess(now, features), -np.inf)
                first = _worst(here)
                if here[first] < 0 or here[first] <= self._at_most(others, looked_at, now) + 3 * _EQUAL:
                    break
                worst = int(pool[first])
        return kept

    def _put_back(self, kept: Mask) -> Mask:
        kept = kept.copy()
        wholes = self._wholes(kept)
        changes = True
        while changes:
            changes = False
            for i in np.flatnonzero(~kept)[::-1]:
                longer = [whole + column.histogram[i] for whole, column in zip(wholes, self._columns, strict=True)]
                now = self._compared(longer)
                if self._excess(now, [of[i : i + 1] for of in self._features])[0] >= 0:
                    continue
                if (self._excess(now, self._features)[kept] >= 0).any():
                    continue
                kept[i], wholes, changes = True, longer, True
        return kept

    def _wholes(self, kept: Mask) -> list[Sizes]:
        return [column.histogram[kept].sum(axis=0) for column in self._columns]

    def _compared(self, wholes: Sequence[Sizes]) -> list[Floats]:
        return [column.compared(whole) for column, whole in zip(self._columns, wholes, strict=True)]

    def _excess(self, now: Sequence[Floats], features: Sequence[Floats]) -> Floats:
        """How far classes with these features fail when compared with the published table, by their worst criterion."""
        by_column = zip(self._columns, features, now, strict=True)
        excess = [column.criterion.excess(of, reference) for column, of, reference in by_column]
        return excess[0] if len(excess) == 1 else np.max(excess, axis=0)

    def _at_most(self, excess: float, before: Sequence[Floats], now: Sequence[Floats]) -> float:
        """How far a class fails now, at most, that failed so far before."""
        by_column = zip(self._columns, before, now, strict=True)
        return max(column.criterion.at_most(excess, was, reference) for column, was, reference in by_column)


class _Column:
    """One criterion on the classes of a table, in their order."""

    def __init__(self, criterion: Comparison, classes: Classes, position: Keys) -> None:
        self.criterion, self._attribute = criterion, classes.table[criterion.column]
        self.histogram = histogram_of(criterion, classes)[position]
        self._heaviest = heaviest_record(criterion, classes)
        self._shares = shares_of(self.histogram)

    @cached_property
    def features(self) -> Floats:
        """What is compared of each class."""
        return self.criterion.features(self._shares, self._attribute)

    def compared(self, whole: Sizes) -> Floats:
        """What features are compared with when these are the values of the published table."""
        return self.criterion.features(whole / max(int(whole.sum()), 1), self._attribute)

    def must_go(self, kept: Mask, budget: int) -> Mask:
        """Which classes fail when at most so many records of those kept go, whichever these are."""
        whole = self.histogram[kept].sum(axis=0)
        movable = budget * self._heaviest / int(whole.sum())
        return self.criterion.must_lose(self._shares, self._attribute, shares_of(whole), movable) > _EQUAL


def _worst(excess: Floats) -> int:
    """The class that fails by most; the first of those that fail by as much, but for rounding."""
    return int(np.round(excess / _EQUAL).argmax())


def _pool(excess: Floats) -> tuple[Keys, float]:
    """The worst few classes in their order, and how far the others fail at most; none if there are not many more."""
    if len(excess) <= 4 * _POOL:
        return np.empty(0, dtype=np.int64), -np.inf
    order = np.argpartition(-excess, _POOL)
    return np.sort(order[:_POOL]), float(excess[order[_POOL]])
