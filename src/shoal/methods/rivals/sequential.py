"""Sequential anonymization: classes from Mondrian, improved by moving one record after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.errors import ParameterError
from shoal.kernels import grouping
from shoal.methods.base import NONE_LEFT_OUT
from shoal.methods.mondrian.single import single_classes
from shoal.methods.parts.cells import Cells, require_passes, require_weights
from shoal.methods.parts.class_request import ClassRequest
from shoal.methods.parts.closures import intervals_among, lifted, loss_metric, shown_closures
from shoal.methods.parts.judge import judge_of
from shoal.methods.parts.publish import Publish
from shoal.parameters import plain
from shoal.progress import Progress, silent
from shoal.quality.base import checked_weights

if TYPE_CHECKING:
    from shoal.arrays import Floats, Keys, Mask
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger

_WORK = 2e13
"""Different records, squared, times passes, at most: some minutes, if time grows so from 300,000 records on."""


@dataclass(frozen=True, kw_only=True)
class Sequential(ClassRequest):
    """Start from the classes of single-dimensional Mondrian; move records to the class where least is lost.

    Records are tried one by one, again and again, until no move of a single record lowers the loss. A move is made only
    if both classes keep what was asked for, so the request holds at every moment.

    Attributes:
        publish: `intervals` shows numbers and days as intervals and other columns as nodes; `nodes` nodes everywhere.
        weights: How much each quasi-identifier counts, 1 where none is given.
        passes: So often all records are tried at most.

    Guarantee: k-anonymity and ℓ-diversity by frequency, verified on the published table.
    Paper: Goldberger & Tassa 2010 (reference 13 of NSVDist), started from Mondrian as in NSVDist §4.2, footnote 1.
    """

    name: ClassVar[str] = "sequential"
    reading: ClassVar[str] = NONE_LEFT_OUT

    publish: Publish = Publish.INTERVALS
    weights: Mapping[str, float] = field(default_factory=dict)
    passes: int = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        require_weights(self.weights)
        require_passes(self.passes)
        if self.closeness is not None or self.criteria:
            raise ParameterError(
                "sequential knows k and diversity only; for closeness or further criteria there are mondrian and "
                "optimal-lattice."
            )

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Cut, move, and show the closure of each class."""
        del ledger, coins  # not needed: nothing is drawn
        judge = judge_of(self, table)
        self._require_an_end(len(table.counts))
        progress("cutting", 0.0)
        cells = Cells.of(table, self.publish, self.weights)
        first, _ = single_classes(cells, judge)
        attributes, weights = table.quasi_identifiers, checked_weights(self.weights, table)
        is_interval = intervals_among(attributes, self.publish)
        progress("moving records", 0.5)
        partition, passes = self._improved(table, first, is_interval, weights)
        leaves = np.stack([table.counts.column(a.name)[partition.source].astype(np.int32) for a in attributes])
        order = np.argsort(partition.label, kind="stable")
        starts = np.searchsorted(partition.label[order], np.arange(partition.groups))
        low = np.minimum.reduceat(leaves[:, order], starts, axis=1)
        high = np.maximum.reduceat(leaves[:, order], starts, axis=1)
        low, high = lifted(attributes, is_interval, low, high)
        lost = loss_metric(attributes, is_interval, weights, low, high)
        loss = float((lost * partition.totals).sum() / table.total)
        shown = shown_closures(attributes, is_interval, low, high)
        return Outcome.local(
            table, partition, shown, losses={"loss": loss}, search={"classes": partition.groups, "passes": passes}
        )

    def _require_an_end(self, records: int) -> None:
        """Refuse what would take too long: a pass asks more classes about more records."""
        most = int(_WORK / max(records, 1) ** 2)
        if self.passes > most:
            raise ParameterError(
                f"sequential would try {records:,} different records {self.passes} times, which takes too long; set "
                f"passes = {most} or less, or take local-recoding or mondrian."
            )

    def _improved(
        self, table: EncodedTable, first: Partition, is_interval: Mask, weights: Floats
    ) -> tuple[Partition, int]:
        """The partition after all moves, record by record, equal records put together again."""
        from shoal.methods.nsvdist.space import Prices
        from shoal.methods.rivals.sequential_kernel import improve

        counts, attributes = table.counts, table.quasi_identifiers
        record = np.repeat(first.source, first.sizes)
        label = np.repeat(first.label, first.sizes)
        leaf = np.empty((len(record), len(attributes)), dtype=np.int32)
        for column, attribute in enumerate(attributes):
            leaf[:, column] = counts.column(attribute.name)[record]
        asked = table.sensitive if self.diversity is not None else ()
        value = np.zeros((len(asked), len(record)), dtype=np.int32)
        for i, attribute in enumerate(asked):
            value[i] = counts.column(attribute.name)[record]
        prices = Prices.loss_metric(attributes, is_interval, weights)
        spans = np.array([max(a.domain.size - 1, 1) for a in attributes])
        diversity = 1.0 if self.diversity is None else float(plain(self.diversity))
        passes = improve(
            leaf, value, prices.trees, prices.unit / spans, label, first.groups, self.k, diversity, self.passes
        )
        return _together(record, label, first.groups), passes


def _together(record: Keys, label: Keys, groups: int) -> Partition:
    """Records of one kind in one class as one part; classes without records are left out."""
    keys = record * groups + label
    parts, sizes = np.unique(keys, return_counts=True)
    source, of_class = np.divmod(parts, groups)
    compacted, _ = grouping.compact(of_class, groups)
    return Partition(source, compacted, sizes)
