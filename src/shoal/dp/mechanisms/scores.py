"""Scores of candidates as integers: exact, or rounded to a public grid.

Floating-point scores may not enter a private choice as they are: their last bits depend on the order of additions, and
no sensitivity was proved for them (theory X-4). On a grid of width w every score moves by at most w/2, hence every
difference between neighboring tables by at most w, and the range R of X-6 grows by 2w.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.arrays import Sizes
    from shoal.dp.coins.brackets import Gaps

Scores: TypeAlias = Sequence[Fraction] | Sequence[int] | NDArray[np.int64] | Floats
"""One per candidate, higher is better. Floats only together with a grid."""

_LARGEST = 1 << 60
_WIDEST_DENOMINATOR = 1 << 16


def require_grid(owner: object, grid: Fraction) -> None:
    """A grid is a power of two, because then rounding a double to it is exact."""
    numerator, denominator = grid.numerator, grid.denominator
    if numerator < 1 or numerator & (numerator - 1) or denominator & (denominator - 1):
        raise ParameterError(
            f"{type(owner).__name__}: grid must be a power of two, such as Fraction(1, 2**20); got {grid}."
        )


def rounded(scores: Floats, grid: Fraction) -> Sizes:
    """Each score as the nearest multiple of the grid, in units of the grid, clipped to ±2^60 units.

    >>> from fractions import Fraction
    >>> rounded(np.array([0.1, -1.0]), Fraction(1, 1024)).tolist()
    [102, -1024]
    """
    if not np.all(np.isfinite(scores)):
        raise ParameterError("scores must be finite numbers; give a candidate that is out of question a low score.")
    shift = grid.denominator.bit_length() - grid.numerator.bit_length()
    with np.errstate(over="ignore", under="ignore"):
        units = np.rint(np.ldexp(scores, shift))  # exact: a power of two changes only the exponent
    return np.clip(units, -_LARGEST, _LARGEST).astype(np.int64)


def gaps_below_best(scores: Scores, grid: Fraction | None) -> tuple[Gaps, Fraction]:
    """Integers and a unit with best − score_i = gaps[i] · unit; of the rounded scores, if there is a grid."""
    if not len(scores):
        raise ParameterError("there is no candidate to choose from.")
    units, unit = _on_grid(scores, grid) if grid else _exactly(scores)
    gaps: Gaps = units.max() - units
    return gaps, unit


def _on_grid(scores: Scores, grid: Fraction) -> tuple[Gaps, Fraction]:
    if isinstance(scores, np.ndarray) and np.issubdtype(scores.dtype, np.floating):
        return rounded(scores.astype(np.float64), grid), grid
    return _integers([round(_fraction(score) / grid) for score in scores]), grid


def _exactly(scores: Scores) -> tuple[Gaps, Fraction]:
    if isinstance(scores, np.ndarray) and np.issubdtype(scores.dtype, np.integer):
        return np.clip(scores, -_LARGEST, _LARGEST).astype(np.int64), Fraction(1)
    exact = [_fraction(score) for score in scores]
    denominator = 1
    for score in exact:
        denominator = math.lcm(denominator, score.denominator)
        if denominator.bit_length() > _WIDEST_DENOMINATOR:
            raise ParameterError("the common denominator of the scores is too long; give a grid to round them to.")
    return _integers([score.numerator * (denominator // score.denominator) for score in exact]), Fraction(
        1, denominator
    )


def _fraction(score: object) -> Fraction:
    if isinstance(score, Fraction | int | np.integer):
        return Fraction(int(score)) if isinstance(score, np.integer) else Fraction(score)
    raise ParameterError(
        f"scores must be integers or Fractions, or a float array together with a grid; got a {type(score).__name__}."
    )


def _integers(values: list[int]) -> Gaps:
    narrow = max(values) - min(values) < _LARGEST and max(map(abs, values)) < _LARGEST
    return np.array(values, dtype=np.int64 if narrow else object)
