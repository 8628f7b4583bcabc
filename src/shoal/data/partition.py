"""Partitions: records put together in classes that no recoding of single values describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Sizes
from shoal.data.classes import Classes, RowNodes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.people.incidence import Incidence
from shoal.kernels import grouping


@dataclass(frozen=True, eq=False)
class Partition:
    """Which class, or which published record, each part of a distinct record belongs to.

    Attributes:
        source: The distinct record of a table that a part belongs to; ascending.
        label: Where the part goes, 0…G−1; every number occurs.
        sizes: How many records it has.
    """

    source: Keys
    label: Keys
    sizes: Sizes

    @staticmethod
    def whole(labels: Keys, sizes: Sizes) -> Partition:
        """No distinct record is divided."""
        return Partition(np.arange(len(labels)), labels, sizes)

    @cached_property
    def groups(self) -> int:
        """How many labels there are."""
        return int(self.label.max(initial=-1)) + 1

    @cached_property
    def totals(self) -> Sizes:
        """How many records each label has."""
        return grouping.totals(self.label, self.groups, self.sizes)

    def kept(self, labels: Mask) -> Partition:
        """The parts with some labels, which keep their numbers."""
        stays = labels[self.label]
        return Partition(self.source[stays], self.label[stays], self.sizes[stays])

    def of_records(self, combination: Keys, combinations: int, sizes: Sizes) -> Partition:
        """The classes of combinations of some columns as classes of the distinct records that have them, in order.

        Both divide the same line of records: one at the ends of distinct records, the other where classes begin.

        Args:
            combination: The combination of each distinct record.
            combinations: How many there are; this partition divides them.
            sizes: How many records each distinct record stands for.
        """
        assert combinations == int(self.source.max()) + 1
        order = np.argsort(combination, kind="stable")
        ends, cuts = np.cumsum(sizes[order]), np.cumsum(self.sizes)
        stops = np.union1d(ends, cuts)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), stops[:-1]])
        record = order[np.searchsorted(ends, starts, side="right")]
        label = self.label[np.searchsorted(cuts, starts, side="right")]
        placed = np.argsort(record, kind="stable")
        return Partition(record[placed], label[placed], (stops - starts)[placed])

    def divided(self, table: EncodedTable) -> EncodedTable:
        """The table with one row for each part."""
        counts = table.counts
        codes = tuple(column[self.source] for column in counts.codes)
        parts = Counts(counts.names, codes, counts.cardinalities, self.sizes)
        return EncodedTable(table.attributes, parts, persons=self.persons(table), unit=table.unit)

    def persons(self, table: EncodedTable) -> Incidence | None:
        """Who has which parts.

        Where a person has several rows no record is divided, so that parts are records, whoever is published in which.
        """
        if table.persons is None:
            return None
        if not np.array_equal(table.counts.sizes[self.source], self.sizes):
            return table.persons.dealt(self.source, self.sizes)
        here = np.zeros(len(table.counts), dtype=np.bool_)
        here[self.source] = True
        return table.persons.kept(here)

    def classes(self, table: EncodedTable, row_nodes: RowNodes) -> Classes:
        """The classes; `row_nodes(i, parts)` gives the nodes of quasi-identifier i in some parts."""
        return Classes(self.divided(table), self.label, self.groups, row_nodes)

    def published(
        self, table: EncodedTable, recoded: Mapping[str, tuple[Codes, int]], suppressed: int = 0
    ) -> tuple[Counts, Partition]:
        """The records with some columns recoded, and which of them each part became.

        Args:
            table: The table whose distinct records the parts belong to.
            recoded: Per column the code of each label, and how many codes there are; other columns keep their leaves.
            suppressed: How many records of the table are in no part.
        """
        counts = table.counts
        columns: list[Codes] = []
        cardinalities = []
        for name, codes, cardinality in zip(counts.names, counts.codes, counts.cardinalities, strict=True):
            if name in recoded:
                of_label, cardinality = recoded[name]  # noqa: PLW2901  the published domain is another one
                columns.append(of_label[self.label])
            else:
                columns.append(codes[self.source])
            cardinalities.append(cardinality)
        parts = Counts(counts.names, tuple(columns), tuple(cardinalities), self.sizes)
        labels, groups = parts.group(counts.names)
        one, sizes = grouping.members(labels, groups), grouping.totals(labels, groups, self.sizes)
        published = Counts(
            counts.names, tuple(column[one] for column in columns), tuple(cardinalities), sizes, suppressed
        )
        return published, Partition(self.source, labels, self.sizes)
