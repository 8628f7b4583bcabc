"""PAIS, privacy-aware information sharing: LKC-privacy for tables with many columns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.arrays import Sizes
from shoal.criteria import Criterion, LKCPrivacy
from shoal.data.outcome import Outcome
from shoal.data.schema import Role
from shoal.errors import InfeasibleError, ParameterError, SchemaError, listed, nearest
from shoal.methods.base import NONE_LEFT_OUT, Publishes
from shoal.methods.parts.class_request import ClassRequest
from shoal.methods.top_down.specializing import (
    is_kept,
    published,
    require_classes,
    require_start,
    start,
    with_target,
)
from shoal.parameters import Count, read_parameters
from shoal.progress import Progress, silent
from shoal.search.top_down.candidates import CutCandidates, by_balance, by_information
from shoal.search.top_down.column_subsets import FewColumns

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.encoded import EncodedTable
    from shoal.data.schema import Schema
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger
    from shoal.search.top_down.cut import GrowingCut


class Utility(Enum):
    """What a specialization is chosen for."""

    INFO_GAIN = "info-gain"
    """What it tells about the target, for what it costs in anonymity."""
    DISCERNIBILITY = "discernibility"
    """How many more records can be told apart."""


@dataclass(frozen=True, kw_only=True)
class PAIS(Publishes):
    """Start with every quasi-identifier hidden, and reveal what is worth most while LKC-privacy lasts.

    k-anonymity on many columns hides nearly everything, for it protects against somebody who knows all of them. Here
    whoever knows at most `length` of them, whichever they are, still finds k records that fit, and cannot infer a
    sensitive value with more than `confidence`. No record is left out. Where persons are told apart, k and `confidence`
    count them; a step that breaks `confidence` is then not tried again.

    Guarantee: LKC-privacy, verified on the published table.
    Paper: Mohammed, Fung, Hung & Lee 2009; 2010.

    Attributes:
        length: L, how many quasi-identifiers somebody may know of a person.
        k: K, how many records fit at least whatever is known.
        confidence: C, the largest share of a sensitive value among them, above 0; 1 asks for nothing.
        sensitive_values: The sensitive values that nobody may infer, such as `["HIV"]`; all of them if none is named.
        utility: What a step is worth: information about the target, or fewer records that look alike.
        target: The column to be predicted; published as it is. Needed for information gain only.

    Example:
        >>> import pyarrow as pa, shoal
        >>> table = pa.table({"age": [21, 23, 28, 52, 55, 57], "buys": ["no", "no", "no", "yes", "yes", "no"]})
        >>> schema = (
        ...     shoal.Schema()
        ...     .with_column("age", role="quasi-identifier", domain=(0, 99))
        ...     .with_column("buys", role="sensitive")
        ... )
        >>> release = shoal.PAIS(length=1, k=2, target="buys").anonymize(table, schema)
        >>> sorted(set(release.data["age"].to_pylist()))
        ['0-39', '40-99']
    """

    name: ClassVar[str] = "pais"
    reading: ClassVar[str] = NONE_LEFT_OUT
    counts_persons: ClassVar[bool] = True

    length: Count = 4
    k: Count = 5
    confidence: float = 1.0
    sensitive_values: tuple[str, ...] = ()
    utility: Utility = Utility.INFO_GAIN
    target: str | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        if not 0 < self.confidence <= 1:
            raise ParameterError(f"confidence is a share above 0 and at most 1; got {self.confidence!r}.")
        if (self.utility is Utility.INFO_GAIN) != (self.target is not None):
            raise ParameterError(
                "information gain needs a target, the column to be predicted; discernibility has none. Give a target, "
                "or set utility to discernibility."
            )
        if self.sensitive_values and self.confidence == 1:
            raise ParameterError(
                "sensitive_values are protected by a confidence below 1; set confidence, or leave them out."
            )

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers, sensitive columns, and the target."""
        counted = ClassRequest().counted(schema)
        if self.confidence < 1 and not schema.names(Role.SENSITIVE):
            raise SchemaError(
                "confidence protects sensitive columns, and no column has this role; "
                "give the role 'sensitive' to what nobody may learn about a person."
            )
        return counted if self.target is None else with_target(counted, schema, self.target)

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """LKC-privacy, about each sensitive column that is to be protected."""
        return self._promises(table)

    def _promises(self, table: EncodedTable) -> tuple[LKCPrivacy, ...]:
        if self.confidence == 1:
            promised: tuple[LKCPrivacy, ...] = (LKCPrivacy(self.length, self.k, unit=table.unit),)
        else:
            named = {attribute.name: self._named(attribute) for attribute in table.sensitive}
            lost = sorted(set(self.sensitive_values).difference(*named.values()))
            if lost:
                labels = [label for a in table.sensitive for label in a.domain.labels(range(a.domain.size))]
                raise SchemaError(
                    f"{lost[0]!r} of sensitive_values is not a value of a sensitive column; sensitive columns: "
                    f"{listed(named)}.{nearest(lost[0], labels)}"
                )
            promised = tuple(
                LKCPrivacy(self.length, self.k, self.confidence, column, values, table.unit)
                for column, values in named.items()
                if values or not self.sensitive_values
            )
        for criterion in promised:
            criterion.check(table)
        return promised

    def _named(self, attribute: Attribute) -> tuple[str, ...]:
        """The values of a column that are named."""
        labels = attribute.domain.labels(range(attribute.domain.size)) if self.sensitive_values else []
        return tuple(value for value in self.sensitive_values if value in labels)

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
        if self.k > table.people:
            raise InfeasibleError(
                f"k = {self.k:,} is more than the table has {table.unit.plural}; lower k, or give a larger table."
            )
        criteria = self._promises(table)
        if self.target is not None:
            require_classes(table, self.target)
        cut = start(table, self.target)
        require_start(criteria, cut, table, self.target)
        candidates = CutCandidates(cut, by_balance if self.target is None else by_information)
        shown = [] if self.target is None or table[self.target].role is not Role.QUASI_IDENTIFIER else [self.target]
        guard = FewColumns(candidates, table, criteria, shown)
        steps = 0
        while (best := self._best(candidates)) is not None:
            column, value = best
            ways = candidates.of[column][value]
            keeps = guard.keeping(column, value)
            if keeps[ways.best] and table.persons is not None and self.confidence < 1:
                keeps[ways.best] = is_kept(criteria, cut, table, column, value, int(ways.at[ways.best]))
            candidates.strike(column, value, keeps)
            if keeps[ways.best]:
                candidates.specialize(column, value, int(ways.at[ways.best]))
                steps += 1
                progress("specializing", candidates.done)
        return published(cut, table, {"specializations": steps, "classes": cut.groups})

    def _best(self, candidates: CutCandidates) -> tuple[int, int] | None:
        """The value that is worth most; of equals the first of the first column. None if nothing is left."""
        found, most = None, -1.0
        for column, of_value in enumerate(candidates.of):
            worth = _alike(candidates.cut, column) if self.target is None else None
            for value, ways in enumerate(of_value):
                if not len(ways):
                    continue
                score = ways.worth[ways.best] / ways.records if worth is None else worth[value]
                if score > most:
                    found, most = (column, value), score
        return found


def _alike(cut: GrowingCut, column: int) -> Sizes:
    """What each value of a column contributes to the discernibility cost: its classes, squared."""
    alike = np.zeros(len(cut.axes[column]), dtype=np.int64)
    np.add.at(alike, cut.value_of_groups(column), cut.counts().sum(axis=1) ** 2)
    return alike
