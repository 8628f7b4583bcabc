"""What a method decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Nodes
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.partition import Partition
from shoal.data.people.incidence import Incidence
from shoal.data.people.survey_weights import SurveyWeights
from shoal.data.recoding import FullDomain, Recoding
from shoal.data.schema import Role
from shoal.data.shown import Shown, TreeNodes
from shoal.kernels import grouping


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcome:
    """The records to be published, and, for the owner, how they came about.

    Attributes:
        table: The original, its columns in the roles in which they are published.
        published: The published records. In a column of `shown` codes number its entries, elsewhere they are leaves.
        shown: What the codes of recoded columns stand for.
        recoding: How values became codes, if one value alone decides it: then it can be applied to other records.
        classes: The classes of the original, suppressed ones among them; for the owner only. None where what is
            published are not nodes of hierarchies.
        suppressed: Which classes are not published; for the owner only.
        sources: Which records of the original became which published ones, where `recoding` cannot tell. It is needed
            to publish columns that are passed through beside them.
        persons: Who has which published records, where nothing else tells; for the owner only.
        is_made_up: Whether published records are drawn from counts, so that none stems from a record of the original.
        losses: Further measures of what was lost, by name; for the owner only.
        search: How the recoding was found; for the owner only.
    """

    table: EncodedTable
    published: Counts
    shown: Mapping[str, Shown]
    recoding: Recoding | None = None
    classes: Classes | None = None
    suppressed: Mask | None = None
    sources: Partition | None = None
    persons: Incidence | None = None
    is_made_up: bool = False
    losses: Mapping[str, float] = field(default_factory=dict)
    search: Mapping[str, object] = field(default_factory=dict)

    @staticmethod
    def recoded(
        table: EncodedTable,
        recoding: Recoding,
        published: Counts,
        *,
        classes: Classes | None = None,
        suppressed: Mask | None = None,
        search: Mapping[str, object] | None = None,
    ) -> Outcome:
        """What a recoding of single values makes of the quasi-identifiers of a table."""
        return Outcome(
            table=table,
            published=published,
            shown={a.name: recoding.lookup(a).shown for a in table.quasi_identifiers},
            recoding=recoding,
            classes=classes,
            suppressed=suppressed,
            search=search or {},
        )

    def published_persons(self) -> Incidence | None:
        """Who has which published records, if the original tells persons apart; for the owner only."""
        persons = self.table.persons
        if persons is None or self.persons is not None:
            return self.persons
        if self.sources is not None:
            parts = self.sources.persons(self.table)
            assert parts is not None
            return parts.merged(self.sources.label, len(self.published))
        became = self._published_rows()
        stays = became >= 0
        return persons.kept(stays).merged(became[stays], len(self.published))

    def published_rows(self) -> tuple[Keys, Keys] | None:
        """Which distinct records of the original became which published ones; None where nothing tells.

        A record may stand here several times, if it was divided over classes.
        """
        if self.sources is not None:
            return self.sources.source, self.sources.label
        is_perturbed = any(attribute.role is Role.PERTURBED for attribute in self.table.attributes)
        if self.recoding is None or is_perturbed or self.is_made_up:
            return None
        became = self._published_rows()
        stays = np.flatnonzero(became >= 0)
        return stays, became[stays]

    def published_weights(self) -> SurveyWeights | None:
        """For how many of the population published records stand; None where nothing tells. For the owner only.

        Equal records that are divided over classes share their weights evenly.
        """
        weights, persons = self.table.survey_weights, self.table.persons
        if weights is None or (became := self.published_rows()) is None:
            return None
        if self.sources is not None and persons is None:
            source, label = became
            shares = weights.of_record[source] * (self.sources.sizes / self.table.counts.sizes[source])
            whole = np.floor(shares).astype(np.int64)
            return SurveyWeights(grouping.totals(label, len(self.published), whole), None, weights.scale)
        label = self._published_rows()
        stays = label >= 0
        return weights.kept(stays, persons).merged(label[stays], len(self.published))

    def recoded_population(self) -> Counts | None:
        """The population of the table, recoded as the release is; None if there is none, or no recoding of values."""
        if self.table.population is None or self.recoding is None:
            return None
        lookups = {a.name: self.recoding.lookup(a) for a in self.table.quasi_identifiers}
        return self.table.population.recoded({name: (found.codes, found.size) for name, found in lookups.items()})

    def _published_rows(self) -> Keys:
        """Which published record a recoding makes of each distinct record of the original; -1 if none."""
        counts, published = self.table.counts, self.published
        assert self.recoding is not None
        lookups = {a.name: self.recoding.lookup(a) for a in self.table.quasi_identifiers}
        coarse = counts.recoded({name: (found.codes, found.size) for name, found in lookups.items()})
        both = [
            np.concatenate([published.column(name).astype(np.int64), coarse.column(name).astype(np.int64)])
            for name in published.names
        ]
        labels, groups = grouping.group(both, published.cardinalities, len(published) + len(counts))
        number = np.full(groups, -1, dtype=np.int64)
        number[labels[: len(published)]] = np.arange(len(published))
        return number[labels[len(published) :]]

    @staticmethod
    def of_nobody(table: EncodedTable) -> Outcome:
        """No records, in columns that hide everything: what is published of a table where nothing can be."""
        hidden = FullDomain({attribute.name: attribute.hierarchy.height for attribute in table.quasi_identifiers})
        widths = [hidden.lookup(attribute).size for attribute in table.attributes]
        return Outcome.recoded(table, hidden, Counts.empty(table.counts.names, widths))

    @staticmethod
    def local(
        table: EncodedTable,
        partition: Partition,
        shown: Mapping[str, tuple[Shown, Codes]],
        *,
        suppressed: Mask | None = None,
        losses: Mapping[str, float] | None = None,
        search: Mapping[str, object] | None = None,
    ) -> Outcome:
        """What is published of the classes of a partition.

        Args:
            table: The original.
            partition: The class of each part of its distinct records.
            shown: Per recoded column what is shown, and which entry of it each class gets.
            suppressed: Which classes are not published; none if not given.
            losses: Further measures of what was lost.
            search: How the classes were found.
        """
        left_out = np.zeros(partition.groups, dtype=np.bool_) if suppressed is None else suppressed
        kept = partition.kept(~left_out)
        codes = {name: (of_class, len(entries)) for name, (entries, of_class) in shown.items()}
        published, sources = kept.published(table, codes, suppressed=int(partition.totals[left_out].sum()))
        return Outcome(
            table=table,
            published=published,
            shown={name: entries for name, (entries, _) in shown.items()},
            classes=_classes(table, partition, shown),
            suppressed=left_out,
            sources=sources,
            losses=losses or {},
            search=search or {},
        )


def _classes(table: EncodedTable, partition: Partition, shown: Mapping[str, tuple[Shown, Codes]]) -> Classes | None:
    """The classes, if every quasi-identifier is shown as a node of its hierarchy."""
    nodes: list[Nodes] = []
    for attribute in table.quasi_identifiers:
        entries, of_class = shown.get(attribute.name, (None, None))
        if not isinstance(entries, TreeNodes) or of_class is None:
            return None
        nodes.append(entries.nodes[of_class])

    def row_nodes(attribute: int, parts: Keys) -> Nodes:
        found: Nodes = nodes[attribute][partition.label[parts]]
        return found

    return partition.classes(table, row_nodes)
