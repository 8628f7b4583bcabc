"""Rings: the records of a cluster in a circle, each masked by itself and those that follow it.

Every record is in exactly as many sets as a set has records, so the sets are a union of perfect matchings between
records and sets: any of them may belong to any of its sets (theory 6d; Wong, Mamoulis & Cheung 2010).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Keys, Mask, Nodes
from shoal.data.partition import Partition

_COMPILED = 10_000
"""From so many records on compiled code is worth loading."""


@dataclass(frozen=True, eq=False)
class Rings:
    """Records one by one, cluster after cluster, in the order of their rings.

    Attributes:
        record: The distinct record that each one is.
        label: Its cluster, 0…G−1, ascending.
        starts: Where each cluster begins, and where the last one ends.
    """

    record: Keys
    label: Keys
    starts: Keys

    @staticmethod
    def of(partition: Partition, place: Keys) -> Rings:
        """The classes of a partition as rings, in the order in which `place` puts distinct records."""
        parts = np.lexsort((place[partition.source], partition.label))
        record = np.repeat(partition.source[parts], partition.sizes[parts])
        label = np.repeat(partition.label[parts], partition.sizes[parts])
        starts = np.searchsorted(label, np.arange(partition.groups + 1))
        return Rings(record, label, starts)

    def after(self, steps: int) -> Keys:
        """The record that comes `steps` places later in the same ring."""
        first = self.starts[self.label]
        size = self.starts[self.label + 1] - first
        return first + (np.arange(len(self.record)) - first + steps) % size

    def extremes(self, leaves: Nodes, width: int) -> tuple[Nodes, Nodes]:
        """The lowest and the highest leaf of each record and the `width` − 1 that follow it; `leaves[column, record]`.

        Windows are joined from windows of half their width.
        """
        low, high, covered = leaves, leaves, 1
        while covered < width:
            step = min(covered, width - covered)
            later = self.after(step)
            low, high = np.minimum(low, low[:, later]), np.maximum(high, high[:, later])
            covered += step
        return low, high


def curve(coordinates: Nodes) -> Keys:
    """A place for each record such that neighbors are near: halved along the column in which they differ most."""
    order = _curved(coordinates)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def _curved(coordinates: Nodes) -> Keys:
    if coordinates.shape[1] >= _COMPILED:
        from shoal.methods.parts.curve_kernel import halved_along

        return halved_along(np.array(coordinates.T, dtype=float, order="C"))
    order = np.arange(coordinates.shape[1])
    stack = [(0, len(order))]
    while stack:
        first, end = stack.pop()
        if end - first <= 2:
            continue
        part = order[first:end]
        here = coordinates[:, part]
        widths = here.max(axis=1) - here.min(axis=1)
        if not widths.any():
            continue
        values = here[int(widths.argmax())]
        right = _upper_half(values)
        order[first:end] = np.concatenate([part[~right], part[right]])
        middle = end - int(right.sum())
        stack += [(first, middle), (middle, end)]
    return order


def _upper_half(values: Nodes) -> Mask:
    """Values from the median up, or above it if that is all of them."""
    half = np.partition(values, len(values) // 2)[len(values) // 2]
    right: Mask = values >= half
    return right if not right.all() else values > half


def dealt_apart(rings: Rings, value: Keys, apart: int) -> Rings:
    """The same rings in another order, in which equal values are at least `apart` places from each other.

    It exists if no value has more than 1/apart of the records of a ring. With q = ⌊n / apart⌋ rounds, the records of a
    ring are dealt to the rounds value by value, the most frequent value first: a value that fills all rounds has the
    same seat in each, and one that does not fill them never gets two seats in neighboring rounds that are too close
    (`docs/proofs/nsvdist.md`, section 3).

    Args:
        rings: Records in the order in which they should be near each other.
        value: The value of each distinct record.
        apart: The least distance.
    """
    label, first = rings.label, rings.starts[rings.label]
    rounds = np.diff(rings.starts)[label] // apart
    carried = value[rings.record]
    keys, same = np.unique(label * (int(value.max()) + 1) + carried, return_inverse=True)
    counts = np.bincount(same, minlength=len(keys))[same]
    assert (counts <= rounds).all(), "some value is too frequent"
    dealt = np.lexsort((carried, -counts, label))  # stable: as near each other as they were
    seat, turn = np.divmod(np.arange(len(label)) - first, rounds)
    return Rings(rings.record[dealt[np.lexsort((seat, turn, label))]], label, rings.starts)
