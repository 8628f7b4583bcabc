"""Hierarchies: how the values of one column become coarser.

One numbering of nodes per column: leaves are the codes 0…n−1 of the domain, inner nodes follow, the root is last.
Every node covers a contiguous range of leaf codes, so a generalization is a monotone lookup, containment is two
comparisons, and the smallest node over a set of leaves is the smallest node over its first and last one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Codes, Nodes
from shoal.errors import HierarchyError
from shoal.kernels.grouping import narrowest

ANY = "*"


class Labels(Sequence[str]):
    """The labels of inner nodes, level after level, each written when it is asked for: there may be millions."""

    def __init__(self) -> None:
        self._levels: list[tuple[Sequence[str], NDArray[np.int64]]] = []
        self._ends: list[int] = []

    def add(self, names: Sequence[str], kept: NDArray[np.int64]) -> None:
        """The next level: those of its names that are `kept`."""
        self._levels.append((names, kept))
        self._ends.append(len(self) + len(kept))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...

    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        at = range(len(self))[at]
        level = bisect_right(self._ends, at)
        names, kept = self._levels[level]
        return names[int(kept[at - (self._ends[level - 1] if level else 0)])]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over the leaves 0…n−1, with levels for full-domain generalization.

    Attributes:
        inner_labels: The label of each inner node, in the order of their numbers.
        parent: The parent of each node; the root is its own.
        first: The first leaf under each node.
        leaf_count: How many leaves are under each node.
        up: `up[level, leaf]` is the node that stands for a leaf at a level; level 0 is the leaf, the last the root.
            In a ragged tree a leaf near the root stands for itself at several levels.
    """

    inner_labels: Sequence[str]
    parent: Nodes
    first: Nodes
    leaf_count: Nodes
    up: Nodes

    @staticmethod
    def from_levels(
        leaves: int,
        levels: Sequence[NDArray[Any]],
        labels: Sequence[Sequence[str]],
        leaf_label: Callable[[int], str],
    ) -> Hierarchy:
        """The tree whose level i + 1 groups the leaves as `levels[i]` says, group g being called `labels[i][g]`.

        Groups are numbered 0, 1, … along the leaves and each level is coarser than the one before; a group that covers
        the same leaves under the same label as on the level below is the same node (so a ragged tree is given by
        repeating a value until its parent comes).
        """
        names = Labels()
        parent = np.arange(leaves, dtype=np.int32)
        first, count = parent.copy(), np.ones(leaves, dtype=np.int32)
        up = np.empty((len(levels) + 1, leaves), dtype=np.int32)
        up[0] = parent

        def called(node: int) -> str:
            return leaf_label(node) if node < leaves else names[node - leaves]

        for depth, (groups, called_here) in enumerate(zip(levels, labels, strict=True), start=1):
            starts = np.flatnonzero(np.diff(groups, prepend=-1)).astype(np.int32)
            widths = np.diff(starts, append=leaves).astype(np.int32)
            nodes = up[depth - 1][starts]
            is_new = count[nodes] != widths
            for group in np.flatnonzero(~is_new).tolist():
                is_new[group] = called(int(nodes[group])) != called_here[group]
            fresh = np.flatnonzero(is_new)
            nodes[fresh] = np.arange(len(parent), len(parent) + len(fresh), dtype=np.int32)
            names.add(called_here, fresh)
            parent = np.concatenate([parent, nodes[fresh]])
            first, count = np.concatenate([first, starts[fresh]]), np.concatenate([count, widths[fresh]])
            up[depth] = nodes[groups]
            moved = up[depth] != up[depth - 1]
            parent[up[depth - 1][moved]] = up[depth][moved]
        if (up[-1] != up[-1, 0]).any():
            raise HierarchyError("the last level of a hierarchy must put all values together.")
        return Hierarchy(names, parent, first, count, up)

    @staticmethod
    def flat(leaves: int) -> Hierarchy:
        """Keep a value or hide it."""
        return Hierarchy.from_levels(leaves, [np.zeros(leaves, dtype=np.int64)], [[ANY]], leaf_label=str)

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return int(self.up.shape[1])

    @property
    def height(self) -> int:
        """The highest level: 0 keeps every value, `height` hides it."""
        return int(self.up.shape[0]) - 1

    @property
    def root(self) -> int:
        """The node that covers every leaf."""
        return int(self.up[-1, 0])

    @cached_property
    def starts(self) -> tuple[NDArray[np.int64], ...]:
        """For each level the first leaf of each of its nodes."""
        return tuple(np.flatnonzero(np.diff(level.codes.astype(np.int64), prepend=-1)) for level in self.levels)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Each level as a compact lookup."""
        return tuple(Level.of(nodes) for nodes in self.up)

    @cached_property
    def level_of(self) -> Nodes:
        """The lowest level at which each node stands for its leaves."""
        lowest = np.empty(len(self.parent), dtype=np.int32)
        for level in range(self.height, -1, -1):
            lowest[self.up[level]] = level
        return lowest

    def covers(self, node: Nodes, other: Nodes) -> NDArray[np.bool_]:
        """Whether each node is the other one or an ancestor of it."""
        low, high = self.first[node], self.first[node] + self.leaf_count[node]
        inside = (low <= self.first[other]) & (self.first[other] + self.leaf_count[other] <= high)
        return inside & ((self.leaf_count[node] > self.leaf_count[other]) | (node >= other))

    def common_ancestor(self, node: Nodes, other: Nodes) -> Nodes:
        """The lowest node above both, pair by pair."""
        result = np.array(node, dtype=np.int32)
        while not (done := self.covers(result, other)).all():
            result = np.where(done, result, self.parent[result])
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """One level of a hierarchy as a lookup into 0…size−1, numbered along the leaves."""

    codes: Codes
    nodes: Nodes

    @staticmethod
    def of(nodes: Nodes) -> Level:
        """Compact the node of each leaf; equal neighbors are one class, for nodes cover contiguous leaves."""
        codes = np.cumsum(np.diff(nodes, prepend=nodes[0]) != 0)
        size = int(codes[-1]) + 1
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        return Level(codes.astype(narrowest(size)), nodes[starts])

    @property
    def size(self) -> int:
        """Number of classes at this level."""
        return len(self.nodes)
