"""The score of a record: which class single columns speak for, and how strongly. Sees noisy numbers and one record.

By Bayes' rule as if columns had nothing to do with each other within a class. That is too sure of itself where columns
say the same thing twice; so records are counted by score and class, with noise, which says how sure one may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Keys

if TYPE_CHECKING:
    from shoal.methods.marginals.class_tables import ClassTables

_UNITS = 1 << 16
"""Logarithms are whole multiples of 1 / 2^16: sums of whole numbers are the same in whatever order they are made."""
_LEAST = 1e-7
_STEPS = 64
"""How many values a score has for two classes, equally many drawn records in each."""
_STEPS_A_CLASS = 16
"""How many it has for each of more classes."""


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """A whole number from 0 to below `size` for each record.

    Two classes: how much speaks for the second. More: the likeliest class, and within it how far ahead it is.

    Attributes:
        evidence: For each column `evidence[leaf, class]`, in whole units; the first one carries the class totals.
        ends: Where the values of a score end; for two classes one list, else one for each class.
    """

    evidence: tuple[Keys, ...]
    ends: tuple[Keys, ...]

    @staticmethod
    def of(believed: ClassTables, drawn: Sequence[Keys]) -> Score:
        """The score that class tables give, of which values are equally frequent among drawn records (their leaves)."""
        totals = _logs(believed.totals[None])[0]
        logs = [_logs(table.T).T for table in believed.tables]
        evidence = (logs[0] + totals, *logs[1:])
        best, ahead = _likeliest(evidence, drawn)
        if len(totals) == _TWO:
            return Score(evidence, (_quantiles(ahead, _STEPS),))
        return Score(evidence, tuple(_quantiles(ahead[best == one], _STEPS_A_CLASS) for one in range(len(totals))))

    @property
    def size(self) -> int:
        """How many values it has."""
        return sum(len(ends) + 1 for ends in self.ends)

    def of_records(self, leaf: Sequence[Keys]) -> Keys:
        """The score of each record, from its leaf in every column and from nothing else."""
        found = [
            self._of_some([of_leaf[at : at + _AT_ONCE] for of_leaf in leaf]) for at in range(0, len(leaf[0]), _AT_ONCE)
        ]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def _of_some(self, leaf: Sequence[Keys]) -> Keys:
        best, ahead = _likeliest(self.evidence, leaf)
        if len(self.ends) == 1:
            return np.searchsorted(self.ends[0], ahead, side="right")
        found = np.zeros(len(best), dtype=np.int64)
        first = 0
        for one, ends in enumerate(self.ends):
            here = best == one
            found[here] = first + np.searchsorted(ends, ahead[here], side="right")
            first += len(ends) + 1
        return found

    def cut(self, pieces: int) -> list[int]:
        """Where to cut scores so that there are about so many pieces; half as many for each of more classes."""
        each = pieces if len(self.ends) == 1 else max(pieces // 2, 1)
        starts, first = set(), 0
        for ends in self.ends:
            starts |= {first + i * (len(ends) + 1) // each for i in range(each)}
            first += len(ends) + 1
        return sorted(starts - {0})


_TWO = 2
_AT_ONCE = 1 << 16
"""Records that are scored together: memory grows with them times classes."""


def _likeliest(evidence: Sequence[Keys], leaf: Sequence[Keys]) -> tuple[Keys, Keys]:
    """The likeliest class of each record, and how far ahead it is; of two classes always the second."""
    said = np.zeros((len(leaf[0]), evidence[0].shape[1]), dtype=np.int64)
    for of_leaf, here in zip(evidence, leaf, strict=True):
        said += of_leaf[here]
    if said.shape[1] == _TWO:
        return np.ones(len(said), dtype=np.int64), said[:, 1] - said[:, 0]
    best = said.argmax(axis=1)
    ordered = np.sort(said, axis=1)
    return best, ordered[:, -1] - ordered[:, -2]


def _quantiles(values: Keys, steps: int) -> Keys:
    """Where to end each of so many steps, equally many values in each; fewer where values are few."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    return np.unique(np.sort(values)[np.arange(1, steps) * len(values) // steps])


def _logs(counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Keys:
    """Logarithms of shares along the last axis, in whole units."""
    shares = (counts + _LEAST) / (counts + _LEAST).sum(axis=-1, keepdims=True)
    return np.asarray(np.rint(np.log(np.maximum(shares, _LEAST)) * _UNITS), dtype=np.int64)
