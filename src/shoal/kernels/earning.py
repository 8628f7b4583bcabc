"""Whether compiled loops are worth loading: that takes three tenths of a second, once in a process."""

from __future__ import annotations

import sys

_LOADED = 3
"""How many times sooner if numba is there already, and only the loops have to be loaded."""

_made = 0
"""How many steps this process was asked for."""


def are_earned(steps: int, enough: int) -> bool:
    """Whether this process, with so many steps more, has been asked for enough of them to load compiled loops.

    Whoever rents skis until they have paid what skis cost, and buys them then, never pays twice what was needed. What
    comes out is the same either way.
    """
    global _made  # noqa: PLW0603  it is the process that loads them
    _made += steps
    return _made >= (enough // _LOADED if "numba" in sys.modules else enough)
