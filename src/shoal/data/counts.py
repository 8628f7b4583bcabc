"""Counts: distinct records with sizes. What every search works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Sizes
from shoal.kernels import grouping
from shoal.kernels.grouping import narrowest

Rate_contra = TypeVar("Rate_contra", contravariant=True)


class Thinning(Protocol[Rate_contra]):
    """Coins that keep each record with one probability."""

    def thin(self, sizes: Sizes, rate: Rate_contra) -> Sizes:
        """How many of each group of records are kept, drawn independently for each record."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Distinct encoded records in lexicographic order, how often each occurs, and how many records were suppressed.

    Attributes:
        names: The columns.
        codes: One array of codes per column, all of one length.
        cardinalities: The size of each column's domain.
        sizes: How many records are equal to each row.
        suppressed: How many records were taken out.
    """

    names: tuple[str, ...]
    codes: tuple[Codes, ...]
    cardinalities: tuple[int, ...]
    sizes: Sizes
    suppressed: int = 0

    @staticmethod
    def of(
        names: Sequence[str], codes: Sequence[Codes], cardinalities: Sequence[int], sizes: Sizes | None = None
    ) -> Counts:
        """Group records, each with its size, or one each."""
        if sizes is None:
            rows, counted = grouping.distinct_rows(codes, cardinalities, len(codes[0]))
        else:
            rows, counted = grouping.distinct_rows(codes, cardinalities, sizes)
        columns = (row.astype(narrowest(n), copy=False) for row, n in zip(rows, cardinalities, strict=True))
        return Counts(tuple(names), tuple(columns), tuple(cardinalities), counted)

    @staticmethod
    def empty(names: Sequence[str], cardinalities: Sequence[int]) -> Counts:
        """No records."""
        none = tuple(np.zeros(0, dtype=narrowest(n)) for n in cardinalities)
        return Counts(tuple(names), none, tuple(cardinalities), np.zeros(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def kept(self) -> int:
        """Records that are still there."""
        return int(self.sizes.sum())

    @property
    def total(self) -> int:
        """Records, suppressed ones included."""
        return self.kept + self.suppressed

    def column(self, name: str) -> Codes:
        """The codes of one column."""
        return self.codes[self.names.index(name)]

    def cardinality(self, name: str) -> int:
        """The size of one column's domain."""
        return self.cardinalities[self.names.index(name)]

    def group(self, names: Sequence[str]) -> tuple[Keys, int]:
        """The class of each row under the columns `names`, 0…G−1 in lexicographic order, and G."""
        columns = [self.column(name) for name in names]
        return grouping.group(columns, [self.cardinality(name) for name in names], len(self))

    def keys(self, names: Sequence[str]) -> tuple[Keys, int]:
        """A number for each row, equal where the columns `names` are, and a bound of these numbers.

        Enough to add up by, and cheaper than numbers without gaps.
        """
        columns = [self.column(name) for name in names]
        keys, domain = grouping.pack(columns, [self.cardinality(name) for name in names], len(self))
        return (keys, domain) if domain <= grouping.dense_limit(len(self)) else grouping.compact(keys, domain)

    def project(self, names: Sequence[str]) -> Counts:
        """The counts of some columns."""
        columns = [self.column(name) for name in names]
        counts = Counts.of(names, columns, [self.cardinality(name) for name in names], self.sizes)
        return replace(counts, suppressed=self.suppressed)

    def recoded(self, lookups: Mapping[str, tuple[Codes, int]]) -> Counts:
        """Replace codes by other ones, column by column (lookup, new cardinality); rows stay apart, equal or not."""
        columns = [lookups[n][0][c] if n in lookups else c for n, c in zip(self.names, self.codes, strict=True)]
        sizes = [lookups[n][1] if n in lookups else c for n, c in zip(self.names, self.cardinalities, strict=True)]
        return replace(self, codes=tuple(columns), cardinalities=tuple(sizes))

    def roll_up(self, lookups: Mapping[str, tuple[Codes, int]]) -> Counts:
        """Replace codes by coarser ones, column by column (lookup, new cardinality), and merge what became equal."""
        coarse = self.recoded(lookups)
        merged = Counts.of(coarse.names, coarse.codes, coarse.cardinalities, coarse.sizes)
        return replace(merged, suppressed=self.suppressed)

    def thin(self, rate: Rate_contra, coins: Thinning[Rate_contra]) -> Counts:
        """A sample: each record is kept with probability `rate`, independently of all others.

        Identical records are exchangeable, so keeping each with probability β is one Binomial(size, β) draw per row.
        What is not drawn is forgotten, not suppressed: its number must not be seen (theory SP-2).
        """
        return self._with_sizes(coins.thin(self.sizes, rate), suppressed=self.suppressed)

    def suppress(self, rows: Mask) -> Counts:
        """Take rows out and count their records as suppressed."""
        lost = int(self.sizes[rows].sum())
        return self._with_sizes(np.where(rows, 0, self.sizes), suppressed=self.suppressed + lost)

    def suppress_below(self, k: int, names: Sequence[str] | None = None) -> Counts:
        """Take out the classes (under `names`, or all columns) of fewer than k records."""
        labels, groups = self.group(self.names if names is None else names)
        return self.suppress((grouping.totals(labels, groups, self.sizes) < k)[labels])

    def _with_sizes(self, sizes: Sizes, suppressed: int) -> Counts:
        stays = sizes > 0
        return replace(
            self, codes=tuple(column[stays] for column in self.codes), sizes=sizes[stays], suppressed=suppressed
        )
