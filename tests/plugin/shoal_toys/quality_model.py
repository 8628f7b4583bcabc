"""A quality model in one file."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.errors import ParameterError
from shoal.parameters import read_parameters


@dataclass(frozen=True)
class Squares:
    """Prefer small classes: loss = (Σ_E |E|^power / n^power) over published classes, and suppressed ones as one."""

    name: ClassVar[str] = "squares"

    power: float = 2.0

    def __post_init__(self):
        """Read what was given."""
        read_parameters(self)

    def on(self, table, smallest_class=1):
        """The model on one table."""
        del smallest_class
        return _Squares(table.total, self.power)

    def change(self, k, attributes):
        """Not known."""
        del k, attributes
        raise ParameterError("squares cannot be chosen for privately.")


@dataclass(frozen=True)
class _Squares:
    total: int
    power: float

    def score(self, classes, suppressed):
        kept = np.where(suppressed, 0, classes.sizes)
        lost = self.total - kept.sum()
        return -float((kept**self.power).sum() + lost**self.power)

    def loss(self, classes, suppressed):
        return -self.score(classes, suppressed) / self.total**self.power
