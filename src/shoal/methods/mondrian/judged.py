"""Mondrian with any criteria: all regions of one depth are cut together, and each cut is judged by its two sides.

Every region proposes its cuts in the order in which the compiled kernel prefers them; each round judges one proposal of
every region that has none accepted yet. With k-anonymity alone the classes are those of the kernel. Where a person may
have several records, rows stay whole, and both sides of a proposal have k persons. Large tables of which k and shares
of sensitive values are asked go to the kernel, which makes the same classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.arrays import Codes, Floats, Keys, Mask, Sizes
from shoal.data.partition import Partition
from shoal.kernels import grouping
from shoal.methods.parts.cells import Cells, Ranges, Rows
from shoal.methods.parts.judge import Judge

if TYPE_CHECKING:
    from shoal.methods.mondrian.looking import Look

_COMPILED = 10_000
"""From so many rows on compiled code is worth loading."""


class _Regions(NamedTuple):
    """The rows of all regions that may still be cut, region by region, with the records they stand for there.

    Where persons are counted, with the pairs of a record and a person in place of records: no fewer than persons.
    """

    rows: Rows
    sizes: Sizes
    records: Sizes


class _Cuts(NamedTuple):
    """Proposals, region by region, the best first: records whose value in a column is at most `value` go left."""

    starts: Keys
    column: Keys
    value: Keys


def judged_classes(cells: Cells, judge: Judge, *, is_relaxed: bool, look: Look | None = None) -> Partition:
    """Cut until no region has an admissible cut left; `look` says which cuts are compared by loss."""
    if not is_relaxed and len(cells.codes) >= _COMPILED and judge.shares is not None:
        return _diverse_classes(cells, judge, look)
    source = np.arange(len(cells.codes))
    sizes, label = judge.entries, np.zeros(len(source), dtype=np.int64)
    done: list[tuple[Keys, Keys, Sizes]] = []
    classes = 0
    while len(source):
        regions = _together(source, label, sizes)
        column, left = _accepted(cells, judge, regions, look, is_relaxed=is_relaxed)
        is_class = (column < 0)[regions.rows.label]
        number = np.cumsum(column < 0) - 1 + classes
        rows = regions.rows
        done.append((rows.source[is_class], number[rows.label[is_class]], regions.sizes[is_class]))
        classes += int((column < 0).sum())
        source, label, sizes = _halved(regions, left, ~is_class)
    source, label, sizes = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(source, kind="stable")
    return Partition(source[order], label[order], cells.table.counts.sizes if judge.by_persons else sizes[order])


def _diverse_classes(cells: Cells, judge: Judge, look: Look | None) -> Partition:
    """The same, compiled, for k and shares of sensitive values alone; classes have the same numbers."""
    from shoal.methods.mondrian.kernel import Shares, mondrian
    from shoal.methods.mondrian.looking import NOWHERE

    counts, asked = cells.table.counts, judge.shares or ()
    value = np.zeros((len(asked), len(counts)), dtype=np.int32)
    for i, criterion in enumerate(asked):
        value[i] = counts.column(criterion.column)
    shares = Shares(value, np.array([c.diversity for c in asked], dtype=float), int(value.max(initial=0)) + 1)
    found = mondrian(
        cells.codes, counts.sizes, judge.k, False, look or NOWHERE, cells.prices, cells.widest, judge.pairs, shares
    )
    source, label, sizes, cuts = found
    number = np.empty(len(cuts), dtype=np.int64)  # it goes on with the right side; here all of one depth come together
    number[np.lexsort((-np.arange(len(cuts)), cuts))] = np.arange(len(cuts))
    order = np.argsort(source, kind="stable")
    return Partition(source[order], number[label[order]], sizes[order])


def _together(source: Keys, label: Keys, sizes: Sizes) -> _Regions:
    order = np.argsort(label, kind="stable")
    _, label = np.unique(label[order], return_inverse=True)
    rows = Rows(source[order], label, np.flatnonzero(np.diff(label, prepend=-1)))
    sizes = sizes[order]
    return _Regions(rows, sizes, grouping.totals(label, len(rows.starts), sizes))


def _halved(regions: _Regions, left: Sizes, which: Mask) -> tuple[Keys, Keys, Sizes]:
    """The rows of both sides of the cut regions; a row may be on both."""
    source, label = regions.rows.source[which], 2 * regions.rows.label[which]
    left, right = left[which], regions.sizes[which] - left[which]
    here, there = left > 0, right > 0
    return (
        np.concatenate([source[here], source[there]]),
        np.concatenate([label[here], label[there] + 1]),
        np.concatenate([left[here], right[there]]),
    )


def _accepted(
    cells: Cells, judge: Judge, regions: _Regions, look: Look | None, *, is_relaxed: bool
) -> tuple[Keys, Sizes]:
    """Per region the column of the first admissible cut, −1 if there is none; per row how many records go left."""
    rows = regions.rows
    groups = len(rows.starts)
    ranges = [cells.ranges(j, rows) for j in range(len(cells.leaves))]
    costs = np.column_stack([np.where(r.low < r.high, cells.costs(j, r), -1.0) for j, r in enumerate(ranges)])
    cuts = _halves(costs, regions, judge.k) if is_relaxed else _boundaries(cells, regions, ranges, costs, judge, look)
    column, left = np.full(groups, -1), np.zeros(len(rows.source), dtype=np.int64)
    at, ends = cuts.starts[:-1].copy(), cuts.starts[1:]
    pending = np.flatnonzero(at < ends)  # regions without an accepted cut, and their rows: fewer in every round
    number = np.full(groups, -1)
    number[pending] = np.arange(len(pending))
    here = np.flatnonzero(number[rows.label] >= 0)
    while len(pending):
        label = rows.label[here]
        proposed = at[label]
        values = cells.codes[rows.source[here], cuts.column[proposed]]
        if is_relaxed:
            goes = _first_half(values, rows.source[here], label, regions.sizes[here], regions.records, judge)
        else:
            goes = np.where(values <= cuts.value[proposed], regions.sizes[here], 0)
        region, stays = number[label], regions.sizes[here] - goes
        is_left, is_right = goes > 0, stays > 0
        passed = judge.admissible(
            np.concatenate([rows.source[here][is_left], rows.source[here][is_right]]),
            np.concatenate([2 * region[is_left], 2 * region[is_right] + 1]),
            2 * len(pending),
            np.concatenate([goes[is_left], stays[is_right]]),
        )
        both = passed[0::2] & passed[1::2]
        column[pending[both]] = cuts.column[at[pending[both]]]
        left[here[both[region]]] = goes[both[region]]
        at[pending] += 1
        goes_on = ~both & (at[pending] < ends[pending])
        here, pending = here[goes_on[region]], pending[goes_on]
        number[pending] = np.arange(len(pending))
    return column, left


def _boundaries(
    cells: Cells, regions: _Regions, ranges: list[Ranges], costs: Floats, judge: Judge, look: Look | None
) -> _Cuts:
    """Every cut that leaves k records, or persons, on both sides: first those compared by loss, the least first.

    Of the others those of the dearest column come first, then the most even ones.
    """
    rows = regions.rows
    groups, columns = costs.shape
    rank = np.empty((groups, columns), dtype=np.int64)
    np.put_along_axis(rank, np.argsort(-costs, axis=1, kind="stable"), np.arange(columns)[None, :], axis=1)
    found: list[tuple[Keys, ...]] = []
    for j, leaf in enumerate(cells.leaves):
        keys = rows.label * len(leaf) + cells.codes[rows.source, j]
        present, number = np.unique(keys, return_inverse=True)
        label, value = np.divmod(present, len(leaf))
        smaller = _smaller_sides(number, label, regions, judge)
        good = np.flatnonzero(smaller >= judge.k)  # never the last value of a region: nothing is right of it
        first = np.zeros(len(good), dtype=np.int64)
        if cells.is_by_nodes:
            both = Ranges(value[good], value[np.minimum(good + 1, len(value) - 1)], np.ones(len(good), dtype=np.int64))
            top = cells.nodes(j, ranges[j])[label[good]]
            first = (cells.nodes(j, both) == top).astype(np.int64)
        column = np.full(len(good), j)
        found.append((label[good], rank[label[good], j], -first, -smaller[good], value[good], column))
    label, *keys_of_order, value, column = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if look is not None and len(label):
        loss = _losses(cells, regions, rank, label, column, value, judge, look)
        is_compared = np.isfinite(loss)
        keys_of_order = [loss, *(np.where(is_compared, 0, keys) for keys in keys_of_order)]
        keys_of_order[1] = np.where(is_compared, column, keys_of_order[1])
    order = np.lexsort((value, *reversed(keys_of_order), label))
    return _Cuts(np.searchsorted(label[order], np.arange(groups + 1)), column[order], value[order])


def _losses(
    cells: Cells, regions: _Regions, rank: Keys, label: Keys, column: Keys, value: Keys, judge: Judge, look: Look
) -> Floats:
    """What is lost after each cut that is to be compared by it, in the dearest columns of small regions; else infinity.

    Args:
        cells: The records.
        regions: The regions.
        rank: `rank[region, column]`: which column is how dear.
        label: The region of each cut.
        column: Its column.
        value: The last value on its left.
        judge: What is asked.
        look: Which are compared.
    """
    from shoal.methods.mondrian.cuts_kernel import all_cut_losses

    rows = regions.rows
    records = cells.table.counts.sizes[rows.source]
    can = np.zeros(rank.shape, dtype=np.bool_)
    can[label, column] = True
    by_rank = np.zeros_like(can)
    np.put_along_axis(by_rank, rank, can, axis=1)
    tried = np.take_along_axis(np.cumsum(by_rank, axis=1), rank, axis=1)
    is_small = grouping.totals(rows.label, len(rank), records) <= look.records
    asked = can & (tried <= look.columns) & is_small[:, None]
    loss = np.full(len(label), np.inf)
    compared = np.flatnonzero(asked[label, column])
    compared = compared[np.lexsort((value[compared], column[compared], label[compared]))]
    loss[compared] = all_cut_losses(
        cells.codes[rows.source],
        rows.source,
        records,
        rows.starts,
        asked,
        judge.k,
        cells.prices,
        cells.widest,
        judge.pairs,
    )
    return loss


def _smaller_sides(number: Keys, label: Keys, regions: _Regions, judge: Judge) -> Sizes:
    """How many are on the smaller side of a cut at each value of each region; values are numbered region by region."""
    if judge.by_persons:
        from shoal.methods.mondrian.persons_kernel import region_ends

        ends = region_ends(number, regions.rows.source, regions.rows.label, len(label), judge.pairs)
    else:
        ends = np.tile(grouping.totals(number, len(label), regions.sizes), (2, 1))
    firsts, lasts = ends
    total = grouping.totals(label, len(regions.records), firsts)
    before = (np.cumsum(total) - total)[label]  # in the regions before: everybody in a region is first and last once
    left, gone = np.cumsum(firsts) - before, np.cumsum(lasts) - before
    return np.asarray(np.minimum(left, total[label] - gone))


def _halves(costs: Floats, regions: _Regions, k: int) -> _Cuts:
    """Each column that has more than one value, dearest first, in regions of 2k records or more."""
    order = np.argsort(-costs, axis=1, kind="stable")
    good = (np.take_along_axis(costs, order, axis=1) >= 0) & (regions.records >= 2 * k)[:, None]
    starts = np.concatenate([[0], np.cumsum(good.sum(axis=1))])
    return _Cuts(starts, order[good], np.zeros(int(starts[-1]), dtype=np.int64))


def _first_half(values: Codes, source: Keys, label: Keys, sizes: Sizes, records: Sizes, judge: Judge) -> Sizes:
    """How many records of each row are among the first half of its region, in the order of their values.

    Where persons are counted, rows are whole, and the halves those that leave most persons on the smaller side.
    """
    order = np.lexsort((values, label))
    sizes, label = sizes[order], label[order]
    starts = np.flatnonzero(np.diff(label, prepend=-1))
    first = np.empty(len(values), dtype=np.int64)
    if judge.by_persons:
        from shoal.methods.mondrian.persons_kernel import region_halves

        first[order] = np.where(region_halves(source[order], starts, judge.pairs, judge.k), sizes, 0)
        return first
    running = np.cumsum(sizes) - sizes
    before = running - np.repeat(running[starts], np.diff(starts, append=len(label)))
    first[order] = np.clip(records[label] // 2 - before, 0, sizes)
    return first
