"""How finely named values are counted: where a column has too many, by the nodes of a level of its hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Keys
from shoal.methods.marginals.leaves import Leaves, usable_codes
from shoal.search.top_down.cut import is_ordered

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.hierarchies.hierarchy import Level


def coarse_enough(leaves: Leaves, most: int) -> Leaves:
    """Leaves as they are if they are few enough or numbers; else the nodes of the finest level that has few enough."""
    if len(leaves) <= most or is_ordered(leaves.attribute):
        return leaves
    _, firsts = level_of(leaves.attribute, most)
    return Leaves(leaves.attribute, firsts, np.append(firsts[1:], leaves.lasts[-1] + 1) - 1)


def level_of(attribute: Attribute, most: int) -> tuple[Level, Keys]:
    """The finest level of a hierarchy that has so many nodes at most, and where each of them starts."""
    usable = usable_codes(attribute)
    for level in attribute.hierarchy.levels:
        firsts = usable[np.flatnonzero(np.diff(level.codes[usable].astype(np.int64), prepend=-1))]
        if len(firsts) <= most:
            return level, firsts
    raise AssertionError("the highest level of a hierarchy has one node")
