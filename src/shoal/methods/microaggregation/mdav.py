"""MDAV: records in clusters of at least k, each published as the center of its cluster."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from shoal.cluster.centers import centers, lost_share, standardized
from shoal.cluster.mdav import mdav_clusters
from shoal.cluster.showing import shown_centers
from shoal.cluster.space import CategoryAxis, Space
from shoal.criteria import Criterion, KAnonymity
from shoal.data.outcome import Outcome
from shoal.data.schema import Role, Schema
from shoal.errors import InfeasibleError, ParameterError
from shoal.methods.base import Publishes
from shoal.methods.parts.class_request import one_is_no_company
from shoal.methods.parts.declared import require_quasi_identifiers
from shoal.parameters import Count, read_parameters
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger


_EXACT_NUMBERS = 300_000
"""Distinct records of numbers and days alone that are clustered exactly if nothing is said."""

_EXACT_CATEGORIES = 50_000
"""The same if a column has categories."""

_MANY_COLUMNS = 20
"""Boxes of records in a space of more columns exclude next to nothing: then all are looked at."""

_WORK = 20_000_000_000
"""Differences that are looked at where all records are, about; if they would be more, blocks are smaller."""


class Scale(Enum):
    """What differences are divided by before those of different columns are added."""

    DEVIATION = "deviation"
    RANGE = "range"


@dataclass(frozen=True, kw_only=True)
class MDAV(Publishes):
    """Put similar records together, k or more, and publish the center of each cluster instead of its records.

    Numbers become the mean of their cluster, categories the value or generalization that is least far from all of them.
    No record is left out, nothing is generalized that is alike, and no hierarchy is needed for numbers. Where a person
    may have several records, clusters have k persons, and records with equal quasi-identifiers stay together.

    Attributes:
        k: How many records, or persons, share their quasi-identifiers, at least.
        scale: `deviation` divides differences by the standard deviation of their column, so that all columns count
            alike; `range` by the width of the declared domain, as the paper does.
        block_size: Up to so many distinct records the algorithm is followed exactly; of a larger table so many are
            looked at together, the outermost first, so that time grows with n and not with n². Left out: 300,000, or
            50,000 if a column has categories; fewer where very many records have very many columns.

    Guarantee: k-anonymity, verified on the published table. Not differential privacy (theory MA-1).
    Paper: Microaggregation-DP Algorithm 1 and Equation (8), after Domingo-Ferrer & Torra 2005.
    """

    name: ClassVar[str] = "mdav"
    counts_persons: ClassVar[bool] = True
    promises_k_anonymity: ClassVar[bool] = True
    reading: ClassVar[str] = (
        "Records were put together with similar ones, and each shows the center of its group: the mean of numbers, and "
        "of categories the value or generalization nearest to all of them."
    )

    k: Count = 5
    scale: Scale = Scale.DEVIATION
    block_size: int | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.block_size is not None and self.block_size < 2 * self.k:
            raise ParameterError(f"block_size must be a whole number, 2k or more; got {self.block_size!r}.")

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers and sensitive columns."""
        require_quasi_identifiers(schema)
        if self.k == 1:
            raise one_is_no_company()
        return schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """Every record shares its quasi-identifiers with those of k − 1 others."""
        return (KAnonymity(self.k, table.unit),)

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Cluster the distinct combinations of quasi-identifiers, and publish centers."""
        del ledger, coins  # not needed: nothing is drawn
        if self.k > table.people:
            raise InfeasibleError(
                f"k = {self.k:,} is more than the table has {table.unit.plural}; lower k, or give a larger table."
            )
        names = [attribute.name for attribute in table.quasi_identifiers]
        space, combinations = Space.of(table.quasi_identifiers), table.counts.project(names)
        if self.scale is Scale.DEVIATION:
            space = standardized(space, combinations.codes, combinations.sizes)
        block = self.block_size or _exact(space, len(combinations), self.k)
        combination, groups = table.counts.group(names)
        persons = None
        if table.persons is not None and not table.persons.is_one_each:
            persons = table.persons.merged(combination, groups)
        clusters = mdav_clusters(
            space,
            combinations.codes,
            combinations.sizes,
            self.k,
            block=block,
            persons=persons,
            progress=progress,
        )
        at = centers(space, combinations.codes, clusters)
        shown = {a.name: shown_centers(a, center) for a, center in zip(table.quasi_identifiers, at, strict=True)}
        return Outcome.local(
            table,
            clusters.of_records(combination, groups, table.counts.sizes),
            shown,
            losses={"information loss": lost_share(space, combinations.codes, clusters, at)},
            search={"clusters": clusters.groups, "exact": len(combinations) <= block},
        )


def _exact(space: Space, records: int, k: int) -> int:
    """How many distinct records can be clustered exactly in fair time."""
    if len(space.wide) <= _MANY_COLUMNS and not any(isinstance(space.axes[i], CategoryAxis) for i in space.wide):
        return _EXACT_NUMBERS
    fair = _WORK * k // max(records * len(space.wide), 1)
    return min(_EXACT_CATEGORIES, max(fair, 10 * k))
