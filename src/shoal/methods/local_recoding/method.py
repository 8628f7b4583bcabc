"""Local recoding: each class gets the generalization that suits it, and nothing is suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.arrays import Keys, Nodes
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.errors import ParameterError
from shoal.kernels import grouping
from shoal.methods.base import NONE_LEFT_OUT
from shoal.methods.local_recoding.prices import PricedClasses
from shoal.methods.local_recoding.rounds import Rounds, dear_first, is_small
from shoal.methods.mondrian.looking import NOWHERE, everywhere, is_large
from shoal.methods.mondrian.method import strict_classes
from shoal.methods.parts.cells import Cells, require_passes, require_weights
from shoal.methods.parts.class_request import ClassRequest
from shoal.methods.parts.company import apart, completed
from shoal.methods.parts.judge import Judge, judge_of
from shoal.methods.parts.publish import Publish
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger
    from shoal.methods.local_recoding.joins_kernel import Joins

_BLOCK = 30_000
"""Distinct records that are looked at together, at most; a larger table is cut into blocks first."""

_WORK = 10_000_000_000
"""Cells that records are compared with in all, about, where the lattice is too large to begin well: if it would be
more, blocks are smaller."""


@dataclass(frozen=True, kw_only=True)
class LocalRecoding(ClassRequest):
    """Generalize every record as little as its neighbors allow.

    Within the hierarchies (`nodes`): every cell of the generalization lattice that holds k records becomes a class, the
    cheapest first, each of the records left by those before; then classes are dissolved, records moved or exchanged,
    and two classes divided anew, as long as that lowers the loss. With free ranges and sets (`intervals`): the table is
    cut where the two sides lose least, again and again, as by Mondrian. Nothing is suppressed. Where a person may have
    several records, classes have k persons, and equal records stay together.

    Attributes:
        publish: `nodes` shows nodes of the hierarchies, `intervals` ranges of ordered values and sets of others.
        weights: How much each quasi-identifier counts, 1 where none is given.
        passes: How often all classes are looked at again to improve them; only with `nodes`, and k alone.
        prices: How many steps find what records would pay for classes, 0 or some 80: classes are made anew by that,
            and published if they lose less. Only with `nodes`, k alone, and persons of one record each.

    Guarantee: k-anonymity and the other criteria of the request, verified on the published table.

    Example:
        >>> import pyarrow as pa, shoal
        >>> table = pa.table({"age": [31, 33, 38, 52, 55, 57, 71, 78, 79]})
        >>> schema = shoal.Schema().with_column(
        ...     "age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.intervals(10, 20)
        ... )
        >>> release = shoal.LocalRecoding(k=3).anonymize(table, schema)
        >>> sorted(set(release.data["age"].to_pylist()))
        ['30-39', '50-59', '70-79']
    """

    name: ClassVar[str] = "local-recoding"
    reading: ClassVar[str] = NONE_LEFT_OUT
    counts_persons: ClassVar[bool] = True

    publish: Publish = Publish.NODES
    weights: Mapping[str, float] = field(default_factory=dict)
    passes: int = 1
    prices: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_weights(self.weights)
        require_passes(self.passes)
        if self.prices < 0:
            raise ParameterError(f"prices must be a whole number, 0 or more; got {self.prices!r}.")

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Find classes, and show what is left in each."""
        del ledger, coins  # not needed: nothing is drawn
        del progress
        judge = judge_of(self, table)
        cells = Cells.of(table, self.publish, self.weights)
        partition = self._within_hierarchies(cells, judge) if cells.is_by_nodes else _free(cells, judge)
        shown = cells.shown(partition)
        loss = cells.loss(partition, shown)
        search = {"classes": partition.groups, "loss": loss}
        return Outcome.local(table, partition, shown, losses={"loss": loss}, search=search)

    def _within_hierarchies(self, cells: Cells, judge: Judge) -> Partition:
        sizes = cells.table.counts.sizes
        if not judge.is_size_alone:
            if not is_small(cells, is_size_alone=False):
                return strict_classes(cells, judge)
            label = completed(cells, judge, Rounds(cells).judged_classes(judge))
            return apart(cells, judge, Partition.whole(label, sizes))
        label = np.full(len(sizes), -1)
        blocks, priced = _blocks(cells, judge.k), None
        if is_small(cells):
            rounds, classes = Rounds(cells, None if judge.by_persons else dear_first(cells)), 0
            for rows in blocks:
                found = rounds.classes(rows, judge)
                label[rows] = np.where(found >= 0, found + classes, -1)
                classes += int(found.max(initial=-1)) + 1
            label = completed(cells, judge, label)
            if self.prices and not judge.by_persons:
                priced = PricedClasses(cells, rounds, judge, self.prices)
        else:
            label = strict_classes(cells, judge).label
        blocks = _whole_classes(blocks, label)
        if judge.by_persons:
            return _improved_persons(cells, label, blocks, judge, self.passes)
        return _improved(cells, label, blocks, judge.k, self.passes, priced)


def _free(cells: Cells, judge: Judge) -> Partition:
    """Cuts where two sides lose least, in small regions alone or in large ones too, whichever loses less."""
    cut = strict_classes(cells, judge)
    if not judge.is_size_alone or is_large(cells):
        return cut
    return min(cut, strict_classes(cells, judge, everywhere(cells)), key=cells.loss)


def _blocks(cells: Cells, k: int) -> list[Keys]:
    """Rows that are near each other, so many together that all can be compared with the classes of their block."""
    from shoal.kernels.heads import ONE_EACH
    from shoal.methods.mondrian.kernel import NO_SHARES, mondrian

    rows, columns = cells.codes.shape
    most = _BLOCK if is_small(cells) else min(_BLOCK, max(_WORK // max(rows * columns, 1), 10 * k))
    if rows <= most:
        return [np.arange(rows)]
    records = max(1, cells.table.total * most // (2 * rows))
    sizes = cells.table.counts.sizes
    source, label, *_ = mondrian(
        cells.codes, sizes, records, False, NOWHERE, cells.prices, cells.widest, ONE_EACH, NO_SHARES
    )
    return np.split(source, np.flatnonzero(np.diff(label)) + 1)  # class by class


def _whole_classes(blocks: list[Keys], label: Keys) -> list[Keys]:
    """The blocks such that no class is in two of them."""
    if len(blocks) == 1:
        return blocks
    block = np.empty(len(label), dtype=np.int64)
    for number, rows in enumerate(blocks):
        block[rows] = number
    block = block[grouping.members(label, int(label.max()) + 1)][label]
    return [rows for number in range(len(blocks)) if len(rows := np.flatnonzero(block == number))]


def _improved(
    cells: Cells, label: Keys, blocks: list[Keys], k: int, passes: int, priced: PricedClasses | None = None
) -> Partition:
    """Move records between the classes of a block, or between those that prices make anew if that loses less.

    Equal records may part.
    """
    from shoal.methods.local_recoding.joins_kernel import all_joins

    sizes = cells.table.counts.sizes
    moving = np.where(sizes >= 4 * k, 2 * k, sizes)  # of many equal records most stay together and lose nothing
    stays = np.flatnonzero(sizes > moving)
    source, where, counted = [stays], [np.arange(len(stays))], [(sizes - moving)[stays]]
    classes = len(stays)
    leaves, joins = _leaves(cells), all_joins(cells.prices)
    for rows in blocks:
        units = np.repeat(rows, moving[rows])
        parts = _moved(cells, leaves, joins, units, label[units], k, passes)
        if priced is not None:
            costs = cells.spent(units, parts)
            spent = np.bincount(np.repeat(np.arange(len(rows)), moving[rows]), costs)
            anew = priced.classes(rows, moving[rows], spent / moving[rows])
            if anew is not None:
                others = _moved(cells, leaves, joins, units, anew, k, passes)
                if cells.spent(units, others).sum() < costs.sum():
                    parts = others
        groups = int(parts.max()) + 1
        parts, number = np.unique(units * groups + parts, return_inverse=True)
        source.append(parts // groups)
        where.append(classes + parts % groups)
        counted.append(np.bincount(number))
        classes += groups
    rows, labels, counts = np.concatenate(source), np.concatenate(where), np.concatenate(counted)
    order = np.argsort(rows, kind="stable")
    numbered, _ = grouping.compact(labels[order], classes)
    return Partition(rows[order], numbered, counts[order])


def _moved(cells: Cells, leaves: Nodes, joins: Joins, units: Keys, label: Keys, k: int, passes: int) -> Keys:
    """The classes of single records of some rows, first divided where they are large, then improved."""
    from shoal.kernels.heads import ONE_EACH
    from shoal.methods.local_recoding.moves_kernel import Units, class_moves

    found, groups = _small_classes(cells, units, label, k)
    if passes:
        moved = Units(leaves[units], np.ones_like(units), units, ONE_EACH)
        found = class_moves(moved, found, groups, k, cells.prices, joins, passes)
    return grouping.compact(found, groups)[0]


def _improved_persons(cells: Cells, label: Keys, blocks: list[Keys], judge: Judge, passes: int) -> Partition:
    """Move distinct records between the classes of a block, each with all persons who have it."""
    from shoal.methods.local_recoding.joins_kernel import all_joins
    from shoal.methods.local_recoding.moves_kernel import Units, class_moves, person_pieces

    sizes, leaves, classes = cells.table.counts.sizes, _leaves(cells), 0
    joins = all_joins(cells.prices)
    moved = np.empty_like(label)
    is_small = judge.entries < judge.k  # a record of k persons needs no company: it comes first, as a class by itself
    for rows in blocks:
        order = rows[np.lexsort((*cells.codes[rows].T, is_small[rows], label[rows]))]
        found, groups = person_pieces(order, label[order], judge.pairs, judge.k)
        if passes:
            units = Units(leaves[order], sizes[order], order, judge.pairs)
            found = class_moves(units, found, groups, judge.k, cells.prices, joins, passes)
        moved[order] = classes + found
        classes += groups
    return Partition.whole(grouping.compact(moved, classes)[0], sizes)


def _leaves(cells: Cells) -> Nodes:
    """`leaves[row, column]`."""
    columns = [leaf[cells.codes[:, j]] for j, leaf in enumerate(cells.leaves)]
    return np.column_stack(columns).astype(np.int32)


def _small_classes(cells: Cells, units: Keys, label: Keys, k: int) -> tuple[Keys, int]:
    """Divide classes of 2k units or more, records that are near each other together: small ones cost less to join."""
    number, groups = np.unique(label, return_inverse=True)[1], len(np.unique(label))
    order = np.lexsort((*cells.codes[units].T, number))
    total = np.bincount(number, minlength=groups)
    place = np.empty(len(units), dtype=np.int64)
    place[order] = np.arange(len(units)) - np.repeat(np.cumsum(total) - total, total)
    pieces = np.maximum(total // k, 1)
    piece = place * pieces[number] // total[number]
    return (np.cumsum(pieces) - pieces)[number] + piece, int(pieces.sum())
