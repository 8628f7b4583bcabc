"""Where a person has several records, each is a share of the person: counts of persons, in whole units.

A person with r usable records gives each of them U/r units, U = lcm(1, …, m), so that everybody counts U units in all,
whatever m records they have: noise for one person is noise for U units (`docs/proofs/persons.md`, section 5).
"""

from __future__ import annotations

from dataclasses import replace
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.arrays import Sizes
    from shoal.data.encoded import EncodedTable

MOST_EACH = 6
"""Of so many records each, a share is 1/60 of a person at least: groups of half a million persons are still exact."""


def units_each(table: EncodedTable) -> int:
    """How many units a person is, by the public number of records that take part; 1 where each has one."""
    if table.persons is None:
        return 1
    assert table.capped is not None, "nothing bounds how many records a person has"
    return lcm(*range(1, table.capped.records + 1))


def in_shares(table: EncodedTable, units: int) -> EncodedTable:
    """The table with units in place of records: those of a person share the person evenly."""
    persons = table.persons
    if persons is None:
        return table
    share = units // persons.rows_each
    sizes = grouping.totals(persons.record, persons.records, persons.rows * share[persons.person])
    return replace(table.of_rows(), counts=replace(table.counts, sizes=sizes))


def in_persons(counts: Sizes, units: int) -> Sizes:
    """Counts of units as whole persons, who add up to as many, rounded down: the largest remainders are rounded up.

    Sees noisy numbers only.

    >>> in_persons(np.array([7, 4, 4, 3]), 6).tolist()
    [1, 1, 1, 0]
    """
    if units == 1:
        return counts
    whole, rest = np.divmod(counts, units)
    missing = int(counts.sum()) // units - int(whole.sum())
    whole[np.argsort(-rest, kind="stable")[:missing]] += 1
    return whole
