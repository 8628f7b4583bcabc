"""From records beside the persons who have them to a table of distinct records that knows who has which."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.arrays import Codes, Keys
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.incidence import Incidence
from shoal.data.schema import Schema
from shoal.errors import DataError
from shoal.kernels import grouping

_NOBODY = 0
"""The code of a person that is missing."""


def with_persons(
    table: EncodedTable, persons: Codes, schema: Schema, *, may_refuse: bool, is_sorted: bool = False
) -> EncodedTable:
    """The distinct records of a table, and who has them.

    Args:
        table: Records that may be equal if they are of different persons.
        persons: The person of each; 0 if it is missing.
        schema: Says what a person is.
        may_refuse: Whether the records may decide that the table is refused. If not, records of nobody take no part:
            so nothing that one person has, or lacks, can be told.
        is_sorted: Whether records come in the order of their codes, and equal ones in the order of persons.
    """
    counts, known = table.counts, persons != _NOBODY
    if may_refuse and not known.all():
        lost, column = int(counts.sizes[~known].sum()), schema.unit_column
        raise DataError(
            f"column {column!r} tells {schema.unit.plural} apart, and it is missing in {lost:,} of {counts.kept:,} "
            f"records, so that nobody knows whose they are; fill it in, or leave such records out."
        )
    table = table if known.all() else table.of_records(known)
    counts, person = table.counts, persons[known].astype(np.int64) - 1
    labels, groups = _numbered(counts) if is_sorted else counts.group(counts.names)
    first = grouping.members(labels, groups)
    distinct = Counts(
        counts.names,
        tuple(column[first] for column in counts.codes),
        counts.cardinalities,
        grouping.totals(labels, groups, counts.sizes),
    )
    if is_sorted:
        person, _ = grouping.compact(person, int(person.max(initial=-1)) + 1)
        incidence = Incidence(labels, person, counts.sizes, groups, schema.unit)
    else:
        incidence = Incidence.of(labels, person, counts.sizes, groups, schema.unit)
    return replace(table, counts=distinct, persons=incidence, unit=schema.unit)


def _numbered(counts: Counts) -> tuple[Keys, int]:
    """The number of each record among the distinct ones, where equal ones are neighbors; and how many there are."""
    is_other = np.zeros(len(counts), dtype=np.bool_)
    for column in counts.codes:
        is_other[1:] |= column[1:] != column[:-1]
    return np.cumsum(is_other), int(is_other.sum()) + min(len(counts), 1)
