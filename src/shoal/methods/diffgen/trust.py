"""How far class shares that were counted with noise are believed: as far as they lie apart beyond the noise.

Sees noisy numbers only. How far the leaves of a column really lie apart in their class shares is not known; every
spread of a list is tried, and each has the say that the noisy counts give it (Bayes' rule; Robbins 1956, Morris 1983).
A column that tells nothing is drawn to the class shares of the whole table then, however many leaves it has; one that
tells much keeps what it tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.methods.marginals.balancing import fitted, projected
from shoal.methods.marginals.class_tables import ClassTables, ever_finer

if TYPE_CHECKING:
    from shoal.methods.marginals.leaves import Leaves

_SPREADS = np.array([0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.3])
"""How far class shares of leaves may lie from those of what they are in, as shares of their records."""
_USUAL, _WIDTH = 0.5, 0.8
"""The spread that is likeliest before the counts are looked at, and the width of that belief in logarithms."""
_LEAST_SHARE = 1e-6
_TINY = 1e-9


def believed_tables(
    noisy: Sequence[Sizes], leaves: Sequence[Leaves], variances: Sequence[float], counted: int, spread: float
) -> ClassTables:
    """Class tables that agree with each other, from noisy ones: the arguments of `ClassTables.of`."""
    found = ClassTables.of(noisy, leaves, variances, counted, spread)
    if len(found.totals) == 1:
        return found
    tables = [
        _drawn_together(table.astype(np.float64), of_column, found.totals, variance)
        for table, of_column, variance in zip(noisy, leaves, variances, strict=True)
    ]
    return replace(found, tables=tuple(tables))


def _drawn_together(table: Floats, leaves: Leaves, totals: Floats, variance: float) -> Floats:
    """One table with the totals of the classes, and class shares of pieces drawn to those of what they are in."""
    table = np.stack([projected(table[:, y], float(total)) for y, total in enumerate(totals)], axis=1)
    masses = table.sum(axis=1)
    shares = np.tile((totals + _TINY) / (totals + _TINY).sum(), (len(table), 1))
    for piece in ever_finer(leaves, masses):
        number = int(piece.max()) + 1
        mass = _by_piece(piece, masses[:, None], number)
        expected = _by_piece(piece, masses[:, None] * shares, number) / np.maximum(mass, _TINY)
        off = _by_piece(piece, table, number) - expected * mass
        others = len(totals) - 1
        noise = variance * np.bincount(piece)[:, None] * ((1 - expected) ** 2 + others * expected**2)
        moved = believed_share(off, mass, noise) * off / np.maximum(mass, _TINY)
        shares = np.maximum(shares + moved[piece], _LEAST_SHARE)
        shares /= shares.sum(axis=1, keepdims=True)
    return fitted(masses[:, None] * shares, (masses, totals))


def believed_share(off: Floats, mass: Floats, noise: Floats) -> Floats:
    """What share of each difference is believed: pieces of so many records, by class, with noise of these variances.

    Args:
        off: How far noisy counts, `off[piece, class]`, are from those expected; the classes of a piece add up to 0.
        mass: How many records each piece has, `mass[piece, 0]`.
        noise: The variance of the noise in each difference.
    """
    there = mass[:, 0] > 0
    free = 1 - 1 / off.shape[1]  # the last class of a piece follows from the others
    signals = [(spread * mass) ** 2 for spread in _SPREADS]
    logs = np.array([_log_likelihood(off[there], (signal + noise)[there]) for signal in signals]) * free
    logs -= (np.log(_SPREADS / _USUAL) / _WIDTH) ** 2 / 2
    says = np.exp(logs - logs.max())
    says /= says.sum()
    return np.asarray(sum(say * signal / (signal + noise) for say, signal in zip(says, signals, strict=True)))


def _log_likelihood(off: Floats, variance: Floats) -> float:
    """Of differences that are normal around 0, up to a constant."""
    return -float((np.log(variance) + off**2 / variance).sum()) / 2


def _by_piece(piece: Keys, counts: Floats, number: int) -> Floats:
    return np.stack([np.bincount(piece, weights=of_class, minlength=number) for of_class in counts.T], axis=1)
