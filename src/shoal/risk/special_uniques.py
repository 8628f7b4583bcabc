"""Special uniques: the few values by which a single record of a table can be told from all others.

A *minimal sample unique* is a combination of columns in which one record is alone, while in none of its parts it is.
Records with small ones, or with many, stand out also in the population. They are sought in the *input*, so that an
owner sees which combinations are dangerous before anything is anonymized.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.data.counts import Counts
from shoal.data.people.incidence import Incidence
from shoal.data.unit import Unit
from shoal.errors import ParameterError, SchemaError, listed
from shoal.kernels import grouping
from shoal.progress import Progress, silent

MOST_COMBINATIONS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """Columns that single out records, none of which a part of them singles out."""

    columns: tuple[str, ...]
    records: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SpecialUniques:
    """The minimal sample uniques of a table.

    Attributes:
        columns: The columns that were looked at.
        largest: The size up to which all minimal sample uniques were found.
        records: Number of records, or of persons where these are counted.
        combinations: The combinations of columns with minimal sample uniques, the most dangerous first: fewest columns,
            then most records.
        rows: Which rows of the counts are singled out.
        smallest: For each of them the size of its smallest minimal sample unique.
        uniques: For each of them how many it has.
        scores: For each of them its SUDA score: the sum over its minimal sample uniques of Π (ATT − i), i from their
            size k to M, ATT the number of columns and M = min(largest, ATT − 1).
        contributions: Per column the share of the total score that stems from minimal sample uniques with it.
        alone: How many records, or persons, are singled out.
        unit: What is counted.
    """

    columns: tuple[str, ...]
    largest: int
    records: int
    combinations: tuple[Combination, ...]
    rows: Keys
    smallest: Sizes
    uniques: Sizes
    scores: Floats
    contributions: dict[str, float]
    alone: int
    unit: Unit = Unit.RECORD

    @property
    def share(self) -> float:
        """The share of records, or persons, that are singled out by at most `largest` columns."""
        return self.alone / max(self.records, 1)


def special_uniques(
    counts: Counts,
    columns: Sequence[str] | None = None,
    *,
    largest: int = 3,
    persons: Incidence | None = None,
    progress: Progress = silent,
) -> SpecialUniques:
    """Find all minimal sample uniques of at most `largest` columns, and score the records that have them.

    Exact: every combination of columns is counted. A record that is alone in a combination is alone in every larger
    one, so a unique is minimal if dropping any one of its columns ends it.

    Args:
        counts: The table.
        columns: Where to look; all columns if not given.
        largest: How many columns a combination may have.
        persons: Who has which rows, where persons are counted: a row is alone if nobody else has its values.
        progress: Told what is being counted.

    Paper: Elliot, Manning & Ford 2002 (SUDA); Manning, Haglin & Keane 2008 (SUDA2, score).
    """
    names = _checked(counts, counts.names if columns is None else tuple(columns), largest)
    largest = min(largest, len(names))
    weights = suda_weights(len(names), largest)
    smallest = np.zeros(len(counts), dtype=np.int64)
    uniques = np.zeros(len(counts), dtype=np.int64)
    scores = np.zeros(len(counts))
    by_column = dict.fromkeys(names, 0.0)
    found: list[Combination] = []
    smaller: dict[tuple[int, ...], Keys] = {}
    for size in range(1, largest + 1):
        progress("combinations of columns", (size - 1) / largest)
        alone: dict[tuple[int, ...], Keys] = {}
        for chosen in combinations(range(len(names)), size):
            alone[chosen] = _alone(counts, [names[i] for i in chosen], persons)
            minimal = _without(
                alone[chosen], [smaller[part] for part in combinations(chosen, size - 1) if part], counts
            )
            if len(minimal) == 0:
                continue
            found.append(Combination(columns=tuple(names[i] for i in chosen), records=len(minimal)))
            smallest[minimal] = np.where(smallest[minimal] == 0, size, smallest[minimal])
            uniques[minimal] += 1
            scores[minimal] += weights[size]
            for i in chosen:
                by_column[names[i]] += weights[size] * len(minimal)
        smaller = alone
    rows = np.flatnonzero(uniques)
    total = float(scores.sum()) or 1.0
    return SpecialUniques(
        columns=names,
        largest=largest,
        records=counts.kept if persons is None else persons.people,
        combinations=tuple(sorted(found, key=lambda one: (len(one.columns), -one.records))),
        rows=rows,
        smallest=smallest[rows],
        uniques=uniques[rows],
        scores=scores[rows],
        contributions={name: score / total for name, score in by_column.items()},
        alone=len(rows) if persons is None else len(np.unique(persons.person[uniques[persons.record] > 0])),
        unit=Unit.RECORD if persons is None else persons.unit,
    )


def suda_weights(columns: int, largest: int) -> dict[int, float]:
    """What a minimal sample unique of each size is worth: Π_{i=k}^{M} (ATT − i), M = min(largest, ATT − 1)."""
    most = min(largest, columns - 1)
    return {k: float(prod(columns - i for i in range(k, most + 1))) for k in range(1, largest + 1)}


def _alone(counts: Counts, names: Sequence[str], persons: Incidence | None) -> Keys:
    """The rows that are the only record of their class, or those of its only person."""
    if persons is not None:
        labels, groups = counts.group(names)
        return np.flatnonzero((persons.heads(labels, groups) == 1)[labels])
    keys, domain = counts.keys(names)
    return np.flatnonzero((grouping.totals(keys, domain, counts.sizes) == 1)[keys])


def _without(rows: Keys, others: Sequence[Keys], counts: Counts) -> Keys:
    if len(rows) == 0:
        return rows
    stays = np.zeros(len(counts), dtype=np.bool_)
    stays[rows] = True
    for other in others:
        stays[other] = False
    return np.flatnonzero(stays)


def _checked(counts: Counts, names: tuple[str, ...], largest: int) -> tuple[str, ...]:
    strange = [name for name in names if name not in counts.names]
    if strange or not names:
        raise SchemaError(f"there is no column {listed(strange) or 'at all'} among {listed(counts.names, 12)}.")
    if largest < 1:
        raise ParameterError(f"largest is a number of columns, 1 or more; got {largest!r}.")
    subsets = sum(comb(len(names), size) for size in range(1, min(largest, len(names)) + 1))
    if subsets > MOST_COMBINATIONS:
        raise ParameterError(
            f"{len(names)} columns have {subsets:,} combinations of up to {largest}; at most {MOST_COMBINATIONS:,} are "
            "counted. Give fewer columns or a smaller number."
        )
    return names
