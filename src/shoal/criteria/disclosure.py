"""How much more likely a sensitive value may become in a class: δ-disclosure privacy and β-likeness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.criteria.base import require_sensitive
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.errors import ParameterError
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class Disclosure:
    """|log(p_v(class) / p_v(table))| < δ for every class and every value v of the published table.

    A value that a class lacks makes the logarithm infinite: δ-disclosure asks for every value in every class.

    Paper: Brickell & Shmatikov 2008, Definition 1.
    """

    delta: float
    column: str

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.delta <= 0:
            raise ParameterError(f"delta of δ-disclosure must be above 0; got {self.delta:g}.")

    @property
    def statement(self) -> str:
        """The promise."""
        return f"{self.delta:g}-disclosure privacy of {self.column!r}: no share changes by the factor e^{self.delta:g}"

    @property
    def is_relative(self) -> bool:
        """A class is judged against the published table."""
        return True

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "δ-disclosure")

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The largest absolute log ratio of each class."""
        share, whole = _shares(classes, self.column, published)
        with np.errstate(divide="ignore"):
            return np.asarray(np.abs(np.log(share / whole)).max(axis=1, initial=0.0))

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes with a value that became too likely or too unlikely."""
        return self.measure(classes, published) >= self.delta

    def worst(self, measured: Floats) -> float:
        """The largest."""
        return float(measured.max())

    def implied(self) -> None:
        """Nothing that survives growth follows from it."""
        return


@dataclass(frozen=True, slots=True)
class Likeness:
    """(p_v(class) − p_v(table)) / p_v(table) ≤ min(β, −ln p_v(table)) for every value (enhanced β-likeness).

    Paper: Cao & Karras 2012, Definition 3.
    """

    beta: float
    column: str

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.beta <= 0:
            raise ParameterError(f"beta of β-likeness must be above 0; got {self.beta:g}.")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"enhanced {self.beta:g}-likeness of {self.column!r}: no share grows by more than {self.beta:g} of itself"
        )

    @property
    def is_relative(self) -> bool:
        """A class is judged against the published table."""
        return True

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "β-likeness")

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The smallest β for which each class would pass; infinite where the logarithmic bound is broken."""
        share, whole = _shares(classes, self.column, published)
        gain = share / whole - 1
        broken = (gain > -np.log(whole) + 1e-12).any(axis=1)
        return np.where(broken, np.inf, gain.max(axis=1, initial=0.0))

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes with a value that became too likely."""
        return self.measure(classes, published) > self.beta + 1e-12

    def worst(self, measured: Floats) -> float:
        """The largest gain."""
        return float(measured.max())

    def implied(self) -> None:
        """Nothing that survives growth follows from it."""
        return


def _shares(classes: Classes, column: str, published: Mask) -> tuple[Floats, Floats]:
    """The share of each value of the published table in each class and in that table."""
    histogram = classes.histogram(column)
    whole = histogram[published].sum(axis=0)
    present = whole > 0
    return histogram[:, present] / classes.sizes[:, None], whole[present] / max(whole.sum(), 1)
