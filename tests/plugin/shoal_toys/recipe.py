"""A hierarchy recipe in one file."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.data.hierarchies.hierarchy import ANY, Hierarchy
from shoal.parameters import Count, read_parameters


@dataclass(frozen=True)
class Halves:
    """The lower and the upper part of an ordered domain, cut after so many values, then everything."""

    name: ClassVar[str] = "halves"

    after: Count

    def __post_init__(self):
        """Read what was given."""
        read_parameters(self)

    def leaves(self):
        """It fits any domain."""
        return

    def build(self, domain, column):
        """Two levels."""
        del column
        upper = (np.arange(domain.size) >= self.after).astype(np.int64)
        whole = np.zeros(domain.size, dtype=np.int64)
        return domain, Hierarchy.from_levels(domain.size, [upper, whole], [["low", "high"], [ANY]], domain.labels)
