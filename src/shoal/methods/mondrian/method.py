"""Mondrian: halve the table again and again, each time where its classes lose most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.methods.base import NONE_LEFT_OUT
from shoal.methods.mondrian.judged import judged_classes
from shoal.methods.mondrian.looking import NOWHERE, Look, usual_look
from shoal.methods.mondrian.single import single_classes, single_shown
from shoal.methods.parts.cells import Cells, require_weights
from shoal.methods.parts.class_request import ClassRequest
from shoal.methods.parts.company import apart
from shoal.methods.parts.judge import Judge, judge_of
from shoal.methods.parts.publish import Publish
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger


class Split(Enum):
    """How a region is cut."""

    STRICT = "strict"
    """Records with equal values stay together, so that regions do not overlap."""
    RELAXED = "relaxed"
    """Exactly in halves: records with the median value are dealt to both sides."""
    SINGLE = "single"
    """A column for all records at once, so that a value is published alike everywhere."""


@dataclass(frozen=True, kw_only=True)
class Mondrian(ClassRequest):
    """Cut the table along one quasi-identifier after another until every further cut would break the request.

    A large region is cut in the column in which it would lose most, at the value that halves it most evenly; a small
    one, and any if more is asked than k, where its two sides together lose least. If a side may not be as it would be,
    the next best is tried. Nothing is suppressed. Where a person may have several records, both sides keep
    k persons, equal records stay together, and whoever has records on both sides counts on both.

    Attributes:
        split: `strict` keeps records with equal values together, so that regions do not overlap; `relaxed` halves
            regions exactly, dealing records with the median value to both sides; `single` cuts a column for all records
            at once, so that a value is published alike everywhere.
        publish: `intervals` shows ordered values as ranges and others as sets, as small as they can be; `nodes` shows
            the lowest node of each hierarchy, and prefers cuts along it.
        weights: How much each quasi-identifier counts, 1 where none is given.

    Guarantee: k-anonymity and the other criteria of the request, verified on the published table.
    Paper: LeFevre, DeWitt & Ramakrishnan 2006.

    Example:
        >>> import pyarrow as pa, shoal
        >>> table = pa.table({"age": [31, 33, 38, 52, 55, 57]})
        >>> schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99))
        >>> release = shoal.Mondrian(k=3).anonymize(table, schema)
        >>> sorted(set(release.data["age"].to_pylist()))
        ['31-38', '52-57']
    """

    name: ClassVar[str] = "mondrian"
    reading: ClassVar[str] = NONE_LEFT_OUT
    counts_persons: ClassVar[bool] = True

    split: Split = Split.STRICT
    publish: Publish = Publish.INTERVALS
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_weights(self.weights)

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Cut, and show what is left in each class."""
        del ledger, coins  # not needed: nothing is drawn
        del progress
        judge = judge_of(self, table)
        cells = Cells.of(table, self.publish, self.weights)
        if self.split is Split.SINGLE:
            partition, pieces = single_classes(cells, judge)
            shown, loss = single_shown(cells, partition, pieces)
        else:
            partition = self._classes(cells, judge)
            shown = cells.shown(partition)
            loss = cells.loss(partition, shown)
        search = {"classes": partition.groups, "loss": loss}
        return Outcome.local(table, partition, shown, losses={"loss": loss}, search=search)

    def _classes(self, cells: Cells, judge: Judge) -> Partition:
        if self.split is Split.STRICT:
            return strict_classes(cells, judge)
        if not judge.is_size_alone:
            return apart(cells, judge, judged_classes(cells, judge, is_relaxed=True))
        return _parts(cells, judge, NOWHERE, is_relaxed=True)


def strict_classes(cells: Cells, judge: Judge, look: Look | None = None) -> Partition:
    """Cut while no equal values are parted; the usual cuts are compared by loss if nothing is said of it."""
    look = look or usual_look(cells, judge)
    if not judge.is_size_alone:
        return apart(cells, judge, judged_classes(cells, judge, is_relaxed=False, look=look))
    return _parts(cells, judge, look, is_relaxed=False)


def _parts(cells: Cells, judge: Judge, look: Look, *, is_relaxed: bool) -> Partition:
    from shoal.methods.mondrian.kernel import NO_SHARES, mondrian

    sizes = cells.table.counts.sizes
    source, label, taken, _ = mondrian(
        cells.codes, sizes, judge.k, is_relaxed, look, cells.prices, cells.widest, judge.pairs, NO_SHARES
    )
    order = np.argsort(source, kind="stable")
    return Partition(source[order], label[order], taken[order])
