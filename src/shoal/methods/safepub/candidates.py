"""Generalization schemes to choose from, drawn without looking at the data.

All of a small lattice. Of a large one coarse schemes are drawn more often, because they are the ones that publish
anything: each draw takes an exponent θ, and each column then a level of s classes with probability proportional to
s^−θ. θ = 0 draws all schemes alike. How many classes a level has is public, it is in the hierarchy.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count as count_up
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from shoal.arrays import Keys
    from shoal.dp.coins.coins import Coins
    from shoal.search.lattice import Node

_TILTS = (0.0, 0.25, 0.5, 0.75, 1.0)
_EVENLY = (0.0,)
_PATIENCE = 8
"""After so many rounds without enough different schemes, the rest is drawn evenly."""
_FINE = 1 << 30


def candidate_schemes(sizes: Sequence[Sequence[int]], count: int, coins: Coins) -> list[Node]:
    """`count` different schemes, or all there are; never the one that is coarsest in every column.

    `sizes[i][level]` is how many classes a level of column i has.
    """
    levels = [len(of_column) for of_column in sizes]
    others = prod(levels) - 1
    if others <= count:
        return list(islice(product(*map(range, levels)), others))  # the coarsest is the last one
    coarsest = tuple(n - 1 for n in levels)
    chosen: dict[Node, None] = {}
    for turn in count_up():
        drawn = _draw(sizes, _TILTS if turn < _PATIENCE else _EVENLY, count, coins)
        chosen.update(dict.fromkeys(node for node in drawn if node != coarsest))
        if len(chosen) >= count:
            break
    return sorted(islice(chosen, count))


def _draw(sizes: Sequence[Sequence[int]], tilts: Sequence[float], count: int, coins: Coins) -> list[Node]:
    """Schemes, some of them equal."""
    tilt = coins.randbelows(len(tilts), count)
    columns = [_levels(of_column, tilts, tilt, coins.randbelows(_FINE, count)) for of_column in sizes]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _levels(sizes: Sequence[int], tilts: Sequence[float], tilt: Keys, drawn: Keys) -> Keys:
    """A level for each draw, by the tilt of its scheme."""
    levels = np.zeros(len(drawn), dtype=np.int64)
    for number, theta in enumerate(tilts):
        weights = np.array(sizes, dtype=float) ** -theta
        ends = np.rint(np.cumsum(weights) / weights.sum() * _FINE)
        here = tilt == number
        levels[here] = np.minimum(np.searchsorted(ends, drawn[here], side="right"), len(sizes) - 1)
    return levels
