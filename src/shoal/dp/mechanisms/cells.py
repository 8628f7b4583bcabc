"""Noise on every cell of a contingency table, the empty ones too, without looking at every cell.

Publishing only cells that hold records would say which ones do (theory DG-2). An empty cell is published only if its
noise reaches the threshold; how many do is one binomial draw, which ones they are is a draw without replacement, and
what lies above the threshold is geometric. Same law as noise on every cell (theory DG-5, `docs/proofs/diffgen.md`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.arrays import Keys, Sizes
    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.dp.coins.coins import Chance, Coins
    from shoal.dp.mechanisms.charges import Charges

_DENSE = 1 << 18
"""Up to so many cells, noise on each of them is as fast."""


class CellNoise(Protocol):
    """Independent integer noise whose upper tail falls like e^(−x n)."""

    @property
    def cost(self) -> PrivacyCost:
        """What noise on all cells costs."""
        ...

    @property
    def exponent(self) -> Fraction:
        """How fast: x."""
        ...

    def tail(self, least: int) -> Chance:
        """The chance of noise of `least` or more."""
        ...

    def draw(self, count: int, coins: Coins) -> Sizes:
        """Noise, without paying."""
        ...


def noisy_cells(
    keys: Keys,
    sizes: Sizes,
    cells: int,
    noise: CellNoise,
    coins: Coins,
    ledger: Charges,
    reason: str,
    *,
    least: int = 1,
    dense: int = _DENSE,
) -> tuple[Keys, Sizes]:
    """Charge, then add noise to all of the cells 0…cells−1; those that come out at `least` or more, in order.

    Args:
        keys: The cells that hold records, in rising order.
        sizes: How many records each of them holds.
        cells: How many cells there are: public, whatever the data.
        noise: The noise; its sensitivity must be that of a histogram.
        coins: For the noise.
        ledger: What pays for it.
        reason: What it is for.
        least: A public threshold, 1 or more.
        dense: Up to so many cells each gets its own draw; the law is the same.
    """
    if least < 1:
        raise ParameterError(f"a threshold for noisy counts is a whole number, 1 or more; got {least!r}.")
    ledger.charge(noise.cost, reason)
    if cells <= dense:
        counts = noise.draw(cells, coins)
        counts[keys] += sizes
        found = np.flatnonzero(counts >= least)
        return found, counts[found]
    held = sizes + noise.draw(len(keys), coins)
    spurious = coins.binomial(cells - len(keys), noise.tail(least))
    others = _empty_cells(spurious, keys, cells, coins)
    extra = least + coins.geometrics(noise.exponent, spurious)
    stays = held >= least
    found = np.concatenate([keys[stays], others])
    order = np.argsort(found)
    return found[order], np.concatenate([held[stays], extra])[order]


def _empty_cells(wanted: int, taken: Keys, cells: int, coins: Coins) -> Keys:
    """Distinct cells that are not taken, every set of `wanted` of them equally likely."""
    chosen = np.zeros(0, dtype=np.int64)
    while len(chosen) < wanted:
        drawn = coins.randbelows(cells, wanted - len(chosen))
        together = np.concatenate([chosen, drawn[~_among(drawn, taken)]])
        chosen = together[np.sort(np.unique(together, return_index=True)[1])]
    return chosen


def _among(drawn: Keys, taken: Keys) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if not len(taken):
        return np.zeros(len(drawn), dtype=np.bool_)
    at = np.minimum(np.searchsorted(taken, drawn), len(taken) - 1)
    return np.asarray(taken[at] == drawn)
