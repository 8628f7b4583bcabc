"""Microaggregation-DP: centers of clusters that one record hardly changes, with noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.cluster.centers import Center, histograms, lost_share, step_sums
from shoal.cluster.insensitive import cluster_sizes, insensitive_clusters
from shoal.cluster.orders import CornerKeys, References
from shoal.cluster.showing import shown_centers
from shoal.cluster.space import Axis, CategoryAxis, NumberAxis, Space
from shoal.criteria import Criterion, KAnonymity
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.schema import Schema
from shoal.dp.accounting.budget_range import require_delta, require_epsilon
from shoal.dp.accounting.concentrated import largest_rho
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import Coins, secure_coins
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import InfeasibleError, ParameterError, SchemaError, listed, nearest
from shoal.methods.base import Mode, Publishes
from shoal.methods.microaggregation import noise
from shoal.methods.microaggregation.advice import advised_k
from shoal.methods.parts.declared import declared_columns
from shoal.parameters import Count, Number, exact, read_parameters
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import PUBLIC, Basis, Guarantee

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

_DIGITS = 3
"""Digits of a noisy number behind those of its domain."""


class Automatic(Enum):
    """What stands where a number is chosen from what is public."""

    AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class MicroaggregationDP(Publishes):
    """Publish the centers of clusters of k records, with noise that hides any one record.

    Clusters are formed along orders of the declared domain, so that replacing one record replaces one record in each of
    them at most. Rigorous (the default): ε is divided among the columns, sums get integer noise that is just wide
    enough, categories are chosen by permute-and-flip. As published: each column has the whole ε, and the paper's noise.

    Attributes:
        epsilon: The whole budget ε; as published, the ε of each column.
        delta: With a δ above 0, Gaussian noise and (ε, δ)-DP.
        k: Records in a cluster, or "auto": chosen from the number of records and columns, and ε.
        weights: How much of ε a column gets, in comparison with the others, which get 1 each.
        references: From which corners of the domain clusters are formed (docs/methods/microaggregation-dp.md).
        smooth: Put noisy centers of a single column of numbers into their order again, and draw those of several
            columns towards their mean where noise outweighs their spread: either costs nothing.
        mode: `rigorous`, whose promise is proved, or `as_published`, which follows the paper, for comparison with it.
        columns: How many columns are published; needed as published, because the release costs that many times ε.

    Guarantee: ε-DP, or (ε, δ)-DP, under replace-one-record with a public number of records; as published (m ε)-DP.
    Paper: Microaggregation-DP §3 and §4, Algorithms 2 to 4; rigorous variant: theory 5b/5d;
        `docs/proofs/microaggregation.md`.
    """

    name: ClassVar[str] = "microaggregation-dp"
    reading: ClassVar[str] = (
        "The records are not those of people: each is the center of a group of similar records, with random noise, and "
        "stands there once for every record of its group, in no particular order."
    )
    clamps: ClassVar[bool] = True
    """Numbers outside of their domain are moved to its nearest end, before anything is computed from them."""

    epsilon: Number
    delta: Number = 0.0
    k: Count | Automatic = Automatic.AUTO
    weights: Mapping[str, float] = field(default_factory=dict)
    references: References = References.CORNERS
    smooth: bool = True
    mode: Mode = Mode.RIGOROUS
    columns: int | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_epsilon(self.epsilon)
        require_delta(self.delta, or_zero=True)
        for name, weight in self.weights.items():
            if not exact(weight, f"the weight of {name!r}") > 0:
                raise ParameterError(f"the weight of {name!r} must be above 0; got {weight!r}.")
        if self.mode is Mode.AS_PUBLISHED:
            self._check_as_published()

    def _check_as_published(self) -> None:
        if exact(self.delta) or self.weights:
            raise ParameterError(
                "the published method has no delta and no weights: every column gets noise for the whole epsilon."
            )
        if self.columns is None or self.columns < 1:
            raise ParameterError(
                "as published every column spends epsilon; say how many are published, such as columns = 4, so that it "
                "is known what the release costs."
            )

    # Budget: public, known before a row is read.

    @property
    def cost(self) -> PrivacyCost:
        """What a release costs."""
        columns = self.columns or 1 if self.mode is Mode.AS_PUBLISHED else 1
        return PrivacyCost(columns * exact(self.epsilon), exact(self.delta), Neighbors.REPLACE)

    def for_several(self, records: int) -> Self:
        """Not at all: the number of records would not be public, only that of persons is."""
        raise SchemaError(
            f"{self.name} takes one record of each person, because the number of persons is public and not that of "
            f"their records; write max_records = 1 in [data] instead of {records:,}, or leave it out."
        )

    @cached_property
    def rho(self) -> Fraction:
        """What ε and δ are worth in zCDP."""
        return largest_rho(self.cost).rho

    def shares(self, names: list[str]) -> dict[str, Fraction]:
        """The share of the budget of each column."""
        weights = {name: exact(self.weights.get(name, 1)) for name in names}
        return {name: weight / sum(weights.values()) for name, weight in weights.items()}

    def guarantees(self, outcome: Outcome | None = None) -> tuple[Guarantee, ...]:
        """What is promised, on what basis."""
        del outcome  # all of it follows from the parameters
        if self.mode is Mode.AS_PUBLISHED:
            statement = statements.microaggregation_published(self.columns or 1, exact(self.epsilon))
        else:
            statement = statements.microaggregation_rigorous(self.cost)
        return (Guarantee(statement, Basis.PROVED, _ASSUMPTIONS, Neighbors.REPLACE, cost=self.cost),)

    def facts(self) -> dict[str, Any]:
        """Nothing beyond the parameters."""
        return {}

    # The table

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """All published columns; their domains must be declared."""
        counted = declared_columns(schema, self.name)
        strange = [name for name in self.weights if name not in counted]
        if strange:
            raise SchemaError(
                f"a weight is given for {strange[0]!r}, which is not published.{nearest(strange[0], counted)}"
            )
        if self.mode is Mode.AS_PUBLISHED and self.columns != len(counted):
            raise SchemaError(
                f"columns = {self.columns} is said, and {len(counted)} are published: {listed(counted, 12)}."
            )
        return counted

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """Every cluster is published as k or more equal records; that can be checked on the release."""
        return (KAnonymity(self.cluster_size(table)),)

    def cluster_size(self, table: EncodedTable) -> int:
        """k, from the public number of records if it is not given."""
        if not isinstance(self.k, Automatic):
            return self.k
        return self.cluster_size_for(table.total, len(Space.of(table.attributes).wide))

    def cluster_size_for(self, records: int, columns: int) -> int:
        """How many records a cluster has, of so many records and columns."""
        if not isinstance(self.k, Automatic):
            return self.k
        rho = float(self.rho) if self.cost.delta else None
        return advised_k(max(records, 1), max(1, columns), float(self.cost.epsilon), rho)

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Cluster, and publish noisy centers, in no order and without a trace of whose they are.

        `table` must have every column as a quasi-identifier: `table.all_quasi_identifiers()`.
        """
        partition, at = self.clustered(table, coins, ledger, progress)
        shown = {a.name: shown_centers(a, center, _DIGITS) for a, center in zip(table.attributes, at, strict=True)}
        published = Counts.of(
            table.counts.names,
            [entry for _, entry in shown.values()],
            [len(entries) for entries, _ in shown.values()],
            cluster_sizes(table.total, self.cluster_size(table)),
        )
        return Outcome(
            table=table,
            published=published,
            shown={name: entries for name, (entries, _) in shown.items()},
            losses={"information loss": lost_share(Space.of(table.attributes), table.counts.codes, partition, at)},
            search={
                "k": self.cluster_size(table),
                "clusters": partition.groups,
                "numbers moved into their domain": sum(table.clamped.values()),
            },
        )

    def nothing(self, table: EncodedTable) -> Outcome:
        """No records: only a run that fails publishes nothing, since the number of records is public."""
        none = np.zeros(0)
        shown = {a.name: shown_centers(a, none, _DIGITS)[0] for a in table.attributes}
        published = Counts.empty(table.counts.names, [1] * len(shown))
        return Outcome(table=table, published=published, shown=shown)

    @property
    def needs(self) -> str:
        """What it takes for clusters to be published."""
        return "It takes at least one cluster of k records."

    def clustered(
        self, table: EncodedTable, coins: Coins, ledger: Ledger, progress: Progress = silent
    ) -> tuple[Partition, list[Center]]:
        """The clusters, which only the owner may see, and their noisy centers, column by column."""
        k = self.cluster_size(table)
        if table.total == 0:  # no secret: the number of records is public
            raise InfeasibleError("the table has no records; give one with at least one.")
        if table.total < k:
            raise InfeasibleError(f"k = {k:,} is more than the table has records; lower k, or give a larger table.")
        space = Space.of(table.attributes)
        clusters = self.public_clusters(space, cluster_sizes(table.total, k))
        _Columns(self, space, table, _NO_CLUSTERS, clusters, k).rehearsed()
        if ledger.remaining is not None:
            Ledger(ledger.remaining).charge(self.cost, self.name)  # refused here, a release leaves no trace
            ledger.open()
        progress("clustering", 0.0)
        partition = insensitive_clusters(space, table.counts.codes, table.counts.sizes, k, self.references)
        progress("drawing noise", 0.5)
        return partition, _Columns(self, space, table, partition, clusters, k).drawn(coins, ledger)

    def public_clusters(self, space: Space, sizes: Sizes) -> noise.Clusters:
        """What is public about clusters of these sizes: what one record can change in them."""
        wide = [space.axes[i] for i in space.wide]
        in_one_order = self.references is References.ONE or len(wide) == 1
        changed = min(len(sizes), space.points - 1) if in_one_order else len(sizes)
        along_one = len(wide) == 1 and (len(space.axes) == 1 or isinstance(wide[0], NumberAxis))
        return noise.Clusters(sizes=sizes, changed=changed, is_sorted=along_one)


_NO_CLUSTERS = Partition.whole(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of one table on their way to noisy centers."""

    method: MicroaggregationDP
    space: Space
    table: EncodedTable
    partition: Partition
    clusters: noise.Clusters
    k: int

    def drawn(self, coins: Coins, ledger: Ledger) -> list[Center]:
        """The noisy centers of every column; a column of one value is public and costs nothing."""
        method = self.method
        shares = method.shares([self.space.axes[i].name for i in self.space.wide])
        if method.cost.delta and shares:
            ledger.charge(method.cost, "centers of all columns")
        found: list[Center] = []
        for axis, codes in zip(self.space.axes, self.table.counts.codes, strict=True):
            if axis.name not in shares:
                found.append(np.zeros(len(self.clusters.sizes)))
            elif isinstance(axis, NumberAxis):
                sums = step_sums(axis, codes, self.partition, axis.middle)
                noisy = self._sums(axis, sums, shares[axis.name], coins, ledger)
                found.append(self._numbers(noisy, axis, shares[axis.name]))
            else:
                marginality = axis.taxonomy.marginality(histograms(axis, codes, self.partition))
                found.append(self._nodes(axis, marginality, shares[axis.name], coins, ledger))
        return found

    def rehearsed(self) -> None:
        """Draw for no cluster at all, at nobody's expense: what cannot be drawn is refused before anything is paid."""
        coins, ledger = secure_coins(), Ledger(limit=self.method.cost)
        shares = self.method.shares([self.space.axes[i].name for i in self.space.wide])
        for axis in self.space.axes:
            if axis.name not in shares:
                continue
            if isinstance(axis, NumberAxis):
                self._sums(axis, np.zeros(0, dtype=np.int64), shares[axis.name], coins, ledger)
            else:
                nodes = np.zeros((0, axis.taxonomy.nodes), dtype=np.int64)
                self._nodes(axis, nodes, shares[axis.name], coins, ledger)

    def _sums(self, axis: NumberAxis, sums: Sizes, share: Fraction, coins: Coins, ledger: Ledger) -> Sizes:
        method, epsilon = self.method, exact(self.method.epsilon)
        if method.mode is Mode.AS_PUBLISHED:
            return noise.published_sums(sums, axis, self.clusters, self.k, epsilon, coins, ledger)
        if method.cost.delta:
            return noise.gaussian_sums(sums, axis, self.clusters, share * method.rho, coins)
        return noise.laplace_sums(sums, axis, self.clusters, share * epsilon, coins, ledger)

    def _nodes(self, axis: CategoryAxis, marginality: Sizes, share: Fraction, coins: Coins, ledger: Ledger) -> Center:
        method, epsilon = self.method, exact(self.method.epsilon)
        if method.mode is Mode.AS_PUBLISHED:  # n/k clusters, and the true diameter: theory MA-6
            paid = Fraction(2 * axis.taxonomy.diameter * self.table.total, self.k)
            return noise.published_nodes(marginality, axis, paid, epsilon, coins, ledger)
        if method.cost.delta:
            return noise.concentrated_nodes(marginality, axis, self.clusters, share * method.rho, coins)
        width = self.clusters.score_range(axis, _along(axis))
        return noise.chosen_nodes(marginality, axis, width, share * epsilon, coins, ledger)

    def _numbers(self, sums: Sizes, axis: NumberAxis, share: Fraction) -> Floats:
        """Noisy means within the public bounds, in their order if they have one: from here on the data are not used."""
        method, means = self.method, sums / self.clusters.sizes
        if method.mode is Mode.RIGOROUS and method.smooth and self.clusters.is_sorted:
            means = noise.isotonic(means, self.clusters.sizes)
        elif method.mode is Mode.RIGOROUS and method.smooth:
            rho = method.rho if method.cost.delta else None
            variance = self.clusters.sum_variance(axis, share, exact(method.epsilon), rho)
            means = noise.shrunk(means, variance / self.clusters.sizes.astype(float) ** 2, axis.width)
        return np.clip(means, 0, axis.width)


def _along(axis: Axis) -> Keys:
    """The values of a column in the order along which its clusters are formed."""
    assert isinstance(axis, CategoryAxis)
    return np.argsort(CornerKeys(Space((axis,))).of((0,), [np.arange(axis.taxonomy.values)]), kind="stable")


_ASSUMPTIONS = (
    "one record for each person",
    "the number of records is public",
    f"domains, hierarchies and parameters {PUBLIC}",
    "nobody observes how long the computation takes",
)
