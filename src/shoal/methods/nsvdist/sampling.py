"""Concrete records drawn from closures and distributions, for learners that know nothing else (NSVDist §5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Codes, Keys, Sizes
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.shown import Shown, Spans, TreeNodes
from shoal.kernels.grouping import narrowest

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins

_AT_ONCE = 1 << 16
"""Rows whose shares are held at once."""


def sampled(
    table: EncodedTable,
    partition: Partition,
    closures: Mapping[str, tuple[Shown, Codes]],
    joint: Sizes,
    sets: Keys,
    coins: Coins,
    *,
    losses: Mapping[str, float],
    search: Mapping[str, object],
) -> Outcome:
    """One concrete record for each record.

    A quasi-identifier becomes one of the values its closure covers, as likely as the value is frequent in the whole
    original; columns are drawn independently. The sensitive values are drawn together, as likely as their combination
    is among the records of the set.

    Args:
        table: The original.
        partition: The closure of each record.
        closures: Per quasi-identifier what is shown, and which entry of it each closure gets.
        joint: `[set, combination of sensitive values]`: how many records of the set carry it.
        sets: The set of each closure.
        coins: For the draws.
        losses: What was lost by the closures.
        search: How they were found.
    """
    counts = table.counts
    rows = np.repeat(partition.label, partition.sizes)
    sensitive = [attribute.name for attribute in table.sensitive]
    combination, combinations = counts.group(sensitive)
    drawn_combination = _by_shares(joint, sets[rows], coins)
    drawn: dict[str, Codes] = {}
    for name, (shown, of_closure) in closures.items():
        first, last = _range(table, name, shown)
        codes = of_closure[rows]
        drawn[name] = _by_frequency(table.marginal(name), first[codes], last[codes], coins)
    for name in sensitive:
        value = np.zeros(combinations, dtype=np.int64)
        value[combination] = counts.column(name)
        drawn[name] = value[drawn_combination]
    columns = tuple(drawn[n].astype(narrowest(c)) for n, c in zip(counts.names, counts.cardinalities, strict=True))
    each = Counts(counts.names, columns, counts.cardinalities, np.ones(len(rows), dtype=np.int64))
    number, _ = each.group(counts.names)
    return Outcome(
        table=table,
        published=Counts.of(counts.names, columns, counts.cardinalities),
        shown={},
        sources=Partition(np.repeat(partition.source, partition.sizes), number, each.sizes),
        losses=losses,
        search=search,
    )


def _range(table: EncodedTable, name: str, shown: Shown) -> tuple[Keys, Keys]:
    """The first and the last leaf of each entry."""
    if isinstance(shown, Spans):
        return shown.first.astype(np.int64), shown.last.astype(np.int64)
    assert isinstance(shown, TreeNodes), "closures are intervals or nodes"
    hierarchy = table[name].hierarchy
    first = hierarchy.first[shown.nodes].astype(np.int64)
    return first, first + hierarchy.leaf_count[shown.nodes] - 1


def _by_frequency(frequencies: Sizes, first: Keys, last: Keys, coins: Coins) -> Keys:
    """A leaf of each range, as likely as its share of the records in the range."""
    before = np.concatenate([[0], np.cumsum(frequencies)])
    start = before[first]
    points = start + _below(before[last + 1] - start, coins)
    return np.searchsorted(before, points, side="right") - 1


def _by_shares(counts: Sizes, rows: Keys, coins: Coins) -> Keys:
    """A column of each of some rows, as likely as its share of the row's sum."""
    until = np.cumsum(counts, axis=1)
    points = _below(until[rows, -1], coins)
    drawn = np.empty(len(rows), dtype=np.int64)
    for first in range(0, len(rows), _AT_ONCE):  # a million rows of many columns need not all be held
        some = slice(first, first + _AT_ONCE)
        drawn[some] = (until[rows[some]] <= points[some, None]).sum(axis=1)
    return drawn


def _below(limits: Sizes, coins: Coins) -> Keys:
    """Uniform below each limit."""
    drawn = np.empty(len(limits), dtype=np.int64)
    for limit in np.unique(limits).tolist():
        here = limits == limit
        drawn[here] = coins.randbelows(limit, int(here.sum()))
    return drawn
