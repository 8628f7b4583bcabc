"""Noise on the numbers of classes: its scale per class, and exact draws on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, log10, sinh
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.dp.coins.bulk import SMALLEST_EXPONENT
from shoal.errors import ParameterError
from shoal.risk import ClassedNumbers

if TYPE_CHECKING:
    from shoal.dp.coins.coins import Coins

_FINE = 3
"""The grid is finer than the smallest scale of noise, that of a class of one step's width, by so many digits."""

_ROUND_UP = 1 << 30


def extra_digits(epsilon: Fraction) -> int:
    """Digits below the step of a domain, so that discrete noise is as good as continuous: a thousandth of the scale."""
    return max(0, _FINE + ceil(log10(float(epsilon))))


@dataclass(frozen=True, eq=False)
class ClassNoise:
    """Discrete Laplace noise on a grid, the same for all records of a class.

    P[X = n] is proportional to e^(−x_c |n|), n in units of 1 / `fine` steps, x_c = ε / (widths_c · factors_c · fine).
    That is Laplace noise of scale widths_c · factors_c / ε steps, on the grid.

    Attributes:
        epsilon: ε.
        widths: Between which values of the class the noise hides, in steps; none is added where it is 0.
        factors: What a record's budget is divided by, per class: several columns share it.
        fine: Units per step.
    """

    epsilon: Fraction
    widths: Sizes
    factors: Sequence[Fraction]
    fine: int = 1

    @property
    def scales(self) -> Floats:
        """The scale b of each class, in steps."""
        factors = np.array([float(factor) for factor in self.factors])
        found: Floats = self.widths * factors / float(self.epsilon)
        return found

    @property
    def deviations(self) -> Floats:
        """E|noise| of each class, in steps: 1 / sinh(x) units."""
        exponents = [self._exponent(label) for label in range(len(self.widths))]
        return np.array([0.0 if x is None else 1 / (self.fine * sinh(min(float(x), 700.0))) for x in exponents])

    def _exponent(self, label: int) -> Fraction | None:
        width = int(self.widths[label])
        return self.epsilon / (width * self.factors[label] * self.fine) if width else None

    def require_drawable(self) -> None:
        """Refuse noise that does not fit 64 bits."""
        exponents = (self._exponent(label) for label in range(len(self.widths)))
        if any(x is not None and x < SMALLEST_EXPONENT for x in exponents):
            raise ParameterError(
                f"epsilon = {float(self.epsilon):g} asks for noise of more than 2^40 steps of the domain; raise "
                "epsilon, or declare a coarser step."
            )

    def draw(self, labels: Keys, coins: Coins) -> Sizes:
        """Independent noise for records of these classes, in units."""
        self.require_drawable()
        exponents = [self._exponent(label) for label in range(len(self.widths))]
        kinds = sorted({x for x in exponents if x is not None})
        number = {x: i for i, x in enumerate(kinds)}
        kind = np.array([-1 if x is None else number[x] for x in exponents], dtype=np.int64)[labels]
        noise = np.zeros(len(labels), dtype=np.int64)
        hidden = np.flatnonzero(kind >= 0)
        noise[hidden] = coins.discrete_laplaces_each(kinds, kind[hidden])
        return noise


def vector_diameters(columns: Sequence[ClassedNumbers]) -> list[Fraction]:
    """D1 of each class: the largest Σ_a |x_ia − x_ja| / diam_a over two of its records, rounded up (theory KE-3).

    The largest L1 distance is the largest spread along one of the 2^(d−1) diagonals.
    """
    labels, groups = columns[0].labels, columns[0].groups
    shares = [(of.numbers - of.lows[labels]) / np.maximum(of.diameters, 1)[labels] for of in columns]
    widest = np.zeros(groups)
    for signs in product((1, -1), repeat=len(columns) - 1):
        along = shares[0] + sum((s * share for s, share in zip(signs, shares[1:], strict=True)), np.zeros(len(labels)))
        low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
        np.minimum.at(low, labels, along)
        np.maximum.at(high, labels, along)
        widest = np.maximum(widest, high - low)
    rounded = np.ceil(widest * _ROUND_UP) + len(columns)
    return [min(Fraction(int(up), _ROUND_UP), Fraction(len(columns))) for up in rounded]
