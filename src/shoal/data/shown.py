"""Shown: what the published codes of a recoded column stand for.

A method publishes codes; beside them stands, per column, a list of what each code means. Entries of one list are
distinct, so records that are equal in codes are equal to a reader, and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, assert_never

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Nodes, Sizes
from shoal.data.attribute import Attribute
from shoal.data.domain import Dates, Grid


@dataclass(frozen=True, slots=True, eq=False)
class TreeNodes:
    """Nodes of the column's hierarchy."""

    nodes: Nodes

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Ranges of leaves, both ends included: intervals that need not be nodes of the hierarchy."""

    first: Codes
    last: Codes

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True, eq=False)
class ValueSets:
    """Non-empty sets of leaves: set i is `members[starts[i] : starts[i + 1]]`, in ascending order."""

    starts: Keys
    members: Codes

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, entry: int) -> Codes:
        """The leaves of one set."""
        return self.members[self.starts[entry] : self.starts[entry + 1]]


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Numbers that need not be values of the domain, such as means or noisy values; NaN for a missing one.

    Attributes:
        values: The numbers.
        decimals: Digits behind the point to write; whole numbers if 0, as many as needed if None.
    """

    values: Floats
    decimals: int | None = None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Distributions:
    """Frequency distributions over the values of the column: leaf v has the share `shares[i, v] / whole[i]`.

    Written as JSON, or with `as_columns` as one column of shares for each value that occurs in any of them.
    """

    shares: Sizes
    whole: Sizes
    as_columns: bool = False

    def __len__(self) -> int:
        return len(self.whole)


Shown: TypeAlias = TreeNodes | Spans | ValueSets | Numbers | Distributions


def leaves_kept(attribute: Attribute, shown: Shown) -> Nodes | None:
    """The leaf that each entry is, if all of them are leaves: then values are written in the type they came in."""
    match shown:
        case TreeNodes():
            nodes = shown.nodes
        case Spans():
            nodes = np.where(shown.first == shown.last, shown.first, attribute.domain.size).astype(np.int32)
        case ValueSets():
            alone = np.diff(shown.starts) == 1
            if not alone.all():
                return None
            nodes = shown.members.astype(np.int32)
        case Numbers() | Distributions():
            return None
        case _:
            assert_never(shown)
    return nodes if (nodes < attribute.domain.size).all() else None


def absent(attribute: Attribute, shown: TreeNodes | Spans | ValueSets) -> Mask:
    """Which entries are the missing value and nothing else."""
    missing = attribute.domain.missing
    if missing is None:
        return np.zeros(len(shown), dtype=np.bool_)
    match shown:
        case TreeNodes():
            found = np.equal(shown.nodes, missing)
        case Spans():
            found = np.equal(shown.first, missing) & np.equal(shown.last, missing)
        case ValueSets():
            heads = shown.members[shown.starts[:-1]]
            found = np.equal(heads, missing) & (np.diff(shown.starts) == 1)
        case _:
            assert_never(shown)
    return found


def texts(attribute: Attribute, shown: TreeNodes | Spans | ValueSets) -> list[str]:
    """How entries are written when not all of them are leaves."""
    match shown:
        case TreeNodes():
            return attribute.labels(shown.nodes)
        case Spans():
            return _spans(attribute, shown)
        case ValueSets():
            return _sets(attribute, shown)
        case _:
            assert_never(shown)


def titles(attribute: Attribute, shown: Distributions) -> list[str]:
    """The columns over which distributions are spread: one for each value that occurs."""
    occurring = np.flatnonzero(shown.shares.any(axis=0)).tolist()
    return [f"{attribute.name}={label}" for label in attribute.domain.labels(occurring)]


def _written(attribute: Attribute, leaves: Codes) -> dict[int, str]:
    """How these leaves are written, each made once; and the one before a missing value, for ranges that end with it."""
    domain = attribute.domain
    needed = np.unique(leaves).tolist()
    if domain.missing is not None and domain.missing > 0:
        needed.append(domain.missing - 1)
    return dict(zip(needed, domain.labels(needed), strict=True))


def _spans(attribute: Attribute, shown: Spans) -> list[str]:
    """Ranges by their ends; there may be as many as classes, so that what most of them are is settled once."""
    domain, first, last = attribute.domain, shown.first, shown.last
    written = _written(attribute, np.concatenate([first, last]))
    ends = zip(map(written.__getitem__, first.tolist()), map(written.__getitem__, last.tolist()), strict=True)
    if not isinstance(domain, Grid):
        found = [f"{low} to {high}" for low, high in ends]
    else:
        found = [f"[{low}, {high}]" if domain.decimals or low[0] == "-" else f"{low}-{high}" for low, high in ends]
    is_other = (first == last) | (last - first + 1 == domain.size)
    if domain.missing is not None and isinstance(domain, Grid | Dates):
        is_other |= last == domain.missing
    for i in np.flatnonzero(is_other).tolist():
        found[i] = _span(attribute, int(first[i]), int(last[i]), written)
    return found


def _span(attribute: Attribute, first: int, last: int, written: Mapping[int, str]) -> str:
    """A range by its ends; `17-24`, or `[-1.5, 2]` where a hyphen would confuse; days and names with `to`."""
    domain = attribute.domain
    if first == last:
        return written[first]
    if last - first + 1 == domain.size:
        return attribute.labels(np.array([attribute.hierarchy.root], dtype=np.int32))[0]
    if domain.missing is not None and last == domain.missing and isinstance(domain, Grid | Dates):
        return f"{_span(attribute, first, last - 1, written)} or {written[last]}"
    low, high = written[first], written[last]
    if not isinstance(domain, Grid):
        return f"{low} to {high}"
    return f"[{low}, {high}]" if domain.decimals or low.startswith("-") else f"{low}-{high}"


def _sets(attribute: Attribute, shown: ValueSets) -> list[str]:
    """Sets by their members; a single value and the whole domain as such."""
    written, members, starts = _written(attribute, shown.members), shown.members.tolist(), shown.starts.tolist()
    label = written.__getitem__
    found = ["{" + ", ".join(map(label, members[a:b])) + "}" for a, b in pairwise(starts)]
    sizes = np.diff(shown.starts)
    for i in np.flatnonzero(sizes == 1).tolist():
        found[i] = written[members[starts[i]]]
    whole = np.flatnonzero((sizes == attribute.domain.size) & (sizes > 1)).tolist()
    for i in whole:
        found[i] = attribute.labels(np.array([attribute.hierarchy.root], dtype=np.int32))[0]
    return found
