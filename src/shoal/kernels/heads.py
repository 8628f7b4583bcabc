"""Distinct persons of classes, counted in one pass over pairs of records and persons."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Sizes
from shoal.kernels.jit import compiled


class Pairs(NamedTuple):
    """Who has which records: the persons of record r are `person[starts[r] : starts[r + 1]]`, each of them once.

    Attributes:
        starts: Where the persons of each record start, and the end; empty if every record is somebody's only one.
        person: Who has it, 0…people−1.
        people: How many persons there are.
    """

    starts: Keys
    person: Keys
    people: int


ONE_EACH = Pairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 0)
"""Every record is somebody's only one."""


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


@compiled
def first_and_last(  # noqa: PLR0917  compiled functions take positions
    values: Codes,
    row: Keys,
    start: int,
    stop: int,
    pairs: Pairs,
    marks: Codes,
    stamp: int,
    met: Keys,
    firsts: Sizes,
    lasts: Sizes,
) -> int:
    """Count persons at the lowest and at the highest value that a record of theirs has, and return how many they are.

    Whoever is first met at a value or below has a record on the left of a cut there, whoever is last met above it one
    on the right: sums of `firsts` and of `lasts` are the persons of both sides of every cut (`people.md`, section 2).

    Args:
        values: The value of each place.
        row: The record at each place.
        start: Where the places begin.
        stop: Where they end.
        pairs: Who has which records.
        marks: Per person room for a stamp and two values.
        stamp: A number that no call before has used with these marks.
        met: Room for the persons.
        firsts: Added to, by value.
        lasts: Added to, by value.
    """
    people = 0
    for i in range(start, stop):
        value = values[i]
        for pair in range(pairs.starts[row[i]], pairs.starts[row[i] + 1]):
            person = pairs.person[pair]
            if marks[person, 0] != stamp:
                marks[person, 0], marks[person, 1], marks[person, 2] = stamp, value, value
                met[people] = person
                people += 1
            elif value < marks[person, 1]:
                marks[person, 1] = value
            elif value > marks[person, 2]:
                marks[person, 2] = value
    for i in range(people):
        firsts[marks[met[i], 1]] += 1
        lasts[marks[met[i], 2]] += 1
    return people


@compiled
def running_heads(row: Keys, order: Keys, pairs: Pairs, marks: Codes, stamp: int, out: Sizes) -> None:
    """`out[i]`: how many persons have one of the first i + 1 records, which stand at the places `order` names."""
    people = 0
    for i in range(len(order)):
        record = row[order[i]]
        for pair in range(pairs.starts[record], pairs.starts[record + 1]):
            person = pairs.person[pair]
            if marks[person, 0] != stamp:
                marks[person, 0] = stamp
                people += 1
        out[i] = people


@compiled
def class_heads(row: Keys, label: Keys, groups: int, pairs: Pairs, last: Keys) -> Sizes:
    """How many distinct persons each class has, for some records in the order of their classes.

    `last` is room for each person, −1 before and after: the cost is that of these records, not of the table.
    """
    counted = np.zeros(groups, dtype=np.int64)
    for i in range(len(row)):
        for pair in range(pairs.starts[row[i]], pairs.starts[row[i] + 1]):
            person = pairs.person[pair]
            if last[person] != label[i]:
                last[person] = label[i]
                counted[label[i]] += 1
    for i in range(len(row)):
        for pair in range(pairs.starts[row[i]], pairs.starts[row[i] + 1]):
            last[pairs.person[pair]] = -1
    return counted


@compiled
def has_fewer(labels: Keys, groups: int, k: int, rows: Keys, pairs: Pairs) -> Mask:
    """Which classes have fewer than k distinct persons; a class is looked at no further once it has k.

    Args:
        labels: The class of each of some records.
        groups: How many classes there are; all records of each are among those.
        k: So many are enough.
        rows: The records.
        pairs: Who has which records.
    """
    found = np.empty((groups, k), dtype=np.int64)
    counted = np.zeros(groups, dtype=np.int64)
    for i in range(len(rows)):
        label = labels[i]
        for pair in range(pairs.starts[rows[i]], pairs.starts[rows[i] + 1]):
            if counted[label] >= k:
                break
            is_known = False
            for j in range(counted[label]):
                if found[label, j] == pairs.person[pair]:
                    is_known = True
                    break
            if not is_known:
                found[label, counted[label]] = pairs.person[pair]
                counted[label] += 1
    return counted < k


@compiled
def in_order(keys: Keys, domain: int) -> Keys:
    """The positions of keys from 0…domain−1 in ascending order, equal ones as they come."""
    ends = np.zeros(domain + 1, dtype=np.int64)
    for i in range(len(keys)):
        ends[keys[i] + 1] += 1
    for key in range(domain):
        ends[key + 1] += ends[key]
    order = np.empty(len(keys), dtype=np.int64)
    for i in range(len(keys)):
        order[ends[keys[i]]] = i
        ends[keys[i]] += 1
    return order


@compiled
def merged_pairs(labels: Keys, groups: int, record: Keys, person: Keys, rows: Sizes) -> tuple[Keys, Keys, Sizes]:
    """The distinct pairs of a class and a person, in the order of persons, and their rows.

    Args:
        labels: The class of each record.
        groups: How many classes there are.
        record: The record of each pair, pairs in the order of persons.
        person: Its person.
        rows: Its rows.
    """
    of_class, of_person = np.empty(len(record), np.int64), np.empty(len(record), np.int64)
    sizes = np.zeros(len(record), np.int64)
    last = np.full(groups, -1, dtype=np.int64)  # the last pair of each class
    number = 0
    for pair in range(len(record)):
        label = labels[record[pair]]
        if last[label] < 0 or of_person[last[label]] != person[pair]:
            last[label] = number
            of_class[number], of_person[number] = label, person[pair]
            number += 1
        sizes[last[label]] += rows[pair]
    return of_class[:number], of_person[:number], sizes[:number]


@compiled
def worth_of_heads(labels: Keys, groups: int, record: Keys, person: Keys, worth: Sizes) -> Sizes:
    """What the distinct persons of each class are worth together; pairs come in the order of persons.

    `heads` is this for persons who are worth 1, without looking that up; other arguments are the same.
    """
    summed = np.zeros(groups, dtype=np.int64)
    last = np.full(groups, -1, dtype=np.int64)
    for pair in range(len(record)):
        label = labels[record[pair]]
        if label >= 0 and last[label] != person[pair]:
            last[label] = person[pair]
            summed[label] += worth[person[pair]]
    return summed
