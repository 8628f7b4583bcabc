"""What a published code may have been: each code of a column as a distribution over the leaves of the domain.

A reader of "30-39" knows ten ages. Without further knowledge all of them are equally likely; with a published marginal
they are as likely as it says. A node, range or set that holds the missing value beside others stands for the others:
the place for missing values is there whether or not one is missing, and an even share of it would be made up. It stays
possible, for attacks that look for a person whose value is missing.

All readings of a release that need concrete values start here: drawn records (`materialize`), expected marginals,
expected answers to queries.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, assert_never

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Sizes
from shoal.data.attribute import Attribute
from shoal.data.domain import Categorical, Dates, Domain, Grid
from shoal.data.outcome import Outcome
from shoal.data.shown import Distributions, Numbers, Shown, Spans, TreeNodes, ValueSets
from shoal.errors import ParameterError


@dataclass(frozen=True, eq=False)
class OverRange:
    """Code c may be any leaf from `first[c]` to `last[c]`, as likely as the leaf's share of `mass`.

    `mass[v]` is the weight of all leaves before v; one entry more than there are leaves. No range is without weight.
    """

    first: Keys
    last: Keys
    mass: Floats

    def __len__(self) -> int:
        return len(self.first)

    @property
    def domain(self) -> int:
        """Number of leaves."""
        return len(self.mass) - 1

    @cached_property
    def _weight(self) -> Floats:
        return self.mass[self.last + 1] - self.mass[self.first]

    @cached_property
    def _is_one(self) -> Mask:
        """Which codes are a single leaf: no weight is needed for these, however small."""
        return np.equal(self.first, self.last)

    @cached_property
    def _is_even(self) -> bool:
        return np.array_equal(self.mass, np.arange(len(self.mass)))

    def draw(self, codes: Codes, rng: np.random.Generator) -> Keys:
        """One leaf for each of some codes."""
        weight = self._weight[codes]
        if self._is_even:
            return self.first[codes] + (rng.random(len(codes)) * weight).astype(np.int64)
        points = self.mass[self.first[codes]] + rng.random(len(codes)) * weight
        leaves = np.searchsorted(self.mass, points, side="right") - 1
        return np.clip(leaves, self.first[codes], self.last[codes])

    def within(self, first: int, last: int, codes: Codes | None = None) -> Floats:
        """For each of some codes, or each code there is, how likely its leaf is one from `first` to `last`."""
        firsts, lasts, weight = self.first, self.last, self._weight
        if codes is not None:  # a domain can have far more values than a table has records
            firsts, lasts, weight = firsts[codes], lasts[codes], weight[codes]
        low, high = np.maximum(firsts, first), np.minimum(lasts, last) + 1
        return np.where(low < high, self.mass[high] - self.mass[low], 0.0) / weight

    def ends(self) -> tuple[Keys, Keys]:
        """The first and the last leaf each code may be."""
        return self.first, self.last

    def average(self, values: Floats) -> Floats:
        """For each code the expectation of a function of its leaf, given by its value for each leaf."""
        until = np.concatenate([[0.0], np.cumsum(values * np.diff(self.mass))])
        return np.where(self._is_one, values[self.first], (until[self.last + 1] - until[self.first]) / self._weight)

    def expected(self, sizes: Sizes | Floats) -> Floats:
        """How many records each leaf is expected to have, if `sizes[c]` records have code c."""
        alone = sums(self.first, np.where(self._is_one, sizes, 0.0), self.domain)
        each = np.where(self._is_one, 0.0, sizes / self._weight)
        density = np.zeros(len(self.mass))
        np.add.at(density, self.first, each)
        np.subtract.at(density, self.last + 1, each)
        return alone + np.maximum(np.cumsum(density)[:-1], 0.0) * np.diff(self.mass)


@dataclass(frozen=True, eq=False)
class OverList:
    """Code c may be one of `leaves[starts[c] : starts[c + 1]]`, with the probabilities `shares`; leaves ascend."""

    starts: Keys
    leaves: Keys
    shares: Floats
    domain: int
    """Number of leaves."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def _entry(self) -> Keys:
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def _until(self) -> Floats:
        """Entry number plus the running sum of its shares: ascending through all entries."""
        before = np.concatenate([[0.0], np.cumsum(self.shares)])
        within = before[1:] - before[self.starts[self._entry]]
        until: Floats = self._entry + np.minimum(within, 1.0)
        until[self.starts[1:] - 1] = np.arange(1, len(self) + 1)
        return until

    def draw(self, codes: Codes, rng: np.random.Generator) -> Keys:
        """One leaf for each of some codes."""
        at = np.searchsorted(self._until, codes + rng.random(len(codes)), side="right")
        return self.leaves[np.clip(at, self.starts[codes], self.starts[1:][codes] - 1)]

    def within(self, first: int, last: int, codes: Codes | None = None) -> Floats:
        """For each of some codes, or each code there is, how likely its leaf is one from `first` to `last`."""
        inside = (self.leaves >= first) & (self.leaves <= last)
        chances = sums(self._entry[inside], self.shares[inside], len(self))
        return chances if codes is None else chances[codes]

    def ends(self) -> tuple[Keys, Keys]:
        """The first and the last leaf each code may be."""
        return self.leaves[self.starts[:-1]], self.leaves[self.starts[1:] - 1]

    def average(self, values: Floats) -> Floats:
        """For each code the expectation of a function of its leaf, given by its value for each leaf."""
        return sums(self._entry, self.shares * values[self.leaves], len(self))

    def expected(self, sizes: Sizes | Floats) -> Floats:
        """How many records each leaf is expected to have, if `sizes[c]` records have code c."""
        return sums(self.leaves, self.shares * sizes[self._entry], self.domain)


Spread: TypeAlias = OverRange | OverList


def sums(keys: Keys | Codes, weights: Floats, domain: int) -> Floats:
    """The sum of the weights of each key."""
    summed: Floats = np.bincount(keys, weights=weights, minlength=domain)  # type: ignore[assignment]
    return summed


def spreads(outcome: Outcome, frequencies: Mapping[str, Sizes] | None = None) -> dict[str, Spread]:
    """The spread of every published column.

    Args:
        outcome: What a method decided.
        frequencies: Per column how frequent leaves are, where a reader knows it (NSVDist §5.1 publishes it): values
            within a node, range or set are then as likely as that. Elsewhere they are equally likely.
    """
    known = frequencies or {}
    return {
        name: spread(outcome.table[name], outcome.shown.get(name), known.get(name)) for name in outcome.published.names
    }


def spread(attribute: Attribute, shown: Shown | None, frequencies: Sizes | None = None) -> Spread:
    """What the codes of one column may have been; `shown` is None where codes are leaves."""
    leaves = attribute.domain.size
    if frequencies is not None and (len(frequencies) != leaves or np.any(frequencies < 0)):
        raise ParameterError(
            f"column {attribute.name!r}: frequencies are {leaves:,} numbers of 0 or more, one for each value of the "
            f"domain; got {len(frequencies):,}."
        )
    likely = _of_present(attribute) if frequencies is None else frequencies
    match shown:
        case None:
            every = np.arange(leaves)
            return _over_range(every, every, leaves, None)
        case TreeNodes():
            first = attribute.hierarchy.first[shown.nodes].astype(np.int64)
            last = first + attribute.hierarchy.leaf_count[shown.nodes] - 1
            return _over_range(first, last, leaves, likely)
        case Spans():
            first, last = shown.first.astype(np.int64), shown.last.astype(np.int64)
            return _over_range(first, last, leaves, likely)
        case ValueSets():
            members = shown.members.astype(np.int64)
            weights = np.ones(len(members)) if likely is None else _positive(likely)[members]
            return _over_list(shown.starts.astype(np.int64), members, weights, leaves)
        case Numbers():
            return _over_range(*_nearest(attribute, shown), leaves, None)
        case Distributions():
            entry, members = np.nonzero(shown.shares)
            starts = np.searchsorted(entry, np.arange(len(shown) + 1))
            return _over_list(starts, members, shown.shares[entry, members].astype(float), leaves)
        case _:
            assert_never(shown)


def _over_range(first: Keys, last: Keys, leaves: int, frequencies: Sizes | None) -> OverRange:
    weights = np.ones(leaves) if frequencies is None else _positive(frequencies)
    return OverRange(first, last, np.concatenate([[0.0], np.cumsum(weights)]))


def _of_present(attribute: Attribute) -> Sizes | None:
    """All values alike but the missing one, which does not occur; None where there is no such one."""
    if attribute.domain.missing is None:
        return None
    even = np.ones(attribute.domain.size, dtype=np.int64)
    even[attribute.domain.missing] = 0
    return even


def _positive(frequencies: Sizes) -> Floats:
    """Values that never occur get next to nothing: it decides only where no other value is possible."""
    weights = frequencies.astype(float)
    return np.where(weights > 0, weights, max(1.0, float(weights.sum())) * 2.0**-44)


def _over_list(starts: Keys, members: Keys, weights: Floats, leaves: int) -> OverList:
    entry = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    whole = sums(entry, weights, len(starts) - 1)
    return OverList(starts, members, weights / whole[entry], leaves)


def _nearest(attribute: Attribute, shown: Numbers) -> tuple[Keys, Keys]:
    """The value of the domain nearest to each number; a missing number is the missing value, or any value."""
    domain = attribute.domain
    places, steps = _places(attribute.name, domain, shown.values)
    missing = np.isnan(places)
    nearest = np.clip(np.rint(np.where(missing, 0.0, places)), 0, steps).astype(np.int64)
    if domain.missing is not None:
        nearest = np.where(missing, domain.missing, nearest)
        return nearest, nearest
    return nearest, np.where(missing, steps, nearest)


def _places(name: str, domain: Domain, values: Floats) -> tuple[Floats, int]:
    """Numbers in steps from the first value of the domain, and how many steps there are."""
    match domain:
        case Grid():
            return (values * 10.0**domain.decimals - domain.lower) / domain.step, domain.steps
        case Dates():
            return values - (domain.first - dt.date(1970, 1, 1)).days, domain.days - 1
        case Categorical():
            raise ParameterError(f"column {name!r} is published as numbers, but its domain has none; declare it so.")
        case _:
            assert_never(domain)
