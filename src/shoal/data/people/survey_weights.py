"""How many of the population records stand for: the weights of a survey, in whole units, so that sums are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Floats, Keys, Mask, Sizes
    from shoal.data.people.incidence import Incidence

_EXACT = 1 << 53
"""Sums of doubles that are whole numbers are exact below this."""


@dataclass(frozen=True, eq=False)
class SurveyWeights:
    """The weights of a table, in units.

    Attributes:
        of_record: The weights of the rows that are a distinct record, added up.
        of_person: The weight of each person of the table's incidence, whom all their rows carry; None if rows are
            persons.
        scale: So many units are one person of the population: a power of ten.
    """

    of_record: Sizes
    of_person: Sizes | None
    scale: int

    @property
    def people(self) -> Floats:
        """Of how many of the population the rows of each distinct record are taken to be."""
        return self.of_record / self.scale

    @property
    def total(self) -> int:
        """How many units all persons stand for."""
        return int((self.of_record if self.of_person is None else self.of_person).sum())

    def of_classes(self, labels: Keys, groups: int, persons: Incidence | None) -> Sizes:
        """For how many units the persons of each class stand: each once, however many of their records it holds."""
        if persons is None or self.of_person is None:
            return grouping.totals(labels, groups, self.of_record)
        return persons.worth(labels, groups, self.of_person)

    def kept(self, records: Mask, persons: Incidence | None) -> SurveyWeights:
        """The weights of some records, and of the persons who have any of them, in the order they had."""
        of_person = self.of_person
        if persons is not None and of_person is not None:
            of_person = of_person[np.unique(persons.person[records[persons.record]])]
        return SurveyWeights(self.of_record[records], of_person, self.scale)

    def merged(self, labels: Keys, groups: int) -> SurveyWeights:
        """The weights after records became equal: `labels` is what each became."""
        return SurveyWeights(grouping.totals(labels, groups, self.of_record), self.of_person, self.scale)


def in_units(weights: Sequence[Decimal], rows: Sizes) -> tuple[Sizes, int]:
    """Weights as whole numbers of units, and how many units are 1.

    A unit is as small as the decimals of the weights need, as long as `rows` of them add up to less than 2^53; beyond
    that weights are rounded down, so that nobody takes the population for larger than it is.
    """
    total = sum((weight * int(n) for weight, n in zip(weights, rows.tolist(), strict=True)), Decimal(0))
    decimals = max((-int(weight.as_tuple().exponent) for weight in weights), default=0)
    decimals = max(decimals, 0)
    while decimals and total.scaleb(decimals) >= _EXACT:
        decimals -= 1
    units = [int(weight.scaleb(decimals).to_integral_value(ROUND_FLOOR)) for weight in weights]
    return np.array(units, dtype=np.int64), 10**decimals


def plain_in_units(whole: Sizes, fraction: Sizes, decimals: int, rows: Sizes) -> tuple[Sizes, int]:
    """The same of weights that are given before and behind the point, all with so many decimals: 1.25 is 1 and 25."""
    total = _dot(whole, rows) * 10**decimals + _dot(fraction, rows)
    kept = decimals
    while kept and total * 10**kept >= _EXACT * 10**decimals:
        kept -= 1
    return whole * 10**kept + fraction // 10 ** (decimals - kept), 10**kept


def _dot(numbers: Sizes, rows: Sizes) -> int:
    """Σ numbers · rows, exactly, however large."""
    if int(numbers.max(initial=0)) * int(rows.sum()) < 1 << 62:
        return int(numbers @ rows)
    return int(numbers.astype(object) @ rows.astype(object))
