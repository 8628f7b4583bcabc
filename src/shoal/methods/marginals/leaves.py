"""The leaves of a column: the pieces of its declared domain that records are counted by.

Named values and numbers of few steps are leaves as they are; the leaves of wider numbers are found by a private tree
(`private_tree`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Codes, Keys
from shoal.search.top_down.cut import is_ordered, unused_leaf

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute

MOST_VALUES = 32
"""Numbers of up to so many steps are counted value by value."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The pieces of one column, in the order of its codes.

    Attributes:
        attribute: The column.
        firsts: The first code of each leaf.
        lasts: The last code of each leaf.
    """

    attribute: Attribute
    firsts: Keys
    lasts: Keys

    def __len__(self) -> int:
        return len(self.firsts)

    @property
    def ordered(self) -> bool:
        """Whether neighboring leaves are alike."""
        return self.attribute.domain.ordered

    def of(self, codes: Codes) -> Keys:
        """The leaf of each code."""
        return np.searchsorted(self.firsts, codes, side="right") - 1

    @staticmethod
    def single(attribute: Attribute) -> Leaves:
        """Every value by itself."""
        codes = usable_codes(attribute)
        return Leaves(attribute, codes, codes)

    @staticmethod
    def of_pieces(attribute: Attribute, firsts: Keys) -> Leaves:
        """Numbers in pieces that start at `firsts`; the missing value, where there may be one, by itself."""
        steps = numbers_of(attribute)
        lasts = np.append(firsts[1:], steps) - 1
        beyond = usable_codes(attribute)[steps:]
        return Leaves(attribute, np.append(firsts, beyond), np.append(lasts, beyond))


def is_wide(attribute: Attribute) -> bool:
    """Whether a column has too many numbers to count them one by one."""
    return is_ordered(attribute) and numbers_of(attribute) > MOST_VALUES


def usable_codes(attribute: Attribute) -> Keys:
    """The codes that a record can have: all but a place for missing values where there are none."""
    codes = np.arange(attribute.domain.size, dtype=np.int64)
    outside = unused_leaf(attribute)
    return codes if outside is None else np.delete(codes, outside)


def numbers_of(attribute: Attribute) -> int:
    """How many numbers or days a column has; the missing value stands behind them."""
    return attribute.domain.size - (attribute.domain.missing is not None)
