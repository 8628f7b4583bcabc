"""Cell suppression: single cells are blanked until every record has company."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.schema import Role
from shoal.data.shown import Shown, TreeNodes
from shoal.errors import ParameterError
from shoal.methods.cell_suppression.patterns import blanked_classes, least_blanked
from shoal.methods.parts.cells import Cells, require_weights
from shoal.methods.parts.class_request import ClassRequest
from shoal.methods.parts.company import apart, completed
from shoal.methods.parts.judge import Judge, judge_of
from shoal.methods.parts.publish import Publish
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    from shoal.arrays import Codes
    from shoal.data.attribute import Attribute
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger


@dataclass(frozen=True, kw_only=True)
class CellSuppression(ClassRequest):
    """Publish values as they are, and blank single cells of records that would otherwise stand out.

    A blank counts as a value of its own: published records that look alike, blanks in the same places, are k or more.
    That is stricter than to let a blank stand for every value, as other tools do, and it can be checked from the
    published table alone. Nothing is generalized and no record is left out. Where a person may have several records,
    classes have k persons.

    Attributes:
        weights: How much a blank costs in each quasi-identifier, 1 where none is given: the larger, the fewer blanks.
        optimal: Whether no choice of cells may blank less: for small tables, and k alone.

    Guarantee: k-anonymity and the other criteria of the request, verified on the published table.
    Paper: Meyerson & Williams 2004 (optimal suppression is NP-hard); `docs/methods/cell-suppression.md`.

    Example:
        >>> import pyarrow as pa, shoal
        >>> table = pa.table({"sex": list("ffmmm"), "town": ["Ulm", "Ulm", "Bonn", "Bonn", "Ulm"]})
        >>> schema = shoal.Schema().with_column("sex", role="quasi-identifier")
        >>> schema = schema.with_column("town", role="quasi-identifier")
        >>> release = shoal.CellSuppression(k=2, optimal=True).anonymize(table, schema)
        >>> sorted(zip(*release.data.to_pydict().values()))
        [('*', 'Ulm'), ('*', 'Ulm'), ('*', 'Ulm'), ('m', 'Bonn'), ('m', 'Bonn')]
    """

    name: ClassVar[str] = "cell-suppression"
    counts_persons: ClassVar[bool] = True
    reading: ClassVar[str] = (
        "Values are as in the original, but for cells that were blanked, which are written as `*`: any value may have "
        "stood there."
    )

    weights: Mapping[str, float] = field(default_factory=dict)
    optimal: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_weights(self.weights)
        if self.optimal and (self.diversity is not None or self.closeness is not None or self.criteria):
            raise ParameterError(
                "optimal is for k alone; leave out diversity, closeness and criteria, or leave out optimal."
            )

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Find classes, and blank what their records do not agree in."""
        del ledger, coins  # not needed: nothing is drawn
        judge = judge_of(self, table)
        cells = Cells.of(_kept_or_blanked(table), Publish.NODES, self.weights)
        progress("blanking cells", 0.0)
        partition = self._classes(cells, judge)
        shown = cells.shown(partition)
        loss, bound = float(cells.loss(partition, shown)), float(cells.mean(least_blanked(cells, judge)))
        blanks = {name: _blanks(cells.table[name], *of, partition) for name, of in shown.items()}
        share = sum(blanks.values()) / max(table.total * len(blanks), 1)
        search: dict[str, object] = {"classes": partition.groups, "blanked cells": sum(blanks.values())}
        search |= {f"blanked in {name}": count for name, count in blanks.items()}
        search |= {"loss": loss, "no choice of cells loses less than": min(bound, loss)}
        return Outcome.local(
            table,
            partition,
            {name: _with_root(table[name].hierarchy, *of) for name, of in shown.items()},
            losses={"loss": loss, "blanked cells": share},
            search=search,
        )

    def _classes(self, cells: Cells, judge: Judge) -> Partition:
        if self.optimal:
            from shoal.methods.cell_suppression.optimal import fewest_blanks

            return fewest_blanks(cells, judge)
        label = completed(cells, judge, blanked_classes(cells, judge))
        return apart(cells, judge, Partition.whole(label, cells.table.counts.sizes))


def _kept_or_blanked(table: EncodedTable) -> EncodedTable:
    """The table with hierarchies that keep a value or hide it."""
    flat = {a.name: Hierarchy.flat(a.domain.size) for a in table.quasi_identifiers}
    attributes = (replace(a, tree=flat[a.name]) if a.role is Role.QUASI_IDENTIFIER else a for a in table.attributes)
    return replace(table, attributes=tuple(attributes))


def _blanks(attribute: Attribute, entries: Shown, of_class: Codes, partition: Partition) -> int:
    """How many records show nothing in a column."""
    assert isinstance(entries, TreeNodes)
    return int(partition.totals[(entries.nodes == attribute.hierarchy.root)[of_class]].sum())


def _with_root(hierarchy: Hierarchy, entries: Shown, of_class: Codes) -> tuple[Shown, Codes]:
    """The same entries, what is hidden named as in the hierarchy of the table."""
    assert isinstance(entries, TreeNodes)
    nodes = np.where(entries.nodes >= hierarchy.leaves, hierarchy.root, entries.nodes).astype(np.int32)
    return TreeNodes(nodes), of_class
