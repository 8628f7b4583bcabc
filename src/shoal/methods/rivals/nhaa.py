"""NHAA: non-homogeneous generalization in rings, with sensitive values exchanged along them at random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.schema import Role, Schema
from shoal.data.shown import TreeNodes
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.methods.base import Publishes
from shoal.methods.nsvdist.feasibility import require_diverse
from shoal.methods.nsvdist.hardened import diverse_clusters
from shoal.methods.parts.cells import require_weights
from shoal.methods.parts.closures import intervals_among, lifted, loss_metric, shown_closures
from shoal.methods.parts.declared import require_quasi_identifiers
from shoal.methods.parts.publish import Publish
from shoal.methods.parts.rings import Rings, curve, dealt_apart
from shoal.parameters import Diversity, exact, read_parameters
from shoal.progress import Progress, silent
from shoal.promises.guarantee import Basis, Guarantee
from shoal.quality.base import checked_weights

if TYPE_CHECKING:
    from shoal.criteria import Criterion
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger


@dataclass(frozen=True, kw_only=True)
class NHAA(Publishes):
    """Publish each record as the closure of ℓ records with ℓ different sensitive values, and the value of one of them.

    The table is cut into clusters in which no sensitive value has more than 1/ℓ. In each cluster records stand in a
    ring in which any ℓ neighbors have different values; a record is published as the closure of itself and the ℓ − 1
    that follow it, with the sensitive value of one of these ℓ: all records of a ring draw the same distance at random,
    so each value is published exactly once, and each of the ℓ is equally likely.

    Attributes:
        diversity: ℓ, here a whole number from 2 up: so many records stand behind each.
        publish: `intervals` shows numbers and days as intervals and other columns as nodes; `nodes` nodes everywhere.
        weights: How much each quasi-identifier counts, 1 where none is given.

    Guarantee: claimed by its paper: nobody links a person to a value with a probability above 1/ℓ. Not differentially
        private.
    Paper: Wong, Mamoulis & Cheung 2010 (reference 43 of NSVDist).
    """

    name: ClassVar[str] = "nhaa"
    reading: ClassVar[str] = (
        "Every record stands for itself and others like it: its values cover all of them, and its sensitive value is "
        "that of one of them."
    )

    diversity: Diversity = 2
    publish: Publish = Publish.INTERVALS
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_parameters(self)
        if (covered := exact(self.diversity)) < 2 or covered.denominator != 1:
            raise ParameterError(
                f"NHAA: diversity must be a whole number, 2 or more, for so many records stand behind each; got "
                f"{self.diversity!r}."
            )
        require_weights(self.weights)

    @property
    def tosses_coins(self) -> bool:
        """Sensitive values are exchanged at random."""
        return True

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers and the one sensitive column."""
        require_quasi_identifiers(schema)
        sensitive = schema.names(Role.SENSITIVE)
        if len(sensitive) != 1:
            raise SchemaError(
                f"{self.name} protects exactly one sensitive column, and {len(sensitive)} have this role; for several "
                "there is nsvdist."
            )
        return schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """Nothing that the published table alone could show."""
        del table
        return ()

    def guarantees(self, outcome: Outcome) -> tuple[Guarantee, ...]:
        """What the paper claims."""
        del outcome
        covered = int(exact(self.diversity))
        statement = (
            f"each record covers {covered} people with {covered} different sensitive values, and carries "
            f"the value of one of them at random; links to a value at most 1/{covered}; not differentially "
            "private"
        )
        return (Guarantee(statement, Basis.CLAIMED, _ASSUMPTIONS),)

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Cluster, put into rings, publish closures, exchange sensitive values."""
        del ledger  # not needed: nothing is paid for
        assert coins is not None, "whoever exchanges values needs coins"
        diversity, attributes = int(exact(self.diversity)), table.quasi_identifiers
        if diversity > table.total:
            raise InfeasibleError(
                f"diversity = {diversity:,} is more than the table has records; lower it, or give a larger table."
            )
        require_diverse(table, diversity, Fraction(diversity))
        weights, is_interval = checked_weights(self.weights, table), intervals_among(attributes, self.publish)
        clusters = diverse_clusters(table, diversity, Fraction(diversity), weights, self.publish)
        rings = _apart(table, clusters, weights, diversity)
        leaves = np.stack([table.counts.column(a.name).astype(np.int32) for a in attributes])
        low, high = lifted(attributes, is_interval, *rings.extremes(leaves[:, rings.record], diversity))
        distance = coins.randbelows(diversity, clusters.groups)
        size = np.diff(rings.starts)[rings.label]
        first = rings.starts[rings.label]
        giver = first + (np.arange(len(size)) - first + distance[rings.label]) % size
        progress("exchanging values", 1.0)
        shown = shown_closures(attributes, is_interval, low, high)
        (sensitive,) = table.sensitive
        every = TreeNodes(np.arange(sensitive.domain.size, dtype=np.int32))
        shown[sensitive.name] = (every, table.counts.column(sensitive.name)[rings.record[giver]])
        order = np.argsort(rings.record, kind="stable")
        partition = Partition(rings.record[order], np.arange(len(order)), np.ones(len(order), dtype=np.int64))
        loss = float(loss_metric(attributes, is_interval, weights, low, high).mean())
        outcome = Outcome.local(
            table,
            partition,
            {name: (entries, codes[order]) for name, (entries, codes) in shown.items()},
            losses={"loss": loss},
            search={"clusters": clusters.groups},
        )
        return replace(outcome, classes=None, suppressed=None)  # a set of records is not a class of records


_ASSUMPTIONS = (
    "the quasi-identifiers are all that others may know about a person",
    "one record for each person",
    "whoever looks does not know how records were put into rings",
    "it is a property of this table alone, not differential privacy: further releases about the same people add up",
)


def _apart(table: EncodedTable, clusters: Partition, weights: Floats, apart: int) -> Rings:
    """Rings in which any `apart` neighbors have different sensitive values, near each other as far as possible."""
    attributes = table.quasi_identifiers
    leaves = np.stack([table.counts.column(a.name).astype(np.int32) for a in attributes])
    spans = np.array([max(a.domain.size - 1, 1) for a in attributes])
    rings = Rings.of(clusters, curve(leaves * (weights / spans)[:, None]))
    return dealt_apart(rings, table.counts.column(table.sensitive[0].name).astype(np.int64), apart)
