"""The entropy measure: what a generalized value leaves open about the original one, in bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Mask, Nodes
from shoal.data.attribute import Attribute
from shoal.data.encoded import EncodedTable
from shoal.methods.nsvdist.layout import GONE
from shoal.methods.nsvdist.scan_kernel import Values
from shoal.methods.nsvdist.space import Prices, Space


@dataclass(frozen=True, eq=False)
class EntropyPrices(Prices):
    """H(value | it lies in the generalized one), by the frequencies of the whole table.

    It can fall as a set of values grows: four values that are equally frequent leave two bits open, and fewer once a
    fifth that is much more frequent joins them.

    Attributes:
        frequencies: How many records carry each leaf, per column.

    Paper: Gionis & Tassa 2009 (reference 12 of NSVDist).
    """

    frequencies: tuple[Floats, ...] = ()

    @staticmethod
    def of(table: EncodedTable, is_interval: Mask, weights: Floats) -> EntropyPrices:
        """The measure on one table."""
        attributes: Sequence[Attribute] = table.quasi_identifiers
        frequencies = tuple(table.marginal(a.name).astype(float) for a in attributes)
        bits = np.array([np.log2(max(int(np.count_nonzero(f)), 2)) for f in frequencies])
        units = weights / float((weights * bits).sum()) * float(GONE // 2 - 2 * len(weights))
        return EntropyPrices(tuple(attributes), is_interval, units, frequencies)

    @property
    def whole(self) -> float:
        """Units of a record that shows nothing and could be anything."""
        return float(GONE // 2)

    @cached_property
    def _sums(self) -> list[tuple[Floats, Floats]]:
        """Per column, records and Σ n log₂ n over all leaves before each."""
        logs = [f * np.log2(np.maximum(f, 1)) for f in self.frequencies]
        return [(_before(f), _before(log)) for f, log in zip(self.frequencies, logs, strict=True)]

    def bits(self, column: int, first: Nodes, last: Nodes) -> Floats:
        """The entropy of ranges of leaves that records lie in."""
        records, logs = (sums[last + 1] - sums[first] for sums in self._sums[column])
        there = np.maximum(records, 1)
        return np.maximum(np.log2(there) - logs / there, 0.0)

    def nodes(self, column: int) -> Nodes:
        """What each node of a tree column costs."""
        tree = self.attributes[column].hierarchy
        bits = self.bits(column, tree.first, tree.first + tree.leaf_count - 1)
        return np.asarray(np.rint(bits * self.unit[column]), dtype=np.int32)

    def values(self, space: Space) -> Values:
        """The values that occur in the table, for the kernel that scans."""
        offset, leaves, before, logs = [0], [], [], []
        number = np.empty_like(space.records.leaf)
        for column, frequencies in enumerate(self.frequencies):
            there = np.flatnonzero(frequencies)
            place = np.zeros(len(frequencies), dtype=np.int32)
            place[there] = np.arange(len(there))
            number[column] = place[space.records.leaf[column]]
            offset.append(offset[-1] + len(there))
            leaves.append(there)
            records, sums = self._sums[column]
            before.append(np.append(records[there], records[-1]))
            logs.append(np.append(sums[there], sums[-1]))
        return Values(
            np.array(offset, dtype=np.int32),
            np.concatenate(leaves).astype(np.int32),
            number,
            np.concatenate(before),
            np.concatenate(logs),
            self.unit,
        )


def _before(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])
