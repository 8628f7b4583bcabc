"""At most m records of each person, drawn at random before anything else: what bounds a person's part in a release.

For each person by themselves, so that the table that is left is a mixture, over draws that no person decides for
another, of tables in which a person has at most m records; whatever holds for each of those holds for the mixture
(`docs/proofs/persons.md`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from shoal.arrays import Keys
from shoal.data.encoded import Cap, EncodedTable
from shoal.data.people.incidence import Incidence
from shoal.data.people.survey_weights import SurveyWeights
from shoal.kernels import grouping


class Shuffling(Protocol):
    """Coins that put things in a random order."""

    def permutation(self, n: int) -> Keys:
        """A uniformly random order of 0…n−1."""
        ...


def capped(table: EncodedTable, most: int, coins: Shuffling) -> EncodedTable:
    """The table with at most so many records of each person, a uniformly random subset of theirs, and none else.

    What is not drawn is forgotten, not suppressed. With one record of each, records are persons, and are counted so.
    """
    persons = table.persons
    assert persons is not None
    cap = Cap(most, persons.unit)
    kept = _drawn(persons, most, coins)
    sizes = grouping.totals(kept.record, kept.records, kept.rows)
    drawn = replace(
        table,
        counts=replace(table.counts, sizes=sizes),
        persons=kept,
        capped=cap,
        survey_weights=_weights(table.survey_weights, kept),
    ).of_records(sizes > 0)
    return drawn.of_rows() if most == 1 else drawn


def _weights(weights: SurveyWeights | None, kept: Incidence) -> SurveyWeights | None:
    """The weights of the rows that are left: each has that of its person."""
    if weights is None or weights.of_person is None:
        return weights
    rows = grouping.totals(kept.record, kept.records, kept.rows * weights.of_person[kept.person])
    return replace(weights, of_record=rows)


def _drawn(persons: Incidence, most: int, coins: Shuffling) -> Incidence:
    """The pairs that are left: of whoever has more, the rows that come first in a random order of all theirs."""
    many = persons.rows_each[persons.person] > most
    pair = np.repeat(np.flatnonzero(many), persons.rows[many])  # the pair of each row that may have to go
    pair = pair[coins.permutation(len(pair))]
    pair = pair[np.argsort(persons.person[pair], kind="stable")]
    person = persons.person[pair]
    starts = np.flatnonzero(np.diff(person, prepend=-1))
    rank = np.arange(len(pair)) - np.repeat(starts, np.diff(starts, append=len(pair)))
    rows = np.where(many, 0, persons.rows)
    rows += np.bincount(pair[rank < most], minlength=len(rows))
    stays = rows > 0
    return Incidence(persons.record[stays], persons.person[stays], rows[stays], persons.records, persons.unit)
