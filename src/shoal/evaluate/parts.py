"""Parts of a table: which records teach, which ones test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.arrays import Keys, Mask, Sizes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.people.incidence import Incidence
from shoal.errors import ParameterError
from shoal.kernels import grouping


def random_parts(sizes: Sizes, shares: Sequence[float], rng: np.random.Generator) -> Sizes:
    """`parts[p, row]`: how many records of each row fall into part p, records being dealt out at random.

    Parts have their exact share of the records, up to rounding.
    """
    if not shares or min(shares) < 0 or not sum(shares) > 0:
        raise ParameterError(f"shares are numbers of 0 or more, not all 0; got {list(shares)!r}.")
    rows: Keys = np.repeat(np.arange(len(sizes)), sizes)
    ends = np.rint(np.cumsum(shares) / sum(shares) * len(rows)).astype(np.int64)
    dealt = np.searchsorted(ends, rng.permutation(len(rows)), side="right")
    cells = np.bincount(dealt * len(sizes) + rows, minlength=len(shares) * len(sizes))
    return cells.reshape(len(shares), len(sizes))


def parts_of(table: EncodedTable, shares: Sequence[float], rng: np.random.Generator) -> Sizes:
    """The same of a table; where persons are told apart, all records of a person fall into one part.

    Parts have their share of the persons then, and about that of the records.
    """
    if table.persons is None:
        return random_parts(table.counts.sizes, shares, rng)
    return rows_of_parts(table, persons_of_parts(table.persons, shares, rng), len(shares))


def persons_of_parts(persons: Incidence, shares: Sequence[float], rng: np.random.Generator) -> Keys:
    """The part of each person."""
    return np.asarray(random_parts(np.ones(persons.people, dtype=np.int64), shares, rng).argmax(axis=0))


def rows_of_parts(table: EncodedTable, of_person: Keys, parts: int) -> Sizes:
    """`parts[p, row]`: how many records of each row are of persons of part p."""
    persons, rows = table.persons, len(table.counts)
    assert persons is not None
    cells = of_person[persons.person] * rows + persons.record
    return grouping.totals(cells, parts * rows, persons.rows).reshape(parts, rows)


def of_persons(table: EncodedTable, some: Mask) -> EncodedTable:
    """The records of some persons, and who has them."""
    persons = table.persons
    assert persons is not None
    theirs = some[persons.person]
    person = (np.cumsum(some) - 1)[persons.person[theirs]]
    kept = Incidence(persons.record[theirs], person, persons.rows[theirs], persons.records, persons.unit)
    sizes = grouping.totals(kept.record, kept.records, kept.rows)
    fewer = replace(table, counts=replace(table.counts, sizes=sizes), persons=kept, survey_weights=None)
    return fewer.of_records(sizes > 0)


def part(table: EncodedTable, sizes: Sizes) -> EncodedTable:
    """The same table with as many records of each row as `sizes` says."""
    return table.with_counts(rows_of(table.counts, sizes))


def rows_of(counts: Counts, sizes: Sizes) -> Counts:
    """The same rows with as many records of each as `sizes` says; those that do not occur are left out."""
    rows = np.flatnonzero(sizes)
    return Counts(counts.names, tuple(column[rows] for column in counts.codes), counts.cardinalities, sizes[rows])


def chosen_at_random(labels: Keys, sizes: Sizes, wanted: Sizes, rng: np.random.Generator) -> Sizes:
    """How many records of each row are chosen if `wanted[g]` of the records with label g are, all equally likely."""
    rows: Keys = np.repeat(np.arange(len(sizes)), sizes)
    group = labels[rows]
    order = np.lexsort((rng.random(len(rows)), group))
    starts = np.searchsorted(group[order], np.arange(len(wanted)))
    rank = np.arange(len(rows)) - starts[group[order]]
    chosen = rows[order][rank < wanted[group[order]]]
    return np.bincount(chosen, minlength=len(sizes))
