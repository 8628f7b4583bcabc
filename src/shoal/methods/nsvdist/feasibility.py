"""Can every record be given k records of which no sensitive value has more than 1/ℓ? Asked before anything is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.criteria.base import require_sensitive
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.dp.accounting.cost import shown
from shoal.errors import InfeasibleError
from shoal.parameters import Diversity, exact


def cap(k: int, diversity: Fraction) -> int:
    """⌊k/ℓ⌋, the most records of a set that may carry one sensitive value; in exact arithmetic."""
    return floor(k / diversity)


def is_feasible(counts: Sizes, k: int, diversity: Fraction) -> bool:
    """Whether greedy choice finds k records for every record, given how many carry each value.

    Σ_a min(⌊k/ℓ⌋, N_a) ≥ k: sets in which no value exceeds its cap are the independent sets of a partition matroid, so
    every one that can be completed at all is completed by any greedy order (theory NS-6).
    """
    most = cap(k, diversity)
    return most >= 1 and int(np.minimum(counts, most).sum()) >= k


def smallest_feasible(counts: Sizes, k: int, diversity: Fraction) -> int | None:
    """The smallest k' ≥ k that is feasible; None if there is none."""
    return next((larger for larger in range(k, int(counts.sum()) + 1) if is_feasible(counts, larger, diversity)), None)


def require_diverse(table: EncodedTable, k: int, diversity: Fraction) -> None:
    """Refuse more diversity than the whole table has, which would make rare values point at their owners (NS-5)."""
    if k > table.total:
        raise InfeasibleError(f"k = {k:,} is more than the table has records; lower k, or give a larger table.")
    for attribute in table.sensitive:
        counts = table.marginal(attribute.name)
        reached = Fraction(table.total, int(counts.max()))
        if diversity > reached:
            raise InfeasibleError(
                f"diversity = {shown(diversity)} is more than the whole table has in {attribute.name!r} "
                f"({float(reached):.4g}); every set would have to hold the same few rare records, which would point at "
                "them. Lower diversity, or merge sensitive values."
            )


def require_feasible(table: EncodedTable, k: int, diversity: Fraction) -> None:
    """Refuse what Algorithm 1 could never finish (NS-6)."""
    require_diverse(table, k, diversity)
    for attribute in table.sensitive:
        counts = table.marginal(attribute.name)
        if is_feasible(counts, k, diversity):
            continue
        larger = smallest_feasible(counts, k, diversity)
        advice = (
            "lower diversity" if larger is None else f"the next larger k that works is {larger:,}; or lower diversity"
        )
        most = cap(k, diversity)
        raise InfeasibleError(
            f"k = {k:,} and diversity = {shown(diversity)} leave room for {most:,} "
            f"{'record' if most == 1 else 'records'} of each value of {attribute.name!r} in a set, and its values do "
            f"not fill {k:,}: {advice}."
        )


@dataclass(frozen=True, slots=True)
class Fillable:
    """Within every class each record can be given k records of which no sensitive value has more than 1/ℓ.

    The admissibility test of a cut before NSVDist works inside each part (theory NS-8). It survives merging.
    """

    name: ClassVar[str] = "fillable"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""

    k: int
    diversity: Diversity
    column: str

    @property
    def statement(self) -> str:
        """The promise."""
        share = f"1/{shown(exact(self.diversity))}"
        return f"every class has {self.k} records of which no value of {self.column!r} exceeds {share}"

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "NSVDist")

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """How many records a set from each class can have, Σ_a min(⌊k/ℓ⌋, N_a)."""
        most = cap(self.k, exact(self.diversity))
        return np.asarray(np.minimum(classes.histogram(self.column), most).sum(axis=1), dtype=float)

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes in which some record would be left without its k records."""
        return self.measure(classes, published) < self.k

    def worst(self, measured: Floats) -> float:
        """The least room."""
        return float(measured.min())

    def implied(self) -> Fillable:
        """It survives growth: more records only raise the sum."""
        return self


def fillable(table: EncodedTable, k: int, diversity: Fraction) -> Sequence[Fillable]:
    """One criterion per sensitive column."""
    return tuple(Fillable(k, diversity, attribute.name) for attribute in table.sensitive)
