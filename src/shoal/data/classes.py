"""Equivalence classes: the records that look alike once the quasi-identifiers are recoded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from shoal.data.unit import Unit
from shoal.errors import SchemaError
from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Codes, Floats, Keys, Mask, Nodes, Sizes
    from shoal.data.encoded import EncodedTable
    from shoal.data.people.incidence import Incidence

RowNodes: TypeAlias = "Callable[[int, Keys], Nodes]"


@dataclass(frozen=True, slots=True, eq=False)
class NodesByClass:
    """The `row_nodes` of classes that are done.

    Attributes:
        label: The class of each distinct record.
        nodes: Per quasi-identifier the node of each class.
    """

    label: Keys
    nodes: tuple[Nodes, ...]

    def __call__(self, attribute: int, rows: Keys) -> Nodes:
        """The nodes that stand for a quasi-identifier in some distinct records."""
        found: Nodes = self.nodes[attribute][self.label[rows]]
        return found


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a table under one recoding, suppressed ones still among them.

    Attributes:
        table: The table they are classes of.
        keys: One integer below `domain` per distinct record, equal for records of one class.
        domain: How many keys there can be.
        row_nodes: `row_nodes(i, rows)` gives the nodes that stand for quasi-identifier i in some distinct records.
        source: The table as it was given, where `table` is what is published of it; None if they are the same.
        outside: The keys of the table's population, if it has one: whom each class could be about.
    """

    table: EncodedTable
    keys: Keys
    domain: int
    row_nodes: RowNodes
    source: EncodedTable | None = None
    outside: Keys | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the nodes of each class in place of the function that finds them."""
        quasi = range(len(self.table.quasi_identifiers))
        row_nodes = NodesByClass(self.labels, tuple(self.nodes(i) for i in quasi))
        return {
            "table": self.table,
            "keys": self.keys,
            "domain": self.domain,
            "row_nodes": row_nodes,
            "source": self.source,
            "outside": self.outside,
        }

    @cached_property
    def tally(self) -> Floats:
        """Records per key, also of keys that no record has."""
        tally: Floats = np.bincount(self.keys, weights=self.table.weights, minlength=self.domain)  # type: ignore[assignment]
        return tally

    @cached_property
    def _present(self) -> Keys:
        return np.flatnonzero(self.tally > 0)

    @cached_property
    def members(self) -> Keys:
        """One distinct record of each class."""
        return grouping.members(self.keys, self.domain)[self._present]

    def __len__(self) -> int:
        return len(self._present)

    @cached_property
    def sizes(self) -> Sizes:
        """How many records each class has."""
        return self.tally.take(self._present).astype(np.int64)

    def has_below(self, k: int) -> bool:
        """Whether a class has fewer than k records; cheaper than numbering the classes."""
        return bool(((self.tally < k) & (self.tally > 0)).any())

    @cached_property
    def people(self) -> Sizes:
        """How many persons each class has: each counts once, however many records; records, if nothing is known."""
        persons = self.table.persons
        assert (self.table.unit is Unit.RECORD) == (persons is None), "nobody knows who has which records"
        return self.sizes if persons is None else self.heads(self.labels, len(self))

    def has_fewer(self, k: int) -> Mask:
        """Which classes have fewer than k persons: faster than counting them."""
        if "people" in self.__dict__:
            return self.people < k
        return self._persons.fewer(self.labels, len(self), k)

    def rows_of_fewer(self, k: int, most: int) -> tuple[Keys, int]:
        """The distinct records of classes with fewer than k persons, and how many records these are.

        If they are more than `most` for certain, it may be that not all are found.
        """
        persons, weights = self._persons, self.table.weights
        surely = persons.surely_fewer(self.keys, self.domain, k)
        rows = np.flatnonzero(surely[self.keys])
        lost = int(weights.take(rows).sum())
        if lost > most:
            return rows, lost
        rows = np.flatnonzero(persons.fewer(self.keys, self.domain, k, surely)[self.keys])
        return rows, int(weights.take(rows).sum())

    def heads(self, labels: Keys, groups: int) -> Sizes:
        """How many persons have a distinct record of each group, for the group of each one; −1 if it is in none."""
        return self._persons.heads(labels, groups)

    @cached_property
    def weighed(self) -> Sizes:
        """For how many of the population the persons of each class stand by their weights, in units."""
        weights = self.table.survey_weights
        if weights is None:
            raise SchemaError(
                "nothing says how many of the population a record stands for; name the column of weights in weight, "
                "or, for k-map, a table of the population in population."
            )
        return weights.of_classes(self.labels, len(self), self.table.persons)

    @property
    def weight_scale(self) -> int:
        """How many units of weight are one person."""
        return 1 if self.table.survey_weights is None else self.table.survey_weights.scale

    @cached_property
    def _inhabitants(self) -> Floats:
        """People of the population per key."""
        population = self.table.population
        if population is None or self.outside is None:
            raise SchemaError(
                "a criterion compares with a table of the population, which was not read; choose optimal-lattice or "
                "ola, which recode it as they recode the table, or leave out the criterion."
            )
        tally: Floats = np.bincount(self.outside, weights=population.sizes, minlength=self.domain)  # type: ignore[assignment]
        return tally

    @property
    def inhabitants(self) -> Sizes:
        """How many people of the population look like each class."""
        return self._inhabitants.take(self._present).astype(np.int64)

    @property
    def is_population_absent(self) -> bool:
        """Whether people of the population look like no class."""
        return bool((self._inhabitants[self.tally == 0] > 0).any())

    @cached_property
    def labels(self) -> Keys:
        """The class of each distinct record, 0…G−1."""
        return self._labels_times(1)

    def _labels_times(self, step: int) -> Keys:
        number = np.empty(self.domain, dtype=np.int64)
        number[self._present] = np.arange(0, len(self) * step, step)
        return number.take(self.keys)

    @property
    def total(self) -> int:
        """Number of records in all classes."""
        return self.table.total

    @property
    def row_sizes(self) -> Floats:
        """The size of the class of each distinct record; cheaper than numbering the classes."""
        return self.tally.take(self.keys)

    def rows(self, which: Mask) -> Keys:
        """The distinct records of some classes."""
        chosen = np.zeros(self.domain, dtype=np.bool_)
        chosen[self._present[which]] = True
        return np.flatnonzero(chosen[self.keys])

    def nodes(self, attribute: int) -> Nodes:
        """The node of quasi-identifier number `attribute` in each class."""
        return self.row_nodes(attribute, self.members)

    def hidden(self, attributes: Iterable[int] | None = None) -> Mask:
        """Which classes show nothing: every quasi-identifier, or each of `attributes`, is generalized to its root."""
        quasi = self.table.quasi_identifiers
        hidden = np.ones(len(self), dtype=np.bool_)
        for i in range(len(quasi)) if attributes is None else attributes:
            hidden &= self.nodes(i) == quasi[i].hierarchy.root
            if not hidden.any():
                break
        return hidden

    def given(self, column: str, unit: Unit = Unit.RECORD, *, every: bool = False) -> Sizes:
        """How many records carry each value of a column in the table as it was given; in persons, see `histogram`."""
        table = self.table if self.source is None else self.source
        marginal = table.marginal(column) if unit is Unit.RECORD else table.spread_marginal(column)
        return marginal if every else marginal[self.values(column)]

    @cached_property
    def _values(self) -> dict[str, Keys]:
        return {}

    def values(self, column: str) -> Keys:
        """The codes that the columns of a histogram stand for, in order.

        All of a small domain, those that occur of a large one (`EncodedTable.values`).
        """
        if column not in self._values:
            here = self.table.values(column)
            self._values[column] = here if self.source is None else np.union1d(here, self.source.values(column))
        return self._values[column]

    @cached_property
    def _histograms(self) -> dict[tuple[str, Unit, bool], Sizes]:
        return {}

    def histogram(self, column: str, unit: Unit = Unit.RECORD, *, every: bool = False) -> Sizes:
        """`histogram[g, i]`: how many records of class g carry the i-th of the `values` of an unrecoded column.

        With `every`, the i-th of its domain. In persons: how much of them does, each spread evenly over their records
        (`Incidence.spread`).
        """
        if (column, unit, every) not in self._histograms:
            weights = self.table.weights if unit is Unit.RECORD else self._persons.spread.units
            keys, width = self._cells(column, every=every)
            found = grouping.totals(keys, len(self) * width, weights).reshape(len(self), width)
            self._histograms[column, unit, every] = found
        return self._histograms[column, unit, every]

    def most(self, column: str) -> Sizes:
        """How many records of each class carry the most frequent of its values."""
        if self._is_dense(column):
            return np.asarray(self.histogram(column).max(axis=1, initial=0))
        owner, counts = self._carried(column)
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        found = np.zeros(len(self), dtype=np.int64)
        found[owner[starts]] = np.maximum.reduceat(counts, starts) if len(starts) else 0
        return found

    def different(self, column: str) -> Sizes:
        """How many different values of a column each class has."""
        if self._is_dense(column):
            return np.asarray(np.count_nonzero(self.histogram(column), axis=1))
        return np.bincount(self._carried(column)[0], minlength=len(self))

    def _is_dense(self, column: str) -> bool:
        """Whether a histogram costs no more than to sort the records: both come to the same."""
        return len(self) * self.table.counts.cardinality(column) <= 4 * len(self.table.counts)

    def _carried(self, column: str) -> tuple[Keys, Sizes]:
        """Each value of each class once: the class, in ascending order, and how many of its records carry the value."""
        keys, width = self._cells(column, every=True)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.add.reduceat(self.table.counts.sizes[order], starts) if len(starts) else starts
        return ordered[starts] // width, counts

    @cached_property
    def _holders(self) -> dict[str, Sizes]:
        return {}

    def holders(self, column: str) -> Sizes:
        """How many persons have a record of class g with the i-th of the `values`; each counts once per value."""
        if column not in self._holders:
            keys, width = self._cells(column)
            self._holders[column] = self._persons.heads(keys, len(self) * width).reshape(len(self), width)
        return self._holders[column]

    def values_apart(self, column: str) -> Sizes:
        """How many values of a column each class has of as many different persons: one value of each, no two equal."""
        keys, width = self._cells(column)
        return self._persons.matched(keys, len(self), width)

    @property
    def _persons(self) -> Incidence:
        persons = self.table.persons
        assert persons is not None, "nobody knows who has which records"
        return persons

    def _cells(self, column: str, *, every: bool = False) -> tuple[Keys, int]:
        """The class and the value of each distinct record as one number, and how many values there are."""
        counts = self.table.counts
        width = counts.cardinality(column)
        codes: Codes | Keys = counts.column(column)
        if not every and len(self.values(column)) < width:
            values = self.values(column)
            codes, width = np.searchsorted(values, codes), len(values)
        keys = self._labels_times(width)
        keys += codes
        return keys, width
