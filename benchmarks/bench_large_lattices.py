"""Lattices of millions of nodes: what `optimal-lattice` has found, and proved, after some seconds; k = 5, loss metric.

Adult with 14 quasi-identifiers and 299,285 census records with 14, of the reference data beside the project. Numbers
have ranges, categories of more than six values groups of neighbors in the alphabet: hierarchies that anybody can make.
With arguments, only these limits in seconds are run; the default is 3 and 10; 100 prove both.
"""

from __future__ import annotations

import csv
import gzip
import sys
import time
from pathlib import Path

from common import DATA, machine

import shoal
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Role, Schema
from shoal.methods import OptimalLattice
from shoal.search.lattice import Lattice

ADULT_NUMBERS = {
    "age": (17, 90, (5, 10, 20, 40)),
    "fnlwgt": (0, 1_500_000, (50_000, 250_000, 500_000)),
    "education-num": (1, 16, (4, 8)),
    "capital-gain": (0, 99_999, (10_000,)),
    "capital-loss": (0, 4_999, (1_000,)),
    "hours-per-week": (1, 99, (10, 30)),
}
CENSUS_NUMBERS = {"age": (0, 90, (5, 10, 20, 40)), "weeks_worked": (0, 52, (13, 26, 52))}
GROUPED_TWICE = ("major_industry", "prev_state")
CENSUS = (
    "age",
    "class_of_worker",
    "education",
    "marital_status",
    "major_industry",
    "major_occupation",
    "race",
    "hispanic_origin",
    "sex",
    "employment_status",
    "tax_filer_status",
    "prev_state",
    "citizenship",
    "weeks_worked",
)


def main() -> None:
    print(machine())
    limits = [float(seconds) for seconds in sys.argv[1:]] or [3.0, 10.0]
    print(
        f"{'':<10} {'nodes':>10} {'limit':>6} {'suppr.':>6} {'loss':>8} {'no less than':>12} {'looks':>7} {'CPU s':>7}"
    )
    for name, path, columns, numbers in (
        ("Adult", DATA / "adult" / "adult_train.csv.gz", None, ADULT_NUMBERS),
        ("census", DATA / "census_income_kdd" / "census_income_kdd.csv.gz", CENSUS, CENSUS_NUMBERS),
    ):
        if not path.exists():
            print(f"{name}: skipped, the reference data {path.parent.name} is not beside the project")
            continue
        table = table_of(path, columns, numbers)
        for limit in (0.0, 0.05):
            for seconds in limits:
                start = time.process_time()
                found = OptimalLattice(k=5, suppression_limit=limit, time_limit=seconds).run(table).search
                spent = time.process_time() - start
                told = f"{found['loss']:>8.5f} {found['no recoding loses less than']:>12.5f} {found['evaluated']:>7,}"
                print(f"{name:<10} {Lattice.of(table).size:>10,} {seconds:>5.0f}s {limit:>6.0%} {told} {spent:>7.1f}")
                if found["optimal"]:
                    break


def table_of(
    path: Path, names: tuple[str, ...] | None, numbers: dict[str, tuple[int, int, tuple[int, ...]]]
) -> EncodedTable:
    """A file with all its columns, or some of them, as quasi-identifiers."""
    from shoal.engines.codes.encoding import encode
    from shoal.engines.local import LocalEngine
    from shoal.engines.reading.source import open_source

    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    names = names or tuple(name for name in rows[0] if name != "income")
    schema = Schema()
    for name in rows[0]:
        if name not in names:
            schema = schema.with_column(name, role=Role.DROPPED)
    for name in names:
        if name in numbers:
            low, high, widths = numbers[name]
            made = {"domain": (low, high), "hierarchy": shoal.intervals(*widths)}
        else:
            made = {"hierarchy": neighbors(sorted({row[name] for row in rows}), name)}
        schema = schema.with_column(name, role=Role.QUASI_IDENTIFIER, **made)
    return encode(LocalEngine(open_source(path)), schema, names)


def neighbors(values: list[str], name: str) -> Paths:
    """Values, groups of neighbors in the alphabet if there are many, maybe groups of these, and everything."""
    size = max(3, round(len(values) ** 0.5))
    sizes = [1, *([size] if len(values) > 6 else []), *([3 * size] if name in GROUPED_TWICE else [])]
    rows = [(*(values[i // size * size] + " …" * (size > 1) for size in sizes), "*") for i in range(len(values))]
    return Paths(tuple(rows), name)


if __name__ == "__main__":
    main()
