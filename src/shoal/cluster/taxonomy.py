"""Distances between categories, from the hierarchy they stand in: semantic distance, marginality, centroids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Nodes, Sizes
from shoal.data.hierarchies.hierarchy import Hierarchy

if TYPE_CHECKING:
    from shoal.arrays import Keys

UNIT = 1 << 30
"""Distances are also kept as whole multiples of 1/UNIT, so that sums of them are exact."""

MOST_VALUES = 4096
"""A table of all distances is kept, so a domain may not be larger."""

_EXACT = 1 << 53
_CHUNK = 1024


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """The values of a categorical column, and how far apart they and their generalizations are.

    d(a, b) = log2(1 + (|φ(a) ∪ φ(b)| − |φ(a) ∩ φ(b)|) / |φ(a) ∪ φ(b)|), φ(a) being a and all nodes above it. This is a
    metric between 0 and 1. Nodes are numbered as in the hierarchy: values first.

    Attributes:
        hierarchy: The tree; without a better one, the flat one, in which any two values are equally far apart.

    Paper: Microaggregation-DP §4.4 and §4.5, Equations (2) to (5) and (7), after Sánchez et al. 2012.
    """

    hierarchy: Hierarchy

    @property
    def values(self) -> int:
        """Number of values."""
        return self.hierarchy.leaves

    @property
    def nodes(self) -> int:
        """Number of values and generalizations: the candidates for a centroid."""
        return len(self.hierarchy.parent)

    @cached_property
    def distance(self) -> Floats:
        """`distance[node, value]`, Equation (7)."""
        tree = self.hierarchy
        above = _above(tree.parent, tree.root)
        shared = np.zeros((self.nodes, self.values), dtype=np.int64)
        every = np.arange(self.nodes, dtype=np.int32)
        for node in range(self.nodes):
            below = np.flatnonzero(tree.covers(np.full(self.nodes, node, dtype=np.int32), every))
            first = int(tree.first[node])
            shared[below, first : first + int(tree.leaf_count[node])] += 1
        union = above[:, None] + above[None, : self.values] - shared
        result: Floats = np.log2(1 + (union - shared) / union)
        return result

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """`distance` in whole multiples of 1/UNIT: a public table, exact to add up."""
        return np.rint(self.distance * UNIT).astype(np.int64)

    @cached_property
    def bottom(self) -> int:
        """The most marginal value of the domain, Equation (3); the first one of several."""
        return int(np.argmax(self.units[: self.values].sum(axis=1)))

    @cached_property
    def top(self) -> int:
        """The value farthest from `bottom`, Equation (4); the first one of several."""
        return int(np.argmax(self.units[self.bottom]))

    @property
    def width(self) -> int:
        """The distance between the two boundaries, which Equation (8) divides by, in units."""
        return int(self.units[self.bottom, self.top])

    @cached_property
    def diameter(self) -> int:
        """The most that replacing one value can change any candidate's marginality, in units (theory MA-6).

        max over candidates a and values v, w of |d(a, v) − d(a, w)|. It can exceed `width`.
        """
        return int((self.units.max(axis=1) - self.units.min(axis=1)).max())

    def step_range(self, value: int, other: int) -> int:
        """The width of the interval in which one replacement moves all marginalities, in units (theory X-6).

        max_a (d(a, v) − d(a, w)) − min_a (d(a, v) − d(a, w)): 2 d(v, w), up to rounding; at most twice the diameter.
        """
        moved = self.units[:, value] - self.units[:, other]
        return int(moved.max() - moved.min())

    def path_range(self, order: Keys) -> int:
        """What all replacements along an order of the values amount to together, in units."""
        return sum(self.step_range(int(v), int(w)) for v, w in pairwise(order))

    def marginality(self, histograms: Sizes) -> Sizes:
        """`marginality[group, node]`, Equation (2): the distances of a node to all values of a group, summed, in units.

        `histograms[group, value]` says how often each value occurs.
        """
        result = np.empty((len(histograms), self.nodes), dtype=np.int64)
        for start in range(0, len(histograms), _CHUNK):
            part = histograms[start : start + _CHUNK]
            if int(part.sum(axis=1).max(initial=0)) * UNIT < _EXACT:  # then sums of doubles are exact in any order
                result[start : start + _CHUNK] = part.astype(np.float64) @ self.units.T.astype(np.float64)
            else:
                result[start : start + _CHUNK] = part @ self.units.T
        return result

    def centroids(self, histograms: Sizes) -> Nodes:
        """The least marginal node of each group, Equation (5); the first one of several.

        Nodes outside of the smallest subtree that holds the group's values are never the least marginal.
        """
        least: Nodes = np.argmin(self.marginality(histograms), axis=1).astype(np.int32)
        return least


def _above(parent: Nodes, root: int) -> Sizes:
    """How many nodes are above each node, itself included."""
    depth = np.ones(len(parent), dtype=np.int64)
    here = np.arange(len(parent), dtype=np.int32)
    while (here != root).any():
        depth += here != root
        here = parent[here]
    return depth
