"""One look at a node of the lattice: is it admissible, what does it lose, and what does it say about finer nodes?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import inf
from operator import getitem

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Sizes
from shoal.criteria import Criterion, DistinctDiversity, KAnonymity, Suppression
from shoal.criteria.base import survives_merging
from shoal.criteria.k_anonymity import counted_unit
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
from shoal.kernels import grouping
from shoal.quality import BoundedByClasses, BoundedByColumns, Loss, Objective, PricedByRecords, QualityModel
from shoal.search.column_pairs import ColumnPairs
from shoal.search.cubes import Cubes
from shoal.search.lattice import Lattice, Node, NodeClasses

_WIDE_ROWS = 1 << 17
"""Up to so many distinct records, what is lost of all columns is counted at once."""
_PAIRS_TELL = 2_000
"""Pairs of columns tell little where more than one of so many records may be suppressed."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a node tells.

    Attributes:
        loss: Its loss; infinite when it must suppress more than allowed, or was not priced.
        suppressed: The records it suppresses; at least so many if its loss is infinite.
        is_open: Whether a finer node could be admissible.
        bound: `bound(lo)`: no node between `lo` and this one loses less.
    """

    loss: float
    suppressed: int
    is_open: bool
    bound: Callable[[Node], float]


@dataclass(eq=False)
class Evaluator:
    """Looks at nodes of one table under one request: criteria, quality, and how many records may be suppressed."""

    table: EncodedTable
    criteria: Sequence[Criterion]
    quality: QualityModel
    allowed: int
    classes: NodeClasses = field(init=False)
    lattice: Lattice = field(init=False)
    objective: Objective = field(init=False)
    evaluated: int = 0

    def __post_init__(self) -> None:
        self.classes = NodeClasses(self.table)
        self.lattice = Lattice.of(self.table)
        implied = [c for criterion in self.criteria if (c := criterion.implied()) is not None]
        self._implied = list(dict.fromkeys(implied))
        self._all_survive_growth = self._implied == list(dict.fromkeys(self.criteria))
        rest = [criterion for criterion in self.criteria if criterion not in self._implied]
        self._keeps_upward = (  # its rule leaves out fewest records: docs/proofs/risk_criteria.md
            len(rest) == 1 and getattr(rest[0], "is_kept_upward", False) and self.table.persons is None
        )
        self.objective = self.quality.on(self.table, smallest_class=_smallest_class(self._implied))
        self._floor_of: dict[Node, float] = {}
        self._suppression, self._certain = Suppression(self.criteria), Suppression(self._implied)
        self._by_columns = self.objective if isinstance(self.objective, BoundedByColumns) else None
        priced = self.objective if isinstance(self.objective, PricedByRecords) else None
        self._surcharges = None if priced is None else priced.surcharges
        self._counted_at = self.lattice.bottom if priced is None else priced.counted_at
        self._by_classes = self.objective if isinstance(self.objective, BoundedByClasses) else None
        self._counted = counted_unit(self.criteria)
        self._judges_rows = self._counted is not None and self._by_columns is not None and self._by_columns.is_exact

    @property
    def is_monotone(self) -> bool:
        """Whether every node above an admissible one is admissible."""
        return (
            self._all_survive_growth
            or self._keeps_upward
            or (self.allowed == 0 and all(map(survives_merging, self.criteria)))
        )

    @property
    def is_bounded(self) -> bool:
        """Whether a look at a node bounds what finer ones lose."""
        return self._by_columns is not None or self._by_classes is not None

    @property
    def suppression(self) -> str:
        """Which classes are left out of each node, in words."""
        return self._suppression.words

    def price(self, node: Node, source: NodeClasses) -> tuple[float, int]:
        """The loss of one node, infinite when it must suppress too much, and the records it suppresses."""
        self.evaluated += 1
        classes = source.at(node)
        suppressed = self.suppressed(classes)
        if suppressed is None:
            return inf, self.allowed + 1
        return self.objective.loss(classes, suppressed), int(classes.sizes[suppressed].sum())

    def suppressed(self, classes: Classes, worthwhile: int | None = None) -> Mask | None:
        """The classes to leave out: of the sets that may be left out the one that loses least.

        None if none may be, or if all have more than `worthwhile` records for certain.
        """
        choices = self._suppression.choices(classes, self.allowed, worthwhile)
        if len(choices) < 2:
            return choices[0] if choices else None
        return min(choices, key=lambda suppressed: self.objective.loss(classes, suppressed))

    def look(self, node: Node, lo: Node | None = None, below: float = inf) -> Look:
        """Group, judge, price and bound one node.

        Args:
            node: The node.
            lo: The finest node of interest.
            below: A loss that is known to be possible: what cannot lose less than that is neither priced nor open.
        """
        if self._judges_rows and self.allowed == 0:
            return self._look_for_small(node, lo or node, below)
        self.evaluated += 1
        classes = self.classes.at(node)
        if self._judges_rows:
            return self._look_at_rows(node, classes)
        certain = self._certain.choices(classes, classes.total)[0]
        lost = int(classes.sizes[certain].sum())
        if lost > self.allowed:
            return Look(inf, lost, is_open=False, bound=_nothing)
        bound = self._bound(classes, certain)
        worthwhile = self._worthwhile(node, lost, below - bound(lo or node))
        least = self._suppression.least(classes, certain, worthwhile)
        if least > worthwhile:
            return Look(inf, least, is_open=False, bound=bound)
        if below < inf and bound(node) >= below:
            return Look(inf, least, is_open=True, bound=bound)
        suppressed = certain
        if not self._all_survive_growth:
            found = self.suppressed(classes, self._worthwhile(node, lost, below - bound(node)))
            if found is None:
                return Look(inf, least, is_open=not self.is_monotone, bound=bound)
            suppressed = found
        return Look(self.objective.loss(classes, suppressed), int(classes.sizes[suppressed].sum()), True, bound)

    def _worthwhile(self, hi: Node, lost: int, gain: float) -> int:
        """How many records a node below hi can suppress: `lost`, which are paid for, and what `gain` can pay for."""
        if self._surcharges is None or gain == inf:
            return self.allowed
        each = sum(levels[level] for levels, level in zip(self._surcharges, hi, strict=True))
        more = max(gain, 0.0) / max(float(each), 1e-300)
        return self.allowed if more > self.allowed - lost else lost + int(more + 1e-6)

    def _look_for_small(self, node: Node, lo: Node, below: float) -> Look:
        """The same as `look` where nothing may be suppressed: the loss is known, and whether any class is too small."""
        bound = self._unsuppressed
        loss = bound(node)
        if loss >= below:
            return Look(inf, 0, is_open=True, bound=bound)
        self.evaluated += 1
        if self._is_any_smaller(node, lo):
            return Look(inf, 1, is_open=False, bound=_nothing)
        return Look(loss, 0, is_open=True, bound=bound)

    def is_refused(self, node: Node) -> bool:
        """Whether a node is known not to be admissible without numbering its classes; if not, it may still not be."""
        if self.raised(node, node) is None:
            return True
        return self._judges_rows and self.allowed == 0 and self._is_any_smaller(node, node)

    def _is_any_smaller(self, node: Node, lo: Node) -> bool:
        k = _smallest_class(self.criteria)
        if self._counted is Unit.RECORD and not self.table.is_linked:
            sizes = self._cubes.sizes(node, lo)
            return bool(((sizes < k) & (sizes > 0)).any())
        classes = self.classes.at(node)
        return classes.has_below(k) or (self._counted is not Unit.RECORD and classes.rows_of_fewer(k, 0)[1] > 0)

    def _look_at_rows(self, node: Node, classes: Classes) -> Look:
        """The same as `look`, for the most common request."""
        k = _smallest_class(self.criteria)
        if self._counted is Unit.RECORD:
            rows = np.flatnonzero(classes.row_sizes < k)
            lost = int(self.table.weights.take(rows).sum())
        else:
            rows, lost = classes.rows_of_fewer(k, self.allowed)
        if lost > self.allowed:
            return Look(inf, lost, is_open=False, bound=_nothing)
        bound = self._column_bound(rows)
        return Look(bound(node), lost, is_open=True, bound=bound)

    def _bound(self, classes: Classes, certain: Mask) -> Callable[[Node], float]:
        if self._by_columns is not None:
            return self._column_bound(classes.rows(certain))
        if (objective := self._by_classes) is not None:
            surcharge = objective.surcharge(classes, certain)
            return lambda lo: self._floor(lo, objective) + surcharge
        return _nothing

    def _column_bound(self, rows: Keys) -> Callable[[Node], float]:
        """The bound by columns when these distinct records cannot be published."""
        assert self._by_columns is not None
        return _summed(self._by_columns.floors(self._lost(rows) if len(rows) else None))

    def _lost(self, rows: Keys) -> list[Sizes]:
        """For each column how many records of these distinct ones are in each class of the level it is counted at."""
        weights = self.table.weights.take(rows)
        if len(self.table.counts) > _WIDE_ROWS:  # all columns side by side would take much memory, and save little time
            levels = [
                a.hierarchy.levels[i] for a, i in zip(self.table.quasi_identifiers, self._counted_at, strict=True)
            ]
            columns = (self.classes.column(i, level).take(rows) for i, level in enumerate(self._counted_at))
            return [grouping.totals(c, level.size, weights) for c, level in zip(columns, levels, strict=True)]
        codes, ends = self._side_by_side
        found = grouping.totals(codes.take(rows, axis=0).ravel(), ends[-1], np.repeat(weights, len(ends)))
        return [found[start:end] for start, end in pairwise([0, *ends])]

    @cached_property
    def _unsuppressed(self) -> Callable[[Node], float]:
        """The bound by columns when every record can be published."""
        return self._column_bound(np.zeros(0, dtype=np.int64))

    def raised(self, lo: Node, hi: Node) -> Node | None:
        """The finest node between two that may be admissible as far as pairs of columns tell; None if there is none."""
        if self.allowed * _PAIRS_TELL > self.table.total:
            return lo
        return self._pairs.raised(lo, hi)

    @cached_property
    def _pairs(self) -> ColumnPairs:
        return ColumnPairs(self.classes, _smallest_class(self._implied), self.allowed)

    @cached_property
    def _cubes(self) -> Cubes:
        return Cubes(self.classes)

    @cached_property
    def _side_by_side(self) -> tuple[Keys, list[int]]:
        return self.classes.side_by_side(self._counted_at)

    def _floor(self, node: Node, objective: BoundedByClasses) -> float:
        if node not in self._floor_of:
            self.evaluated += 1
            self._floor_of[node] = objective.floor(self.classes.at(node))
        return self._floor_of[node]

    def prices(self) -> tuple[Floats, ...]:
        """What each level of each column costs: tells a search where recodings differ most."""
        by_column = self._by_columns or Loss().on(self.table)
        return by_column.floors(None)


def _smallest_class(survive_growth: Sequence[Criterion]) -> int:
    """No class with fewer records can be published."""
    sizes = [c.k for c in survive_growth if isinstance(c, KAnonymity)]
    sizes += [c.diversity for c in survive_growth if isinstance(c, DistinctDiversity)]
    return max(sizes, default=1)


def _summed(floors: Sequence[Floats]) -> Callable[[Node], float]:
    """The bound that is a sum over columns."""
    by_level = [levels.tolist() for levels in floors]
    return lambda lo: float(sum(map(getitem, by_level, lo)))


def _nothing(lo: Node) -> float:
    """No bound."""
    del lo
    return -np.inf
