"""Who was left out: groups of people that a release loses far more of, or shows far coarser, than others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from math import sqrt

import numpy as np

from shoal.arrays import Floats, Keys, Nodes
from shoal.data.attribute import Attribute
from shoal.data.domain import Categorical
from shoal.data.hierarchies.hierarchy import Level
from shoal.data.outcome import Outcome
from shoal.data.shown import Shown, Spans, TreeNodes, ValueSets
from shoal.evaluate.posterior import sums

FEWEST = 20
"""Of fewer records a share says little: values that are rarer are looked at together."""
_TIMES = 2.0
_POINTS = 0.02
_ERRORS = 4.0
"""Far more is at least twice the share of all others, two percentage points more, and four standard errors away from
what equal shares would make likely: among a thousand groups that lose alike, none is expected to be called."""
_COARSER = 0.1
"""Far coarser: a tenth of all detail more than others."""
_MOST_NAMED = 200
_MOST_ORDERED = 24
RARE = "rarer values together"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The people with one value of a column, or with neighboring ones.

    Attributes:
        column: The column.
        value: What they have in common.
        records: How many records they have in the original.
        left_out: The share of them that is not in the release.
        others_left_out: The share of all other records that is not.
        coarseness: How much detail the published ones lost, from 0 (values as they were) to 1 (all hidden); the mean
            over the columns that were recoded.
        others_coarseness: The same of all others.
    """

    column: str
    value: str
    records: int
    left_out: float
    others_left_out: float
    coarseness: float
    others_coarseness: float
    errors: float
    """How many standard errors the share of records left out is above that of others."""

    @property
    def who(self) -> str:
        """Whom the group is of."""
        return f"rare values of {self.column}" if self.value == RARE else f"{self.column} = {self.value}"

    @property
    def loses_far_more(self) -> bool:
        """Whether more of them are left out, by far."""
        far = max(_TIMES * self.others_left_out, self.others_left_out + _POINTS)
        return self.left_out >= far and self.errors >= _ERRORS

    @property
    def is_far_coarser(self) -> bool:
        """Whether those who are published are shown far coarser."""
        return self.coarseness >= self.others_coarseness + _COARSER


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Who a release loses; for the owner only.

    Attributes:
        share: Of all records, those that are not in the release.
        looked_at: How many groups were looked at.
        groups: Those that lose far more or are shown far coarser; those whose loss is least a chance come first.
        gone: Values of which no record is left: column, value, records; most records first.
    """

    share: float
    looked_at: int
    groups: tuple[Group, ...]
    gone: tuple[tuple[str, str, int], ...]


def who_was_left_out(outcome: Outcome) -> LeftOut | None:
    """Compare every group of records with all others; None where nothing tells which records a release represents.

    A record is in the release if a published one is made of it; where chance decides which ones are (sampling, noise),
    if there is any published record that looks like it.
    """
    became = outcome.published_rows()
    if became is None or not outcome.table.total:
        return None
    source, label = became
    sizes = outcome.table.counts.sizes
    parts = (sizes[source] if outcome.sources is None else outcome.sources.sizes).astype(float)
    kept = sums(source, parts, len(sizes))
    coarse = sums(source, parts * _coarseness(outcome)[label], len(sizes))
    groups: list[Group] = []
    gone: list[tuple[str, str, int]] = []
    looked_at = 0
    for attribute in outcome.table.attributes:
        if not attribute.role.is_counted:
            continue
        nodes, of_leaf = _groups(attribute)
        codes = of_leaf[outcome.table.counts.column(attribute.name)]
        totals, held, detail = (sums(codes, weights, len(nodes)) for weights in (sizes.astype(float), kept, coarse))
        found = list(_compared(attribute, nodes, totals, held, detail))
        looked_at += len(found)
        groups += [group for group in found if group.loses_far_more or group.is_far_coarser]
        lost = np.flatnonzero((totals > 0) & (held == 0))
        gone += zip(repeat(attribute.name), attribute.labels(nodes[lost]), totals[lost].astype(int).tolist())
    groups.sort(key=lambda group: (-group.errors * group.loses_far_more, -group.coarseness, -group.records))
    gone.sort(key=lambda one: -one[2])
    share = 1 - float(kept.sum()) / float(sizes.sum())
    return LeftOut(
        share=max(share, 0.0), looked_at=looked_at, groups=tuple(groups), gone=tuple(gone) if kept.any() else ()
    )


def _compared(attribute: Attribute, nodes: Nodes, totals: Floats, held: Floats, lost_detail: Floats) -> Iterator[Group]:
    """Each group of a column beside all others."""
    rare = (totals > 0) & (totals < FEWEST)
    named = [([group], "") for group in np.flatnonzero(totals >= FEWEST).tolist()]
    if totals[rare].sum() >= FEWEST:
        named.append((np.flatnonzero(rare).tolist(), RARE))
    everything = [float(of.sum()) for of in (totals, held, lost_detail)]
    mean = 1 - everything[1] / everything[0]
    for members, called in named:
        records, there, detail = (float(of[members].sum()) for of in (totals, held, lost_detail))
        others, others_there = everything[0] - records, everything[1] - there
        if not others:
            continue
        left_out, others_left_out = max(1 - there / records, 0.0), max(1 - others_there / others, 0.0)
        error = sqrt(max(mean * (1 - mean), 0.0) * (1 / records + 1 / others))
        yield Group(
            column=attribute.name,
            value=called or attribute.labels(nodes[members])[0],
            records=round(records),
            left_out=left_out,
            others_left_out=others_left_out,
            coarseness=detail / there if there else 0.0,
            others_coarseness=(everything[2] - detail) / others_there if others_there > 0 else 0.0,
            errors=(left_out - others_left_out) / error if error > 0 else 0.0,
        )


def _groups(attribute: Attribute) -> tuple[Nodes, Keys]:
    """What the values of a column are grouped by, and the group of each.

    Single values where these are few, else the finest level of few groups; where no level but the last has few, single
    values again.
    """
    domain, up = attribute.domain, attribute.hierarchy.up
    most = _MOST_NAMED if isinstance(domain, Categorical) and not domain.ordered else _MOST_ORDERED
    finest = 0
    for level in range(attribute.hierarchy.height - 1, -1, -1):  # from the top, where groups are few
        if np.count_nonzero(np.diff(up[level])) >= most:
            break
        finest = level
    chosen = Level.of(up[finest])
    return chosen.nodes, chosen.codes.astype(np.int64)


def _coarseness(outcome: Outcome) -> Floats:
    """How much detail each published record lost, on average over its recoded columns."""
    published = outcome.published
    lost = []
    for attribute in outcome.table.attributes:
        entries = outcome.shown.get(attribute.name)
        by_entry = None if entries is None else _lost(attribute, entries)
        if by_entry is not None:
            lost.append(by_entry[published.column(attribute.name)])
    found: Floats = np.mean(lost, axis=0) if lost else np.zeros(len(published))
    return found


def _lost(attribute: Attribute, shown: Shown) -> Floats | None:
    """(n − 1) / (N − 1) of each entry, n of the N values of the column being possible; None for numbers, shares."""
    match shown:
        case TreeNodes():
            possible = attribute.hierarchy.leaf_count[shown.nodes]
        case Spans():
            possible = shown.last - shown.first + 1
        case ValueSets():
            possible = np.diff(shown.starts).astype(np.int32)
        case _:
            return None
    found: Floats = (possible - 1) / max(attribute.hierarchy.leaves - 1, 1)
    return found
