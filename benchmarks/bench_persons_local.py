"""What it costs to count persons instead of records: Mondrian, local recoding and MDAV, k = 5.

Synthetic visits: each person has an age, a region, a sex and ten visits on days of a year. Each method runs on the same
distinct records, first as if every record were a person, then with persons; CPU time after counting, without compiling.

Run: python benchmarks/bench_persons_local.py [persons] [rows each]
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
from common import machine

import shoal
from shoal.data.attribute import Attribute, settle
from shoal.data.counts import Counts
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.people.incidence import Incidence
from shoal.data.schema import Column, Role
from shoal.data.unit import Unit
from shoal.kernels import grouping
from shoal.kernels.grouping import narrowest

METHODS = {
    "mondrian, strict": shoal.Mondrian(k=5),
    "mondrian, relaxed": shoal.Mondrian(k=5, split="relaxed"),
    "local recoding, intervals": shoal.LocalRecoding(k=5, publish="intervals"),
    "local recoding, nodes": shoal.LocalRecoding(k=5),
    "mdav": shoal.MDAV(k=5, block_size=10_000),
}
LARGE = 500_000
"""From so many rows on only Mondrian is tried: the others take minutes."""


def visits(people: int, each: int) -> EncodedTable:
    """The table, with persons."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(people), each)
    columns = [
        rng.integers(0, 99, people)[who] + rng.integers(0, 2, len(who)),
        rng.integers(0, 1000, people)[who],
        rng.integers(0, 365, len(who)),
        rng.integers(0, 2, people)[who],
    ]
    attributes = (
        _column("age", 100, 5, 10, 20, 40),
        _column("region", 1000, 10, 100),
        _column("day", 365, 7, 28),
        _column("sex", 2, 2),
    )
    sizes = [attribute.domain.size for attribute in attributes]
    labels, groups = grouping.group(columns, sizes, len(who))
    one, ones = grouping.members(labels, groups), np.ones(len(who), dtype=np.int64)
    codes = tuple(column[one].astype(narrowest(size)) for column, size in zip(columns, sizes, strict=True))
    names = tuple(attribute.name for attribute in attributes)
    counts = Counts(names, codes, tuple(sizes), grouping.totals(labels, groups, ones))
    persons = Incidence.of(labels, who, ones, groups)
    return EncodedTable(attributes, counts, persons=persons, unit=Unit.PERSON)


def _column(name: str, values: int, *widths: int) -> Attribute:
    recipe = shoal.intervals(*widths)
    return settle(Column(name, Role.QUASI_IDENTIFIER, hierarchy=recipe), Grid.between(0, values - 1))


def main(people: int, each: int) -> None:
    print(machine())
    table, small = visits(people, each), visits(200, 5)
    assert table.persons is not None
    print(f"{people:,} persons, {table.total:,} rows, {len(table.counts):,} distinct, {len(table.persons):,} pairs\n")
    print(f"{'method':28}{'records':>10}{'persons':>10}{'factor':>8}")
    for name, method in METHODS.items():
        if table.total >= LARGE and not name.startswith("mondrian, strict"):
            continue
        spent = []
        for persons in (False, True):
            here, first = (_as(some, persons=persons) for some in (table, small))
            method.run(first)
            started = time.process_time()
            method.run(here)
            spent.append(time.process_time() - started)
        print(f"{name:28}{spent[0]:>8.2f} s{spent[1]:>8.2f} s{spent[1] / spent[0]:>8.2f}", flush=True)


def _as(table: EncodedTable, *, persons: bool) -> EncodedTable:
    return table if persons else replace(table, persons=None, unit=Unit.RECORD)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    main(*(arguments or [20_000, 10]))
