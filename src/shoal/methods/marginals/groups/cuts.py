"""Cuts: how finely a column is looked at in a table of several. Follows from noisy masses alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys

if TYPE_CHECKING:
    from shoal.methods.marginals.leaves import Leaves

_ROUNDING = 1e-9


def rooms_of(cells: float, leaves: Sequence[int]) -> tuple[int, ...]:
    """How many pieces columns with so many leaves get, so that their table has about so many cells.

    Short columns, which come first, pass on what they do not need.

    >>> rooms_of(100, [41, 2])
    (41, 2)
    >>> rooms_of(100, [41, 16])
    (10, 10)
    >>> rooms_of(100, [41, 2, 16])
    (7, 2, 7)
    """
    rooms = [1] * len(leaves)
    left = cells
    for done, column in enumerate(sorted(range(len(leaves)), key=lambda column: leaves[column])):
        even = int(left ** (1 / (len(leaves) - done)) + _ROUNDING)
        rooms[column] = min(leaves[column], max(2, even))
        left /= rooms[column]
    return tuple(rooms)


def cut_into(leaves: Leaves, masses: Floats, pieces: int) -> Keys:
    """The piece of each leaf: the heaviest piece is divided first.

    Neighbors stay together in a column with an order, divided where their mass is halved; elsewhere the heaviest
    leaves stand by themselves and the others are one piece.
    """
    number = len(masses)
    if pieces >= number:
        return np.arange(number)
    if not leaves.ordered:
        groups = np.full(number, pieces - 1)
        groups[np.argsort(-masses, kind="stable")[: pieces - 1]] = np.arange(pieces - 1)
        return groups
    ends = np.concatenate([[0.0], np.cumsum(masses)])
    starts = [0, number]
    for _ in range(pieces - 1):
        widths = np.diff(starts)
        weights = np.where(widths > 1, np.diff(ends[starts]), -1.0)
        at = int(np.argmax(weights))
        low, high = starts[at], starts[at + 1]
        middle = (ends[low] + ends[high]) / 2
        inner = ends[low + 1 : high]
        starts.insert(at + 1, low + 1 + int(np.argmin(np.abs(inner - middle))))
    return np.repeat(np.arange(pieces), np.diff(starts))
