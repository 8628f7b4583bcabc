"""How well the recoded table can still teach a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Keys, Mask, Sizes
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
from shoal.errors import SchemaError
from shoal.kernels import grouping
from shoal.parameters import read_parameters
from shoal.quality.base import Change


@dataclass(frozen=True, slots=True)
class Classification:
    """score = Σ_f max_c n(f, c): the records that carry the majority class of their combination of features.

    A combination that shows nothing does not count.
    loss = 1 − score / n. The target is a counted column; if it is a quasi-identifier it is not a feature.

    Paper: SafePub §5.5, Definition 8 and Theorem 9, after Iyengar 2002; reading: theory 2c.

    Attributes:
        target: The column to be predicted.
    """

    name: ClassVar[str] = "classification"

    target: str

    def __post_init__(self) -> None:
        read_parameters(self)

    def on(self, table: EncodedTable, smallest_class: int = 1) -> _Majorities:
        """The model on one table."""
        del smallest_class
        attribute = table[self.target]
        names = [quasi.name for quasi in table.quasi_identifiers]
        if attribute.role is Role.QUASI_IDENTIFIER and len(names) == 1:
            raise SchemaError(
                f"the target {self.target!r} is the only quasi-identifier; classification needs at least one feature."
            )
        return _Majorities(self.target, names.index(self.target) if self.target in names else None)

    def change(self, k: int, attributes: Sequence[Attribute]) -> Change:
        """[0, k]."""
        del attributes
        return Change(0.0, float(k))


@dataclass(frozen=True, slots=True)
class _Majorities:
    target: str
    position: int | None
    """Which quasi-identifier the target is, if it is one."""

    def score(self, classes: Classes, suppressed: Mask) -> float:
        """Published records of a majority class."""
        return float(_majorities(*self._cells(classes, suppressed)).sum())

    def loss(self, classes: Classes, suppressed: Mask) -> float:
        """Between 0 and 1."""
        return 1 - self.score(classes, suppressed) / max(classes.total, 1)

    def floor(self, classes: Classes) -> float:
        """The majority of merged features is never more than the majorities of its parts."""
        return self.loss(classes, np.zeros(len(classes), dtype=np.bool_))

    def surcharge(self, classes: Classes, suppressed: Mask) -> float:
        """The majorities of features that are suppressed altogether."""
        cells, feature = self._cells(classes, np.zeros(len(classes), dtype=np.bool_))
        gone = np.bincount(feature, weights=np.where(suppressed, 0, classes.sizes)) == 0
        return float(_majorities(cells, feature)[gone].sum()) / max(classes.total, 1)

    def _cells(self, classes: Classes, suppressed: Mask) -> tuple[Sizes, Keys]:
        """Per class: published records by target value, and the number of its combination of features."""
        if self.position is None:
            cells = classes.histogram(self.target)
            suppressed = suppressed | classes.hidden()
            return np.where(suppressed[:, None], 0, cells), np.arange(len(classes), dtype=np.int64)
        hierarchies = [attribute.hierarchy for attribute in classes.table.quasi_identifiers]
        features = [i for i in range(len(hierarchies)) if i != self.position]
        feature, _ = grouping.group(
            [classes.nodes(i).astype(np.uint32) for i in features],
            [len(hierarchies[i].parent) for i in features],
            len(classes),
        )
        cells = np.zeros((len(classes), len(hierarchies[self.position].parent)), dtype=np.int64)
        suppressed = suppressed | classes.hidden(features)
        cells[np.arange(len(classes)), classes.nodes(self.position)] = np.where(suppressed, 0, classes.sizes)
        return cells, feature


def _majorities(cells: Sizes, feature: Keys) -> Sizes:
    """The largest cell of each feature combination, after adding up the classes that share it."""
    if len(cells) == 0:
        return np.zeros(0, dtype=np.int64)
    together = np.zeros((int(feature.max()) + 1, cells.shape[1]), dtype=np.int64)
    np.add.at(together, feature, cells)
    return np.asarray(together.max(axis=1))
