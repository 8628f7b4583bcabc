"""One look at a node of the lattice: is it admissible, what does it lose, and what does it say about finer nodes?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from shoal.arrays import Floats, Keys, Mask
from shoal.criteria import Criterion, DistinctDiversity, KAnonymity, violations
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.quality import BoundedByClasses, BoundedByColumns, Loss, Objective, QualityModel
from shoal.search.lattice import Lattice, Node, NodeClasses


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a node tells.

    Attributes:
        loss: Its loss; infinite when it must suppress more than allowed.
        suppressed: The records it suppresses.
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
        self.objective = self.quality.on(self.table, smallest_class=_smallest_class(self._implied))
        self._floor_of: dict[Node, float] = {}

    @property
    def is_monotone(self) -> bool:
        """Whether every node above an admissible one is admissible."""
        return self._all_survive_growth or self.allowed == 0

    def price(self, node: Node, source: NodeClasses) -> tuple[float, int]:
        """The loss of one node, infinite when it must suppress too much, and the records it suppresses."""
        self.evaluated += 1
        classes = source.at(node)
        suppressed = violations(self.criteria, classes)
        lost = int(classes.sizes[suppressed].sum())
        return (self.objective.loss(classes, suppressed) if lost <= self.allowed else inf), lost

    def look(self, node: Node) -> Look:
        """Group, judge, price and bound one node."""
        self.evaluated += 1
        classes = self.classes.at(node)
        if self._judges_rows:
            return self._look_at_rows(node, classes)
        suppressed = violations(self.criteria, classes)
        lost = int(classes.sizes[suppressed].sum())
        certain, certainly_lost = suppressed, lost
        if not self.is_monotone:
            certain = violations(self._implied, classes)
            certainly_lost = int(classes.sizes[certain].sum())
        is_open = certainly_lost <= self.allowed
        bound = self._bound(classes, certain) if is_open else _nothing
        loss = self.objective.loss(classes, suppressed) if lost <= self.allowed else inf
        return Look(loss, lost, is_open, bound)

    @property
    def _judges_rows(self) -> bool:
        """Whether rows can be judged by the size of their class and priced by columns, without numbering classes."""
        is_k_anonymity = all(isinstance(criterion, KAnonymity) for criterion in self.criteria)
        return is_k_anonymity and isinstance(self.objective, BoundedByColumns) and self.objective.is_exact

    def _look_at_rows(self, node: Node, classes: Classes) -> Look:
        """The same as `look`, for the most common request."""
        rows = np.flatnonzero(classes.row_sizes < _smallest_class(self.criteria))
        lost = int(self.table.weights.take(rows).sum())
        if lost > self.allowed:
            return Look(inf, lost, is_open=False, bound=_nothing)
        bound = self._column_bound(classes, rows)
        return Look(bound(node), lost, is_open=True, bound=bound)

    def _bound(self, classes: Classes, certain: Mask) -> Callable[[Node], float]:
        objective = self.objective
        if isinstance(objective, BoundedByColumns):
            return self._column_bound(classes, classes.rows(certain))
        if isinstance(objective, BoundedByClasses):
            surcharge = objective.surcharge(classes, certain)
            return lambda lo: self._floor(lo, objective) + surcharge
        return _nothing

    def _column_bound(self, classes: Classes, rows: Keys) -> Callable[[Node], float]:
        """The bound by columns when these distinct records cannot be published."""
        assert isinstance(self.objective, BoundedByColumns)
        names = [attribute.name for attribute in self.table.quasi_identifiers]
        lost = [classes.table.marginal(name, rows) for name in names] if len(rows) else None
        floors = self.objective.floors(lost)
        return lambda lo: float(sum(levels[level] for levels, level in zip(floors, lo, strict=True)))

    def _floor(self, node: Node, objective: BoundedByClasses) -> float:
        if node not in self._floor_of:
            self.evaluated += 1
            self._floor_of[node] = objective.floor(self.classes.at(node))
        return self._floor_of[node]

    def prices(self) -> tuple[Floats, ...]:
        """What each level of each column costs: tells a search where recodings differ most."""
        objective = self.objective
        by_column = objective if isinstance(objective, BoundedByColumns) else Loss().on(self.table)
        return by_column.floors(None)


def _smallest_class(survive_growth: Sequence[Criterion]) -> int:
    """No class with fewer records can be published."""
    sizes = [c.k for c in survive_growth if isinstance(c, KAnonymity)]
    sizes += [c.diversity for c in survive_growth if isinstance(c, DistinctDiversity)]
    return max(sizes, default=1)


def _nothing(lo: Node) -> float:
    """No bound."""
    del lo
    return -np.inf
