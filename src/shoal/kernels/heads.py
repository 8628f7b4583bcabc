"""Distinct persons of classes, counted in one pass over pairs of records and persons."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.kernels.jit import compiled


@compiled
def heads(labels: Keys, groups: int, record: Keys, person: Keys) -> Sizes:
    """How many distinct persons each class has; pairs come in the order of persons.

    Args:
        labels: The class of each record; below 0 if it is in none.
        groups: How many classes there are.
        record: The record of each pair.
        person: Its person.
    """
    counted = np.zeros(groups, dtype=np.int64)
    last = np.full(groups, -1, dtype=np.int64)  # the person who was counted last in each class
    for pair in range(len(record)):
        label = labels[record[pair]]
        if label >= 0 and last[label] != person[pair]:
            last[label] = person[pair]
            counted[label] += 1
    return counted
