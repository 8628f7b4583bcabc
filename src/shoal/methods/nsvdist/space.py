"""The records of a table as NSVDist's kernels take them: whole-number losses, and blocks of neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Nodes
from shoal.data.attribute import Attribute
from shoal.data.encoded import EncodedTable
from shoal.methods.nsvdist.layout import GONE, Blocks, Records, Trees

_BLOCK = 256
"""The most distinct records of a block: few enough for tight boxes, enough for the processor's vectors."""


@dataclass(frozen=True, eq=False)
class Prices:
    """What generalizing costs, column by column, in whole units of which a record that shows nothing has `whole`.

    Attributes:
        attributes: The quasi-identifiers.
        is_interval: Which of them become intervals; the others become nodes of their hierarchies.
        unit: Units for all of one column.

    Whole numbers make sums exact and ties repeatable; a unit is below 10⁻⁸ of the largest loss. An interval costs the
    distance of its rounded ends, so a wider one never costs less.
    """

    attributes: tuple[Attribute, ...]
    is_interval: Mask
    unit: Floats

    @staticmethod
    def loss_metric(attributes: Sequence[Attribute], is_interval: Mask, weights: Floats) -> Prices:
        """(|values| − 1) / (|domain| − 1) for each column, weighted (Eq. 2)."""
        return Prices(tuple(attributes), is_interval, weights / weights.sum() * float(GONE // 2 - 2 * len(weights)))

    @property
    def whole(self) -> float:
        """Units of a record that shows nothing."""
        return float(self.unit.sum())

    def coordinates(self, column: int, leaves: Nodes) -> Nodes:
        """Where the leaves of an interval column lie."""
        last = max(self.attributes[column].domain.size - 1, 1)
        return np.asarray(np.rint(leaves * (self.unit[column] / last)), dtype=np.int32)

    def nodes(self, column: int) -> Nodes:
        """What each node of a tree column costs."""
        counts = self.attributes[column].hierarchy.leaf_count
        last = max(self.attributes[column].domain.size - 1, 1)
        return np.asarray(np.rint((counts - 1) * (self.unit[column] / last)), dtype=np.int32)

    @cached_property
    def trees(self) -> Trees:
        """The hierarchies of all tree columns."""
        offsets, parts, height = [], [], 1
        here = 0
        for column, attribute in enumerate(self.attributes):
            if self.is_interval[column]:
                offsets.append(-1)
                continue
            tree = attribute.hierarchy
            offsets.append(here)
            parts.append((tree.parent, tree.first, tree.first + tree.leaf_count - 1, self.nodes(column)))
            here += len(tree.parent)
            height = max(height, _steps(tree.parent))
        none = (np.zeros(0, dtype=np.int32),) * 4
        parent, first, last, price = (
            np.concatenate(arrays).astype(np.int32) for arrays in zip(*(parts or [none]), strict=True)
        )
        return Trees(np.array(offsets, dtype=np.int32), parent, first, last, price, height)


def _steps(parent: Nodes) -> int:
    """The most steps from a node to the root."""
    here, steps = parent.copy(), 0
    root = int(parent[-1])
    while (here != root).any():
        here, steps = parent[here], steps + 1
    return steps + 1


@dataclass(frozen=True, eq=False)
class Space:
    """Some distinct records of a table, in blocks.

    Attributes:
        rows: The distinct record of the table that each of ours is.
        records: Their codes and coordinates, in the order of the blocks.
        blocks: The blocks.
        combinations: How many combinations of sensitive values the whole table has.
    """

    rows: Keys
    records: Records
    blocks: Blocks
    combinations: int

    @staticmethod
    def of(table: EncodedTable, prices: Prices, rows: Keys | None = None, sizes: Keys | None = None) -> Space:
        """The distinct records `rows` of a table, `sizes` of each; all of them if not given."""
        counts = table.counts
        rows = np.arange(len(counts)) if rows is None else rows
        sizes = counts.sizes[rows] if sizes is None else sizes
        leaf = np.stack([counts.column(a.name)[rows].astype(np.int32) for a in prices.attributes])
        coordinate = leaf.copy()
        for column in np.flatnonzero(prices.is_interval).tolist():
            coordinate[column] = prices.coordinates(column, leaf[column])
        order, start = _blocks(coordinate, prices)
        names = [attribute.name for attribute in table.sensitive]
        joint, combinations = counts.group(names)
        value = np.stack([counts.column(name)[rows].astype(np.int32) for name in names])
        coordinate = np.ascontiguousarray(coordinate[:, order])
        records = Records(
            coordinate,
            np.ascontiguousarray(leaf[:, order]),
            rows[order].astype(np.int32),
            sizes[order].astype(np.int32),
            joint[rows][order].astype(np.int32),
            np.ascontiguousarray(value[:, order]),
        )
        low = np.minimum.reduceat(coordinate, start[:-1], axis=1)
        high = np.maximum.reduceat(coordinate, start[:-1], axis=1)
        blocks = Blocks(start.astype(np.int32), np.ascontiguousarray(low), np.ascontiguousarray(high))
        return Space(rows[order], records, blocks, combinations)

    @cached_property
    def sensitive(self) -> int:
        """How many sensitive columns there are."""
        return len(self.records.value)


def _blocks(coordinate: Nodes, prices: Prices) -> tuple[Keys, Keys]:
    """Records halved along the column in which they differ most, until few are left: their order, and where blocks end.

    Any order is correct; this one makes boxes small.
    """
    place = coordinate.astype(float)
    for column in np.flatnonzero(~prices.is_interval).tolist():
        last = max(prices.attributes[column].domain.size - 1, 1)
        place[column] *= prices.unit[column] / last
    order = np.arange(coordinate.shape[1])
    starts = [0]
    stack = [(0, len(order))]
    while stack:
        first, end = stack.pop()
        part = order[first:end]
        if end - first <= _BLOCK:
            starts.append(end)
            continue
        here = place[:, part]
        column = int(here.std(axis=1).argmax())
        values = here[column]
        half = np.partition(values, len(values) // 2)[len(values) // 2]
        right = values >= half
        if right.all():
            right = values > half
        if not right.any():  # all alike: any place will do
            right = np.arange(end - first) >= _BLOCK
        order[first:end] = np.concatenate([part[~right], part[right]])
        middle = end - int(right.sum())
        stack += [(middle, end), (first, middle)]
    return order, np.array(starts)
