"""NSVDist: every record masked by others of its own choice, the sensitive value as a distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.data.domain import Dates, Grid
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.schema import Role, Schema
from shoal.errors import ParameterError, SchemaError
from shoal.methods.base import Mode, Publishes
from shoal.methods.nsvdist.feasibility import require_diverse, require_feasible
from shoal.methods.nsvdist.hardened import hardened
from shoal.methods.nsvdist.published import as_published
from shoal.methods.nsvdist.sampling import sampled
from shoal.methods.nsvdist.settings import Measure, Output, Ties
from shoal.methods.parts.cells import require_weights
from shoal.methods.parts.closures import (
    intervals_among,
    loss_metric,
    marginal_counts,
    shown_closures,
    shown_distributions,
)
from shoal.methods.parts.declared import require_quasi_identifiers
from shoal.methods.parts.publish import Publish
from shoal.parameters import Count, Diversity, exact, read_parameters
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import Basis, Guarantee
from shoal.quality.base import checked_weights

if TYPE_CHECKING:
    from shoal.criteria import Criterion
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger
    from shoal.methods.nsvdist.greedy import Masked

MOST_NUMBERS = 100
"""A sensitive column of numbers may have so many values; with more, different values need not differ in meaning."""


@dataclass(frozen=True, kw_only=True)
class NSVDist(Publishes):
    """Publish each record as the closure of k records, and the distribution of sensitive values instead of its own.

    As published: Algorithm 1 picks for each record the k − 1 others that make its closure smallest, such that no
    sensitive value has more than 1/diversity of the k. Sets overlap as they like, and that can disclose (theory NS-1);
    the certificate says what an attacker who knows all quasi-identifiers would learn (`shoal.audit.audit_overlap`).
    Rigorous (the default): Mondrian makes clusters in which no value has more than 1/diversity; in each, records stand
    in a ring, each masked by itself and the k − 1 that follow, and all show the distribution of the whole cluster.

    Attributes:
        k: The records of a set.
        diversity: ℓ: no sensitive value has more than the share 1/ℓ; any number from 1 up, for every sensitive column.
        mode: `rigorous`, whose promise is proved, or `as_published`, which follows the paper, for comparison with it.
        output: `distribution` writes distributions as JSON; `columns` as one column for each sensitive value; `records`
            draws one concrete record from each, with the exact frequencies of the original, for learners (§5.1).
        publish: `intervals` shows numbers and days as intervals and other columns as nodes of their hierarchies;
            `nodes` shows nodes everywhere.
        measure: What Algorithm 1 makes small: `loss` (LM, Eq. 2) or `entropy` (which looks at every record for every
            pick: much slower).
        ties: Among equally good records Algorithm 1 takes the `first`, or the one that is `least-used` so far.
        weights: How much each quasi-identifier counts, 1 where none is given.
        cluster_size: A larger table is first cut into clusters of about so many records (§4.3).

    Guarantee: rigorous: k rows for each person, posterior of a sensitive value at most 1/ℓ in the random-worlds model;
        of `records` the latter alone, for how many drawn rows fit a person is left to chance. As published: each row
        covers k records and is ℓ-diverse, or is drawn from such a set; nothing follows about persons. Neither is
        differentially private.
    Paper: NSVDist §3 and §4, Algorithms 1 and 2; rigorous variant: theory 6d, `docs/proofs/nsvdist.md`.
    """

    name: ClassVar[str] = "nsvdist"
    reading: ClassVar[str] = (
        "Every record stands for itself and others like it: its values cover all of them, and its sensitive value is a "
        "distribution, or drawn from one."
    )

    k: Count = 5
    diversity: Diversity
    mode: Mode = Mode.RIGOROUS
    output: Output = Output.DISTRIBUTION
    publish: Publish = Publish.INTERVALS
    measure: Measure = Measure.LOSS
    ties: Ties = Ties.FIRST
    weights: Mapping[str, float] = field(default_factory=dict)
    cluster_size: int = 100_000

    def __post_init__(self) -> None:
        read_parameters(self)
        require_weights(self.weights)
        if self.cluster_size < 2 * self.k:
            raise ParameterError(f"cluster_size must be a whole number, 2k or more; got {self.cluster_size!r}.")
        if self.mode is Mode.RIGOROUS and (self.measure is not Measure.LOSS or self.ties is not Ties.FIRST):
            raise ParameterError(
                "measure and ties belong to Algorithm 1, which the rigorous mode does not use; set mode to "
                "as_published, or remove them."
            )

    @property
    def tosses_coins(self) -> bool:
        """Only concrete records are drawn."""
        return self.output is Output.RECORDS

    @property
    def needs_overlap_audit(self) -> bool:
        """The published closures overlap and solve each other (theory NS-1); concrete records do not show them."""
        return self.mode is Mode.AS_PUBLISHED and self.output is not Output.RECORDS

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers and sensitive columns; at least one of each."""
        require_quasi_identifiers(schema)
        sensitive = schema.names(Role.SENSITIVE)
        if not sensitive:
            raise SchemaError(
                f"{self.name} publishes the distribution of a sensitive column, and no column has this role; give the "
                "role 'sensitive' to what nobody may learn about a person."
            )
        for column in schema.columns:
            if column.role is Role.SENSITIVE and isinstance(column.domain, Grid | Dates):
                _require_bins(column.name, column.domain.size)
        return schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """Nothing that the published table alone could show: who is in a set cannot be seen from it."""
        del table
        return ()

    def guarantees(self, outcome: Outcome) -> tuple[Guarantee, ...]:
        """What is promised, on what basis."""
        k, diversity, is_rigorous = self.k, exact(self.diversity), self.mode is Mode.RIGOROUS
        if self.output is not Output.RECORDS:
            if is_rigorous:
                return (Guarantee(statements.nsvdist_hardened(k, diversity), Basis.PROVED, _RIGOROUS),)
            covers = (_COVERS, _PUBLISHED)
            return (Guarantee(statements.nsvdist_published(k, diversity), Basis.CLAIMED, covers),)
        names = ", ".join(attribute.name for attribute in outcome.table.quasi_identifiers)
        drawn = f"values were drawn by their exact frequencies in the original, which tells those of {names}"
        if is_rigorous:
            statement = statements.nsvdist_hardened_records(diversity)
            return (Guarantee(statement, Basis.PROVED, (*_RIGOROUS, drawn)),)
        statement = statements.nsvdist_published_records(k, diversity)
        return (Guarantee(statement, Basis.CLAIMED, (_DRAWN, _PUBLISHED, drawn)),)

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Find sets, and publish their closures."""
        del ledger  # not needed: nothing is paid for
        diversity = exact(self.diversity)
        if self.mode is Mode.RIGOROUS:
            require_diverse(table, self.k, diversity)
        else:
            require_feasible(table, self.k, diversity)
        for attribute in table.sensitive:
            if isinstance(attribute.domain, Grid | Dates):
                _require_bins(attribute.name, attribute.domain.size)
        weights = checked_weights(self.weights, table)
        is_interval = intervals_among(table.quasi_identifiers, self.publish)
        if self.mode is Mode.RIGOROUS:
            masked, search = hardened(table, self.k, diversity, is_interval, weights, self.publish)
        else:
            masked, search = as_published(self, table, is_interval, weights, progress)
        return self._outcome(table, masked, search, coins)

    def _outcome(self, table: EncodedTable, masked: Masked, search: dict[str, object], coins: Coins | None) -> Outcome:
        """Closures in the order of the distinct records they mask."""
        order = np.argsort(masked.source, kind="stable")
        partition = Partition(masked.source[order], np.arange(len(order)), masked.sizes[order])
        low, high = masked.low[:, order], masked.high[:, order]
        attributes, weights = table.quasi_identifiers, checked_weights(self.weights, table)
        is_interval = intervals_among(attributes, self.publish)
        shown = shown_closures(attributes, is_interval, low, high)
        counts, sets = masked.counts.astype(np.int64), masked.sets[order]
        lost = loss_metric(attributes, is_interval, weights, low, high)
        losses = {"loss": float((lost * partition.sizes).sum() / max(table.total, 1))}
        if self.output is Output.RECORDS:
            assert coins is not None, "whoever draws records needs coins"
            return sampled(table, partition, shown, counts, sets, coins, losses=losses, search=search)
        joint, combinations = table.counts.group([attribute.name for attribute in table.sensitive])
        for attribute in table.sensitive:
            value = np.zeros(combinations, dtype=np.int64)
            value[joint] = table.counts.column(attribute.name)
            distributions, entry = shown_distributions(
                marginal_counts(counts, value, attribute.domain.size),
                is_reduced=self.mode is Mode.RIGOROUS,
                as_columns=self.output is Output.COLUMNS,
            )
            shown[attribute.name] = (distributions, entry[sets])
        outcome = Outcome.local(table, partition, shown, losses=losses, search=search)
        return replace(outcome, classes=None, suppressed=None)  # a set of records is not a class of records


_RIGOROUS = (
    "the quasi-identifiers are all that others may know about a person",
    "one record for each person",
    "whoever looks holds all assignments of a cluster's sensitive values to its members for equally likely",
    "it is a property of this table alone, not differential privacy: further releases about the same people add up",
)
_COVERS = (
    "each published record covers k records of the original whose sensitive values have the published distribution"
)
_DRAWN = "each published record was drawn from k records of the original, and need not fit any of them"
_PUBLISHED = (
    "others know the quasi-identifiers of one person only: who knows them of all can combine records (theory NS-1)"
)


def _require_bins(name: str, size: int) -> None:
    if size > MOST_NUMBERS:
        raise SchemaError(
            f"column {name!r} is sensitive and numeric with {size:,} possible values, and diversity would take 50,000 "
            f"and 50,001 for different; put its values into at most {MOST_NUMBERS} bins, such as '0-9,999', and "
            "declare those."
        )
