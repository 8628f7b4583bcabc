"""Persons who have the same records: the classes of those whose published records are linked by a pseudonym.

A class is a set of persons whose generalized records are equal as multisets. Somebody who knows all records of a person
finds all pseudonyms of the person's class, and cannot tell them apart (`docs/proofs/pseudonyms.md`).
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.data.people.incidence import Incidence
from shoal.kernels import grouping


def sequences(persons: Incidence, labels: Keys) -> tuple[Keys, int]:
    """The class of each person, 0…S−1, and S: who has records of the same classes `labels`, equally often."""
    from shoal.kernels.sequences import same_sequences

    order = np.argsort(persons.person, kind="stable")
    starts = np.zeros(persons.people + 1, dtype=np.int64)
    np.cumsum(np.bincount(persons.person, minlength=persons.people), out=starts[1:])
    found = same_sequences(starts, labels[persons.record[order]].astype(np.int64), persons.rows[order])
    return grouping.compact(found + 1, len(persons) + 1)


def as_classes(persons: Incidence, labels: Keys) -> Incidence:
    """Who has which whole sequence, where `labels` is the class of each record: as who has which record."""
    of_person, groups = sequences(persons, labels)
    return Incidence.of(of_person, np.arange(persons.people), persons.rows_each, groups, persons.unit)


def fewest_alike(persons: Incidence, labels: Keys, groups: int) -> Sizes:
    """For each class of records: of those who have one, how many share the whole sequence, at least."""
    of_person, found = sequences(persons, labels)
    alike = np.bincount(of_person, minlength=found)[of_person]
    fewest = np.full(groups, max(persons.people, 1), dtype=np.int64)
    np.minimum.at(fewest, labels[persons.record], alike[persons.person])
    return fewest


def parted(persons: Incidence, keys: Keys, domain: int) -> tuple[Keys, int]:
    """Classes of records divided by the whole sequence of whoever has them, where each record is one person's.

    Everybody of a sequence has a record of each of its classes, so that the persons of any of them are those who share
    the sequence: whatever searches for classes of k persons finds sequences of k persons.
    """
    assert len(persons) == persons.records, "a record of several persons is in no sequence"
    of_person, groups = sequences(persons, keys)
    return grouping.group([of_person[persons.person], keys], [groups, domain], len(keys))
