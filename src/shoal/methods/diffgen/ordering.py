"""Named values in the order of what they tell about the class, so that they can be split like numbers.

Sees noisy numbers only. Paper: ordering categories by class rate, Breiman et al. 1984 (CART), Thm 4.5; for more than
two classes by the first axis of correspondence analysis (Greenacre 1984).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys

if TYPE_CHECKING:
    from shoal.methods.marginals.leaves import Leaves

_TINY = 1e-9


def ranks(leaves: Leaves, table: Floats, totals: Floats) -> Keys:
    """The place of each leaf: along the numbers, or by the class shares that `table[leaf, class]` gives it."""
    if leaves.ordered:
        return np.arange(len(leaves))
    masses = table.sum(axis=1, keepdims=True)
    overall = (totals + _TINY) / (totals + _TINY).sum()
    apart = (table / np.maximum(masses, _TINY) - overall) / np.sqrt(overall)
    axis = np.linalg.svd(apart * np.sqrt(masses), full_matrices=False)[2][0]
    return np.argsort(np.argsort(apart @ axis, kind="stable"), kind="stable")
