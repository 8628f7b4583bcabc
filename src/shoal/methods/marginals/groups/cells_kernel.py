"""Compiled: how much is in each cell of a table of three columns, without a list of cells on the way."""

from __future__ import annotations

from typing import Any

from shoal.arrays import Keys
from shoal.kernels.jit import compiled


@compiled
def add_up(  # noqa: PLR0917  compiled functions take positions
    first: Keys,
    second: Keys,
    third: Keys,
    of_first: Keys,
    of_second: Keys,
    of_third: Keys,
    widths: Keys,
    sizes: Any,
    into: Any,
) -> None:
    """Add what each record stands for to its cell.

    Its leaf in three columns, the piece of each leaf in each, and how many pieces these have.
    """
    for i in range(len(first)):
        cell = (of_first[first[i]] * widths[1] + of_second[second[i]]) * widths[2] + of_third[third[i]]
        into[cell] += sizes[i]
