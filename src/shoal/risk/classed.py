"""Numbers of records that stand in classes: what an attacker who knows the classes looks through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Keys, Sizes


@dataclass(frozen=True, eq=False)
class ClassedNumbers:
    """One whole number per record (in units of a grid), and the class of each record.

    Attributes:
        numbers: The numbers.
        labels: The class of each record, 0…groups−1; every number occurs.
        groups: How many classes there are.
    """

    numbers: Sizes
    labels: Keys
    groups: int

    @staticmethod
    def of(classes: Sequence[Sequence[int]]) -> ClassedNumbers:
        """Classes written out one by one.

        >>> ClassedNumbers.of([[150, 160, 170, 180], [165, 168, 171]]).diameters.tolist()
        [30, 6]
        """
        labels = np.repeat(np.arange(len(classes)), [len(members) for members in classes])
        numbers = np.array([number for members in classes for number in members], dtype=np.int64)
        return ClassedNumbers(numbers, labels, len(classes))

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def sizes(self) -> Sizes:
        """Records of each class."""
        return np.bincount(self.labels, minlength=self.groups)

    @cached_property
    def lows(self) -> Sizes:
        """The least number of each class."""
        lows = np.full(self.groups, np.iinfo(np.int64).max)
        np.minimum.at(lows, self.labels, self.numbers)
        return lows

    @cached_property
    def highs(self) -> Sizes:
        """The largest number of each class."""
        highs = np.full(self.groups, np.iinfo(np.int64).min)
        np.maximum.at(highs, self.labels, self.numbers)
        return highs

    @cached_property
    def diameters(self) -> Sizes:
        """Largest less least (Eq. 3)."""
        return self.highs - self.lows

    @cached_property
    def _starts(self) -> Sizes:
        """Each class has a stretch of a line to itself, with a place to spare on either side: where it starts."""
        lengths = self.diameters + 3
        return np.cumsum(lengths) - lengths

    def places(self, numbers: Sizes, labels: Keys) -> Sizes:
        """Where numbers stand on the line; what is beyond its class stands just beside it."""
        low, high = self.lows[labels], self.highs[labels]
        found: Sizes = np.clip(numbers, low - 1, high + 1) - low + 1 + self._starts[labels]
        return found

    @cached_property
    def line(self) -> Sizes:
        """The places of all records, in order."""
        return np.sort(self.places(self.numbers, self.labels))

    def count_within(self, low: Sizes, high: Sizes, labels: Keys) -> Sizes:
        """How many records of a class have a number from `low` to `high`, both included."""
        found: Sizes = np.searchsorted(self.line, self.places(high, labels), side="right")
        return found - np.searchsorted(self.line, self.places(low, labels), side="left")
