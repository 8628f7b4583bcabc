"""From records beside whom they are about to a table of distinct records that knows who has which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Codes, Keys, Sizes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.people.households import Households
from shoal.data.people.incidence import Incidence
from shoal.data.schema import Schema
from shoal.data.unit import Unit
from shoal.engines.codes.weights import read_weights
from shoal.errors import DataError
from shoal.kernels import grouping

if TYPE_CHECKING:
    import pyarrow as pa

_NOBODY = 0
"""The code of a person, a household or a weight that is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """What stands beside the counted columns of records that may be equal in those.

    Attributes:
        persons: The person of each; 0 if it is missing. None if each row is another person.
        households: The household of each, 0 if it is missing; None if that is of no interest.
        weights: The weight of each, as a number in `weight_texts`, 0 if it is missing; None if there are none.
        weight_texts: The weights that occur, as they are written.
        members: The person of each where households are what is counted, to see that each lives in one; else None.
    """

    persons: Codes | None = None
    households: Codes | None = None
    weights: Codes | None = None
    weight_texts: pa.Array | None = None
    members: Codes | None = None


def with_persons(
    table: EncodedTable, beside: Beside, schema: Schema, *, may_refuse: bool, is_sorted: bool = False
) -> EncodedTable:
    """The distinct records of a table, who has them, where these live, and how many each stands for.

    Args:
        table: Records that may be equal.
        beside: Whom each is about.
        schema: Says what a person is.
        may_refuse: Whether the records may decide that the table is refused. If not, records of nobody take no part:
            so nothing that one person has, or lacks, can be told.
        is_sorted: Whether records come in the order of their codes, and equal ones in the order of persons.
    """
    persons = beside.persons
    if may_refuse:
        of_columns = (
            (persons, schema.unit_column, schema.unit),
            (beside.households, schema.household, Unit.HOUSEHOLD),
            (beside.members, schema.person, Unit.PERSON),
        )
        for codes, column, unit in of_columns:
            if codes is not None:
                _require_known(table.counts, codes, f"column {column!r} tells {unit.plural} apart")
    elif persons is not None:
        known = persons != _NOBODY
        table, persons = table if known.all() else table.of_records(known), persons[known]
    counts = table.counts
    labels, groups = _numbered(counts) if is_sorted else counts.group(counts.names)
    first = grouping.members(labels, groups)
    distinct = Counts(
        counts.names,
        tuple(column[first] for column in counts.codes),
        counts.cardinalities,
        grouping.totals(labels, groups, counts.sizes),
    )
    table = replace(table, counts=distinct)
    whose = None
    if persons is not None:
        whose, _ = grouping.compact(persons.astype(np.int64), int(persons.max(initial=0)) + 1)
        is_all = beside.households is None and beside.weights is None and beside.members is None
        in_order = Incidence if is_sorted and is_all else Incidence.of  # then pairs come in order, and each once
        incidence = in_order(labels, whose, counts.sizes, groups, schema.unit)
        table = replace(table, persons=incidence, unit=schema.unit)
    if beside.members is not None and whose is not None:
        _home(grouping.compact(beside.members.astype(np.int64), int(beside.members.max(initial=0)) + 1)[0], whose)
    if beside.households is not None:
        table = replace(table, households=_households(beside.households, labels, whose, counts.sizes))
    if beside.weights is not None:
        table = read_weights(table, beside.weights, beside.weight_texts, labels, whose, counts.sizes, schema)
    return table


def _require_known(counts: Counts, codes: Codes, what: str) -> None:
    """Refuse records of which nobody knows whose they are."""
    known = codes != _NOBODY
    if not known.all():
        raise DataError(
            f"{what}, and it is missing in {int(counts.sizes[~known].sum()):,} of {counts.kept:,} records, so that "
            "nobody knows whose they are; fill it in, or leave such records out."
        )


def _households(codes: Codes, labels: Keys, whose: Keys | None, sizes: Sizes) -> Households:
    """Who lives where; a person in two households is refused."""
    homes, count = grouping.compact(codes.astype(np.int64), int(codes.max(initial=0)) + 1)
    if whose is None:
        (member, household), rows = grouping.distinct_rows(
            [labels, homes], [int(labels.max(initial=0)) + 1, max(count, 1)], sizes
        )
        return Households(member.astype(np.int64), household.astype(np.int64), rows, count)
    home = _home(whose, homes)
    return Households(np.arange(len(home)), home, np.ones(len(home), dtype=np.int64), count)


def _home(whose: Keys, homes: Keys) -> Keys:
    """The household of each person; one in two is refused."""
    people = int(whose.max(initial=-1)) + 1
    home = np.empty(people, dtype=np.int64)
    home[whose] = homes
    divided = len(np.unique(whose[home[whose] != homes]))
    if divided:
        raise DataError(
            f"{divided:,} of {people:,} persons have records in two households or more, so that no household holds all "
            "of them; give each person one household, or leave out household."
        )
    return home


def _numbered(counts: Counts) -> tuple[Keys, int]:
    """The number of each record among the distinct ones, where equal ones are neighbors; and how many there are."""
    is_other = np.zeros(len(counts), dtype=np.bool_)
    for column in counts.codes:
        is_other[1:] |= column[1:] != column[:-1]
    return np.cumsum(is_other), int(is_other.sum()) + min(len(counts), 1)
