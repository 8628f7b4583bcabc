"""TDS, top-down specialization: k-anonymous records that still tell classes apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.arrays import Sizes
from shoal.criteria import KAnonymity
from shoal.data.outcome import Outcome
from shoal.methods.base import NONE_LEFT_OUT
from shoal.methods.parts.class_request import ClassRequest
from shoal.methods.top_down.specializing import (
    is_kept,
    published,
    require_classes,
    require_start,
    start,
    with_target,
)
from shoal.progress import Progress, silent
from shoal.search.top_down.candidates import CutCandidates, by_information
from shoal.search.top_down.least_groups import least_groups
from shoal.search.top_down.scores import Places

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.data.schema import Schema
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger


@dataclass(frozen=True, kw_only=True)
class TDS(ClassRequest):
    """Start with every quasi-identifier hidden, and reveal step by step what tells most about the target.

    A step replaces one value by its children: those of its taxonomy, or both sides of a number or day, split where the
    gain is largest. Of the steps that leave k or more records in every class it takes the one with the largest
    InfoGain / (AnonyLoss + 1), until none is left. No record is left out. A step that breaks another criterion is not
    tried again. Where persons are told apart, anonymity is that of persons, and information that of records.

    Guarantee: k-anonymity and the other criteria of the request, verified on the published table.
    Paper: Fung, Wang & Yu 2007 (ICDE 2005).

    Attributes:
        target: The column to be predicted. It is published as it is; if it is a quasi-identifier, it is one of those
            that k records share.

    Example:
        >>> import pyarrow as pa, shoal
        >>> table = pa.table({"age": [21, 23, 28, 52, 55, 57], "buys": ["no", "no", "no", "yes", "yes", "no"]})
        >>> schema = (
        ...     shoal.Schema()
        ...     .with_column("age", role="quasi-identifier", domain=(0, 99))
        ...     .with_column("buys", role="sensitive")
        ... )
        >>> release = shoal.TDS(k=3, target="buys").anonymize(table, schema)
        >>> sorted(set(release.data["age"].to_pylist()))
        ['0-39', '40-99']
    """

    name: ClassVar[str] = "tds"
    reading: ClassVar[str] = NONE_LEFT_OUT
    counts_persons: ClassVar[bool] = True

    target: str

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers, sensitive columns, and the target."""
        return with_target(super().counted(schema), schema, self.target)

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Specialize until nothing admissible is left."""
        del ledger, coins  # not needed: nothing is drawn
        self.require_enough(table)
        criteria = self.promises(table)
        require_classes(table, self.target)
        cut = start(table, self.target)
        require_start(criteria, cut, table, self.target)
        k = max(criterion.k for criterion in criteria if isinstance(criterion, KAnonymity))
        others = [criterion for criterion in criteria if not isinstance(criterion, KAnonymity)]
        candidates = CutCandidates(cut, by_information)
        search = _Search(candidates, k)
        steps = 0
        while (best := search.best()) is not None:
            if others and not is_kept(others, cut, table, best.column, best.value, best.at):
                search.strike(best)
                continue
            search.take(best)
            steps += 1
            progress("specializing", candidates.done)
        return published(cut, table, {"specializations": steps, "classes": cut.groups})


@dataclass(frozen=True, slots=True)
class _Step:
    """A way to specialize a value: number `way` of its ways."""

    column: int
    value: int
    way: int
    at: int
    score: float


class _Search:
    """The admissible step with the largest score, asked again and again while the cut grows.

    What a value is worth is known from the start, and a loss of anonymity only lowers its score. So columns are looked
    at in the order of the best they could be, and the rest not at all once a better step is found.
    """

    def __init__(self, candidates: CutCandidates, k: int) -> None:
        self._candidates, self._k = candidates, k
        self._places = Places(candidates.cut)
        self._least: dict[int, list[Sizes]] = {}
        self._anonymity = candidates.cut.smallest()

    def best(self) -> _Step | None:
        """The step to take; of equals the first column, the first value, the lowest split. None if nothing is left."""
        found: _Step | None = None
        for hope, column in sorted((-self._hope(column), column) for column in range(len(self._candidates.of))):
            if hope > 0 or (found is not None and -hope < found.score):
                break
            step = self._best_of(column)
            if step is not None and (found is None or (step.score, -step.column) > (found.score, -found.column)):
                found = step
        return found

    def take(self, step: _Step) -> None:
        """Specialize."""
        self._candidates.specialize(step.column, step.value, step.at)
        self._least.clear()
        self._anonymity = self._candidates.cut.smallest()

    def strike(self, step: _Step) -> None:
        """It breaks a criterion, now and for good."""
        least = self._least[step.column]
        keep = np.arange(len(least[step.value])) != step.way
        least[step.value] = least[step.value][keep]
        self._candidates.strike(step.column, step.value, keep)

    def _hope(self, column: int) -> float:
        """The largest gain of a column; −1 if nothing is left."""
        candidates = [ways for ways in self._candidates.of[column] if len(ways)]
        return max((int(ways.worth[ways.best]) / ways.records for ways in candidates), default=-1.0)

    def _best_of(self, column: int) -> _Step | None:
        found: _Step | None = None
        for value, least in enumerate(self._looked_at(column)):
            ways = self._candidates.of[column][value]
            if not len(ways):
                continue
            way = ways.best
            lost = max(self._anonymity - int(least[way]), 0)
            score = int(ways.worth[way]) / (ways.records * (lost + 1))
            if found is None or score > found.score:
                found = _Step(column, value, way, int(ways.at[way]), score)
        return found

    def _looked_at(self, column: int) -> list[Sizes]:
        """The smallest group that each way of each value leaves; inadmissible ways are struck out."""
        if column not in self._least:
            found = least_groups(self._candidates, self._places, column)
            for value, least in enumerate(found):
                enough = least >= self._k
                self._candidates.strike(column, value, enough)
                found[value] = least[enough]
            self._least[column] = found
        return self._least[column]
