"""Whether classes may be published, asked while they are still being made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Keys, Mask, Nodes, Sizes
from shoal.criteria import Criterion, FrequencyDiversity, KAnonymity, LKCPrivacy
from shoal.criteria.base import for_each_class, in_records
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
from shoal.errors import ParameterError
from shoal.kernels import grouping
from shoal.methods.parts.class_request import ClassRequest, unmet_by_one_class

if TYPE_CHECKING:
    from shoal.errors import InfeasibleError
    from shoal.kernels.heads import Pairs


class Judge:
    """The criteria of a request on a table of which nothing will be suppressed.

    A criterion that compares with the published table compares with the whole one, whichever classes are asked about.
    Where a person may have several records, classes are of persons, and no distinct record is divided among them: who
    of those that have it would be published in which class is nobody's choice.
    """

    def __init__(self, table: EncodedTable, criteria: Sequence[Criterion]) -> None:
        if any(isinstance(criterion, LKCPrivacy) for criterion in criteria):
            raise ParameterError(
                "lkc-privacy is about groups of classes, and this method judges them one by one; ask for it with "
                "pais, tds or a full-domain method."
            )
        if any(getattr(criterion, "needs_owner", False) for criterion in map(for_each_class, criteria)):
            raise ParameterError(
                "k-map and presence are about a population, and this method divides equal records over classes without "
                "it; ask for them with optimal-lattice or ola."
            )
        names = [attribute.name for attribute in table.sensitive]
        persons = table.persons
        self._persons = None if persons is None or persons.is_one_each else persons
        self._table, self._names = table, names
        self._asked = tuple(for_each_class(criterion) for criterion in criteria)
        self._criteria = self._asked if self._persons is not None else tuple(in_records(c) for c in self._asked)
        self._combination, self._combinations = table.counts.group(names)
        self._one = grouping.members(self._combination, self._combinations)
        self._totals = grouping.totals(self._combination, self._combinations, table.counts.sizes)
        self.k = max([1, *_least_sizes(self._criteria, persons_alone=self.by_persons)])
        """No class of fewer records, or persons if they are counted, is admissible."""

    @property
    def by_persons(self) -> bool:
        """Whether somebody has several records, so that classes are of persons and counting records would not do."""
        return self._persons is not None

    @cached_property
    def pairs(self) -> Pairs:
        """Who has which records, for compiled kernels, if persons are counted."""
        from shoal.kernels.heads import ONE_EACH

        return ONE_EACH if self._persons is None else self._persons.pairs

    @property
    def entries(self) -> Sizes:
        """What is added up over a class to see that it is too small: records, or how many persons have each."""
        return self._table.counts.sizes if self._persons is None else self._persons.entries

    @property
    def is_size_alone(self) -> bool:
        """Whether a class is judged by its records, or by its persons, and by nothing else."""
        only_sizes = all(isinstance(criterion, KAnonymity) for criterion in self._criteria)
        return only_sizes and self.k == max([1, *_least_sizes(self._criteria)])

    @property
    def shares(self) -> tuple[FrequencyDiversity, ...] | None:
        """What is asked of shares of sensitive values in records, if that and k are all; else None."""
        rest = [c for c in self._criteria if not isinstance(c, KAnonymity)]
        asked = tuple(c for c in rest if isinstance(c, FrequencyDiversity))
        return None if self.by_persons or len(asked) < len(rest) else asked

    def unmet(self) -> InfeasibleError | None:
        """Why not even the whole table as one class is admissible; None if it is."""
        everything = np.zeros(len(self._table.counts), dtype=np.int64)
        return unmet_by_one_class(self._asked, Classes(self._table, everything, 1, _no_nodes))

    def admissible(self, rows: Keys, labels: Keys, groups: int, sizes: Sizes) -> Mask:
        """Which classes meet all criteria; class `labels[i]` holds `sizes[i]` records of row `rows[i]`."""
        if self._persons is not None:
            return self._admissible_persons(rows, labels, groups)
        counts = self._table.counts
        enough = grouping.totals(labels, groups, sizes) >= self.k
        if self.is_size_alone or not enough.any():
            return enough
        combination = self._combination[rows]
        others = self._totals - grouping.totals(combination, self._combinations, sizes)  # in a class of their own
        left = np.flatnonzero(others > 0)
        rows = self._one[np.concatenate([combination, left])]
        columns = tuple(counts.column(name)[rows] for name in self._names)
        cardinalities = tuple(counts.cardinality(name) for name in self._names)
        divided = Counts(tuple(self._names), columns, cardinalities, np.concatenate([sizes, others[left]]))
        keys = np.concatenate([labels, np.full(len(left), groups)])
        classes = Classes(EncodedTable(self._table.sensitive, divided), keys, groups + 1, _no_nodes)
        everything = np.ones(len(classes), dtype=np.bool_)
        for criterion in self._criteria:
            enough &= ~criterion.violations(classes, everything)[:groups]
        return enough

    def people(self, rows: Keys, labels: Keys, groups: int) -> Sizes:
        """How many persons, if they are counted, have a record of each class: class `labels[i]` holds row `rows[i]`."""
        from shoal.kernels.heads import class_heads

        order = np.argsort(labels, kind="stable")
        return class_heads(rows[order], labels[order], groups, self.pairs, self._last)

    @cached_property
    def _last(self) -> Keys:
        return np.full(self.pairs.people, -1, dtype=np.int64)

    def _admissible_persons(self, rows: Keys, labels: Keys, groups: int) -> Mask:
        """The same for rows that are whole; all others are in a class of their own."""
        enough = self.people(rows, labels, groups) >= self.k
        if self.is_size_alone or not enough.any():
            return enough
        asked = int(enough.sum())
        keys = np.full(len(self._table.counts), asked)
        keys[rows] = np.where(enough, np.cumsum(enough) - 1, asked)[labels]
        classes = Classes(self._table, keys, asked + 1, _no_nodes)
        everything = np.ones(len(classes), dtype=np.bool_)
        passed = np.ones(asked, dtype=np.bool_)
        for criterion in self._criteria:
            passed &= ~criterion.violations(classes, everything)[:asked]
        enough[enough] = passed
        return enough


def judge_of(request: ClassRequest, table: EncodedTable) -> Judge:
    """The judge of a request; refuses one that not even the whole table as one class meets."""
    request.require_enough(table)
    judge = Judge(table, request.promises(table))
    if (unmet := judge.unmet()) is not None:
        raise unmet
    return judge


def _least_sizes(criteria: Sequence[Criterion], *, persons_alone: bool = False) -> list[int]:
    """The least sizes that are asked for, in records and in persons, or in persons alone."""
    sizes = [criterion for criterion in criteria if isinstance(criterion, KAnonymity)]
    return [criterion.k for criterion in sizes if not persons_alone or criterion.unit is not Unit.RECORD]


def _no_nodes(attribute: int, rows: Keys) -> Nodes:
    del attribute, rows
    raise AssertionError("classes that are still being made have no nodes")
