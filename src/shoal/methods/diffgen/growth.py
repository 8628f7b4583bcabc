"""How DiffGen grows its cut: jointly (one choice per specialization), or by the paper's Algorithm 1.

Both see the data only through private choices; the number of steps, the candidates and what each of them costs follow
from the transcript of earlier choices and from what is public.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.progress import Progress
from shoal.search.top_down.cut import GrowingCut
from shoal.search.top_down.scores import Candidates, Places, purity_gains
from shoal.search.top_down.value_scores import ValueScores

if TYPE_CHECKING:
    from shoal.arrays import Keys, Sizes
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges

_WEIGHT = 1 << 32
"""What a value with a taxonomy weighs before the data are looked at; a value with split points shares it among them."""

PRICE = Fraction(1, 5)
"""What one more combination of values costs, in records, when its counts get noise of scale 1."""

_HIGHEST_PRICE = 1 << 60
"""What has more combinations than 64 bits can price is never chosen, and must not overflow."""

_STEPS_DOWN = 2
"""A taxonomy may be followed so many steps by one choice."""

Room = Callable[[int], bool]
"""Whether so many cells can be published."""


def grow_by_purity(
    cut: GrowingCut,
    steps: int,
    epsilon: Fraction,
    price: Fraction,
    room: Room,
    coins: Coins,
    ledger: Charges,
    progress: Progress,
    *,
    units: int = 1,
) -> Fraction:
    """Specialize up to `steps` times, `epsilon` each, what makes the groups of the whole table purest; what was spent.

    From the gain of a candidate a public `price` is subtracted for each combination of values that it adds, because
    each will carry noise. Leaving the cut as it is is a candidate too: chosen, it ends the growth. A person counts so
    many `units` of the cut; together they move a score by no more than one of them times that many.
    """
    from shoal.search.top_down.purity_kernel import FINENESS

    places, unit = Places(cut), units << FINENESS
    choice = ExponentialMechanism(epsilon=epsilon, score_range=Fraction(unit))
    spent = Fraction(0)
    for number in range(steps):
        progress("specializing", number / steps)
        candidates = _fitting(cut, purity_gains(cut, places, _STEPS_DOWN), room)
        if not len(candidates):
            break
        after = _partitions_after(cut, candidates)
        prices = [min(int(price * unit * int(more - cut.partitions)), _HIGHEST_PRICE) for more in after[0]]
        scores = np.append(candidates.score - np.array(prices, dtype=np.int64)[after[1]], 0)
        weights = np.append(_weights(cut, candidates), _WEIGHT)
        chosen = choice.choose(scores, coins, ledger, "choose a specialization", weights)
        spent += epsilon
        if chosen == len(candidates):
            break
        _specialize(cut, candidates, chosen, coins)
    return spent


def grow_by_value(
    cut: GrowingCut,
    scores: ValueScores,
    steps: int,
    choice: ExponentialMechanism,
    coins: Coins,
    ledger: Charges,
    progress: Progress,
    room: Room = bool,
) -> Fraction:
    """Specialize `steps` times, each by one choice among all values and split points (3d, (4)); what was spent.

    What would lead to more groups than can be published is no candidate: that follows from earlier choices alone.
    """
    spent = Fraction(0)
    known = _Known(scores)
    for number in range(steps):
        progress("specializing", number / steps)
        candidates = _fitting(cut, known.of(cut), room)
        if not len(candidates):
            break
        weights = _weights(cut, candidates)
        chosen = choice.choose(candidates.score, coins, ledger, "choose a specialization", weights)
        spent += choice.cost.epsilon
        _specialize(cut, candidates, chosen, coins)
    return spent


def grow_as_published(
    cut: GrowingCut,
    scores: ValueScores,
    steps: int,
    choice: ExponentialMechanism,
    coins: Coins,
    progress: Progress,
    room: Room = bool,
) -> None:
    """Algorithm 1, lines 4 to 11: the split of an interval is drawn once, when it comes up; the caller has paid."""
    points: dict[tuple[str, int, int], Candidates] = {}

    def candidate(column: int, value: int) -> Candidates:
        """A value with its children; of an interval, with the split point that was drawn for it."""
        axis = cut.axes[column]
        key = (axis.attribute.name, int(axis.firsts[value]), int(axis.lasts[value]))
        if key not in points:
            found = scores.of(column, value)
            if axis.is_ordered:  # lines 4 and 9
                run = choice.select(found.score, coins, found.width)
                at = found.start[run] + coins.randbelow(int(found.width[run]))
                found = found.only(np.array([run]))
                found.start[0] = at
                found.width[0] = 1
            points[key] = found
        here = points[key]
        return Candidates(here.column, np.array([value]), here.start, here.width, here.score)

    for number in range(steps):  # line 6
        progress("specializing", number / steps)
        found = [
            candidate(column, value)
            for column, axis in enumerate(cut.axes)
            for value in np.flatnonzero(axis.can_specialize).tolist()
        ]
        if not found:
            return
        candidates = _fitting(cut, Candidates.joined(found), room)
        if not len(candidates):
            return
        _specialize(cut, candidates, choice.select(candidates.score, coins), coins)  # lines 7 and 8


class _Known:
    """The candidates of each value, scored once: what is done to other values does not change them."""

    def __init__(self, scores: ValueScores) -> None:
        self._scores = scores
        self._found: dict[tuple[int, int, int], Candidates] = {}

    def of(self, cut: GrowingCut) -> Candidates:
        """All candidates of a cut."""
        parts = []
        for column, axis in enumerate(cut.axes):
            for value in np.flatnonzero(axis.can_specialize).tolist():
                key = (column, int(axis.firsts[value]), int(axis.lasts[value]))
                if key not in self._found:
                    self._found[key] = self._scores.of(column, value)
                found = self._found[key]
                parts.append(
                    Candidates(found.column, np.full(len(found), value), found.start, found.width, found.score)
                )
        return Candidates.joined(parts)


def _fitting(cut: GrowingCut, candidates: Candidates, room: Room) -> Candidates:
    """The candidates after which the table can still be published."""
    if not len(candidates):
        return candidates
    after, which = _partitions_after(cut, candidates)
    return candidates.only(np.array([room(int(partitions) * cut.classes) for partitions in after])[which])


def _specialize(cut: GrowingCut, candidates: Candidates, chosen: int, coins: Coins) -> None:
    """Carry a choice out; within a run every split point is equally likely."""
    at = int(candidates.start[chosen])
    if at >= 0:
        at += coins.randbelow(int(candidates.width[chosen]))
    cut.specialize(int(candidates.column[chosen]), int(candidates.value[chosen]), at)


def _weights(cut: GrowingCut, candidates: Candidates) -> Sizes:
    """What each candidate weighs before the data are looked at: a value weighs the same, however many split points."""
    weights = np.full(len(candidates), _WEIGHT, dtype=np.int64)
    for column, axis in enumerate(cut.axes):
        if axis.is_ordered:
            here = np.flatnonzero(candidates.column == column)
            each = np.maximum(_WEIGHT // np.maximum(axis.splits, 1), 1)
            weights[here] = each[candidates.value[here]] * candidates.width[here]
    return weights


def _partitions_after(cut: GrowingCut, candidates: Candidates) -> tuple[list[int], Keys]:
    """The different numbers of combinations that candidates lead to, and which of them each one does."""
    kinds = np.stack([candidates.column, candidates.value, np.minimum(candidates.start, 0)])
    different, first, which = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
    found = [
        cut.partitions_after(int(candidates.column[i]), int(candidates.value[i]), int(candidates.start[i]))
        for i in first.tolist()
    ]
    assert different.shape[1] == len(found)
    return found, which.ravel()
