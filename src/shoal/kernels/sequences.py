"""Which persons have the same records, equally often: a tree of what they have, walked once."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.kernels.jit import compiled

_FEW = 32
"""Up to so many records of a person are sorted by inserting one after another."""


@compiled
def same_sequences(starts: Keys, keys: Keys, rows: Sizes) -> Keys:
    """A number for each person, equal for those whose rows have the same keys, each equally often; −1 without rows.

    What a person has, in the order of keys, is a path from the root of a tree; whoever ends at the same place has the
    same. Steps are found by a hash table that compares them in full, so that nobody is taken for somebody else.

    Args:
        starts: The entries of person p are from `starts[p]` to before `starts[p + 1]`.
        keys: The key of each entry, the same one several times or not; put in order here.
        rows: How many rows each entry stands for; goes along with `keys`.
    """
    people, entries = len(starts) - 1, len(keys)
    room = 16
    while room < 2 * entries:
        room *= 2
    last = np.uint64(room - 1)
    slots = np.full(room, -1, dtype=np.int64)
    before, key_of = np.empty(entries, dtype=np.int64), np.empty(entries, dtype=np.int64)
    times_of, found = np.empty(entries, dtype=np.int64), np.empty(people, dtype=np.int64)
    places = 0
    for person in range(people):
        start, stop = starts[person], starts[person + 1]
        _sort(keys, rows, start, stop)
        place, i = -1, start
        while i < stop:
            key, times = keys[i], 0
            while i < stop and keys[i] == key:
                times += rows[i]
                i += 1
            slot = np.int64(_mixed(place, key, times) & last)
            while True:
                other = slots[slot]
                if other < 0:
                    slots[slot] = other = places
                    before[places], key_of[places], times_of[places] = place, key, times
                    places += 1
                    break
                if before[other] == place and key_of[other] == key and times_of[other] == times:
                    break
                slot = (slot + 1) & (room - 1)
            place = other
        found[person] = place
    return found


@compiled
def _mixed(place: int, key: int, times: int) -> np.uint64:
    """Three numbers as one that looks random."""
    mixed = np.uint64(place + 1) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) + np.uint64(key) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(31))) + np.uint64(times) * np.uint64(0x94D049BB133111EB)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(32))


@compiled
def _sort(keys: Keys, rows: Sizes, start: int, stop: int) -> None:
    """Put the entries from `start` to before `stop` in the order of keys."""
    if stop - start > _FEW:
        order = np.argsort(keys[start:stop])
        keys[start:stop] = keys[start:stop][order]
        rows[start:stop] = rows[start:stop][order]
        return
    for i in range(start + 1, stop):
        key, times, j = keys[i], rows[i], i - 1
        while j >= start and keys[j] > key:
            keys[j + 1], rows[j + 1] = keys[j], rows[j]
            j -= 1
        keys[j + 1], rows[j + 1] = key, times
