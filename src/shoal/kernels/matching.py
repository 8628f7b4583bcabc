"""How many persons of a class can be given a value of theirs so that no two have the same: a largest matching."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.kernels.jit import compiled


@compiled
def matched(cells: Keys, groups: int, width: int, record: Keys, person: Keys, people: int) -> Sizes:
    """The size of a largest matching of persons and values in each class; pairs come in the order of persons.

    Values look for a person one after the other (augmenting paths, breadth first): they are few, and most find one at
    once.

    Args:
        cells: The class of each record times `width`, plus its value.
        groups: How many classes there are.
        width: How many values there are.
        record: The record of each pair.
        person: Its person.
        people: How many persons there are.
    """
    starts, holder = _holders(cells, groups * width, record, person)
    found = np.zeros(groups, np.int64)
    owner = np.full(people, -1, np.int64)  # the value that a person is given
    mate = np.full(width, -1, np.int64)  # whom a value is given to
    seen = np.full(people, -1, np.int64)  # the cell that a person was last looked at for
    via, queue = np.empty(people, np.int64), np.empty(width, np.int64)
    for group in range(groups):
        for value in range(width):
            cell = group * width + value
            queue[0] = value
            head, tail, free = 0, 1, -1
            while head < tail and free < 0:
                here = group * width + queue[head]
                head += 1
                for i in range(starts[here], starts[here + 1]):
                    who = holder[i]
                    if seen[who] != cell:
                        seen[who] = cell
                        via[who] = here - group * width
                        if owner[who] < 0:
                            free = who
                            break
                        queue[tail] = owner[who]
                        tail += 1
            if free >= 0:
                found[group] += 1
            while free >= 0:
                given = via[free]
                before = mate[given]
                owner[free] = given
                mate[given] = free
                free = before
        for value in range(width):
            if mate[value] >= 0:
                owner[mate[value]] = -1
                mate[value] = -1
    return found


@compiled
def _holders(cells: Keys, number: int, record: Keys, person: Keys) -> tuple[Keys, Keys]:
    """The distinct persons of each cell, one cell after the other, and where those of each begin."""
    starts = np.zeros(number + 1, np.int64)
    last = np.full(number, -1, np.int64)
    for pair in range(len(record)):
        cell = cells[record[pair]]
        if last[cell] != person[pair]:
            last[cell] = person[pair]
            starts[cell + 1] += 1
    for cell in range(number):
        starts[cell + 1] += starts[cell]
    holder = np.empty(starts[number], np.int64)
    at = starts[:-1].copy()
    last[:] = -1
    for pair in range(len(record)):
        cell = cells[record[pair]]
        if last[cell] != person[pair]:
            last[cell] = person[pair]
            holder[at[cell]] = person[pair]
            at[cell] += 1
    return starts, holder
