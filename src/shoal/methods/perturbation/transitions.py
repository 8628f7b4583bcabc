"""Transitions: with which chance a value becomes which other, exactly, and what that costs.

All chances are fractions of whole numbers, and are drawn as such: no probability is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.dp.accounting.cost import shown
from shoal.dp.accounting.interval import Interval
from shoal.errors import ParameterError, listed
from shoal.parameters import Number, exact

if TYPE_CHECKING:
    from shoal.dp.coins.coins import Coins
    from shoal.methods.perturbation.pram import PRAM

MOST_VALUES = 2_000
"""Values of a column with a transition matrix of its own: a matrix has the square of it."""
_FINE = 1 << 20
"""Chances of randomized response are fractions of about this."""
_LARGEST_EPSILON = 25
"""A larger ε of one column is spent as this one: a value changes once in 10^10 records then."""
_LARGEST_SUM = 1 << 62

Chances = Mapping[str, Mapping[str, Number]]
"""What each value may become, and with which chance."""


@dataclass(frozen=True)
class Response:
    """Randomized response: a value stays with chance `stays` / total, and becomes each other one with `other` / total.

    Attributes:
        values: How many values there are.
        stays: The weight of the true value.
        other: The weight of every other one.
    """

    values: int
    stays: int
    other: int

    @staticmethod
    def of_epsilon(epsilon: Fraction, values: int) -> Response:
        """The one that tells most: a value stays e^ε times as likely as any other comes, rounded down.

        >>> response = Response.of_epsilon(Fraction(1), 3)
        >>> round(response.stays / response.total, 6)  # e / (e + 2)
        0.576117
        """
        ratio = Interval.of(min(epsilon, Fraction(_LARGEST_EPSILON))).exp().lower()
        return Response(values, floor(ratio * _FINE), _FINE)

    @staticmethod
    def of_chance(stays: Fraction, values: int) -> Response:
        """The one that keeps a value with a given chance."""
        if values == 1:
            return Response(1, 1, 0)
        return Response(values, stays.numerator * (values - 1), stays.denominator - stays.numerator)

    @property
    def total(self) -> int:
        """What weights add up to."""
        return self.stays + (self.values - 1) * self.other

    def drawn(self, codes: Keys, coins: Coins) -> Keys:
        """What becomes of each value; a code that is none of them, −1, becomes any with the same chance."""
        place = coins.randbelows(self.total, len(codes)) - self.stays
        others = place // max(self.other, 1)
        changed = np.where(place < 0, codes, others + (others >= codes))
        nowhere = np.flatnonzero(codes < 0)
        if len(nowhere):
            changed[nowhere] = coins.randbelows(self.values, len(nowhere))
        return changed

    def invariant(self, codes: Keys, coins: Coins) -> Keys:
        """Drawn twice, the second time back: frequencies stay as they are, but for chance.

        Given what a value became, the second draw is of what it may have been, by how frequent values are (Gouweleeuw
        et al. 1998): then P[published = v] is the share of v. Codes number values that occur.
        """
        first = self.drawn(codes, coins)
        frequencies = np.bincount(codes, minlength=self.values).astype(np.int64)
        changed = np.empty_like(first)
        order = np.argsort(first, kind="stable")
        for here in np.split(order, np.flatnonzero(np.diff(first[order])) + 1):
            value = int(first[here[0]])
            weights = frequencies * self.other
            weights[value] = frequencies[value] * self.stays
            changed[here] = _drawn(weights, len(here), coins)
        return changed


@dataclass(frozen=True, eq=False)
class Matrix:
    """A transition matrix in whole numbers: value i becomes value j with chance `weights[i, j]` / the sum of row i."""

    names: tuple[str, ...]
    weights: Sizes

    @staticmethod
    def of(column: str, chances: Chances) -> Matrix:
        """The matrix that a table of chances describes; refuses one that is none."""
        names = tuple(chances)
        if not 1 <= len(names) <= MOST_VALUES:
            raise ParameterError(f"matrices: {column!r} has {len(names):,} values; expected 1 to {MOST_VALUES:,}.")
        weights = np.zeros((len(names), len(names)), dtype=np.int64)
        for i, (value, row) in enumerate(chances.items()):
            unknown = [name for name in row if name not in names]
            if unknown:
                raise ParameterError(
                    f"matrices: in {column!r} the value {value!r} may become {listed(unknown)}, which has no row of "
                    "its own; write one, so that what is published can be traced back."
                )
            parts = {name: exact(chance, f"matrices: the chance in {column!r}") for name, chance in row.items()}
            if any(part < 0 for part in parts.values()) or sum(parts.values()) != 1:
                raise ParameterError(
                    f"matrices: in {column!r} the chances of {value!r} must not be negative and add up to 1 exactly; "
                    f'they add up to {float(sum(parts.values())):.6g}. Write thirds as "1/3".'
                )
            whole = lcm(*(part.denominator for part in parts.values()))
            if whole > _LARGEST_SUM:
                raise ParameterError(f"matrices: the chances of {value!r} in {column!r} have too many digits.")
            for name, part in parts.items():
                weights[i, names.index(name)] = int(part * whole)
        return Matrix(names, weights)

    def chances(self) -> list[list[Fraction]]:
        """The rows as fractions."""
        return [[Fraction(int(weight), int(row.sum())) for weight in row] for row in self.weights]

    @property
    def epsilon(self) -> Fraction | None:
        """How well two values can be told apart by what is published, rounded up; None if one gives itself away."""
        worst = Fraction(1)
        for of_value in zip(*self.chances(), strict=True):
            if max(of_value) == 0:
                continue
            if min(of_value) == 0:
                return None
            worst = max(worst, max(of_value) / min(of_value))
        return exact(shown(Interval.of(worst).ln().upper())) if worst > 1 else Fraction(0)

    def drawn(self, codes: Keys, coins: Coins) -> Keys:
        """What becomes of each value; a code that is none of them, −1, first becomes any with the same chance.

        The mean of the rows lies between them, so that nothing is told by it that no row tells.
        """
        codes = codes.copy()
        nowhere = np.flatnonzero(codes < 0)
        codes[nowhere] = coins.randbelows(len(self.names), len(nowhere))
        changed = np.empty_like(codes)
        for value in range(len(self.names)):
            here = np.flatnonzero(codes == value)
            changed[here] = _drawn(self.weights[value], len(here), coins)
        return changed


def _drawn(weights: Sizes, count: int, coins: Coins) -> Keys:
    """Indices with chances in proportion to whole numbers."""
    ends = np.cumsum(weights)
    return np.searchsorted(ends, coins.randbelows(int(ends[-1]), count), side="right")


def unbiased_frequencies(method: PRAM, column: str, published: Mapping[str, float]) -> dict[str, float]:
    """How often each value stood in the original, estimated without bias from how often it is published.

    Args:
        method: The method as it was run: its parameters stand in the certificate.
        column: A perturbed column.
        published: How often each value of the domain is published; those that are not, as 0.

    >>> import shoal
    >>> method = shoal.PRAM(perturbed=("smokes",), matrices={"smokes": {
    ...     "yes": {"yes": 0.8, "no": 0.2}, "no": {"yes": 0.2, "no": 0.8}}})
    >>> {value: round(count) for value, count in unbiased_frequencies(method, "smokes", {"yes": 38, "no": 62}).items()}
    {'yes': 30, 'no': 70}
    """
    if column not in method.perturbed:
        raise ParameterError(f"{column!r} is not perturbed; those are {listed(method.perturbed, 12)}.")
    if method.invariant is not None:
        return dict(published)  # unbiased as they are
    names, counts = list(published), np.array(list(published.values()), dtype=float)
    if method.epsilon is not None:
        response = Response.of_epsilon(method.epsilon_of_column, len(names))
        stays, other = response.stays / response.total, response.other / response.total
        return dict(zip(names, ((counts - counts.sum() * other) / (stays - other)).tolist(), strict=True))
    matrix = Matrix.of(column, method.matrices[column])
    if sorted(names) != sorted(matrix.names):
        raise ParameterError(f"published must have the values of the matrix: {listed(matrix.names, 12)}.")
    chances: Floats = np.array(matrix.chances(), dtype=float)
    in_order = counts[[names.index(name) for name in matrix.names]]
    try:
        found = np.linalg.solve(chances.T, in_order).tolist()
    except np.linalg.LinAlgError:
        raise ParameterError(
            f"the matrix of {column!r} has no inverse: different tables would be published alike."
        ) from None
    return dict(zip(matrix.names, found, strict=True))
