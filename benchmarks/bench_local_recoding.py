"""Local recoding of Adult at k = 5, with nothing suppressed: mean loss per cell (LM) and CPU time after encoding.

With prices other k too. Compiling (once per machine, cached) is left out: every method runs once before it is timed.
"""

from __future__ import annotations

from dataclasses import replace

from common import ADULT, adult, adult_schema, cpu, machine

from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Flat
from shoal.data.schema import Column, Role, Schema
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
from shoal.methods import LocalRecoding, Mondrian, OptimalLattice


def main() -> None:
    print(machine())
    nine = adult()
    print(f"\nwithin the hierarchies, {len(nine.quasi_identifiers)} quasi-identifiers")
    best = OptimalLattice(k=5, suppression_limit=0.0)
    print(f"{'full domain, optimal':<28} {best.run(nine).search['loss']:.4f} {cpu(lambda: best.run(nine), 1):>8.3f} s")
    _row("mondrian, strict", Mondrian(k=5, publish="nodes"), nine)
    for passes in (0, 1, 2):
        _row(f"local recoding, {passes} passes", LocalRecoding(k=5, passes=passes), nine)
    print("\nthe same with classes made anew by prices, one pass")
    for k in (3, 5, 15, 25):
        for prices in (0, 40, 80):
            _row(f"k = {k}, {prices} steps", LocalRecoding(k=k, prices=prices), nine)
    _row("k = 5, 80 steps, 2 passes", LocalRecoding(k=5, prices=80, passes=2), nine)

    eight = without_salary()
    print(f"\nfree ranges and sets, {len(eight.quasi_identifiers)} quasi-identifiers, age from 17 to 90")
    for k in (5, 10, 50):
        _row(f"mondrian, strict, k = {k}", Mondrian(k=k), eight)
        _row(f"local recoding, k = {k}", LocalRecoding(k=k, publish="intervals"), eight)


def _row(name: str, method: Mondrian | LocalRecoding, table: EncodedTable) -> None:
    found = method.run(table).search
    print(f"{name:<28} {found['loss']:.4f} {cpu(lambda: method.run(table)):>8.3f} s {found['classes']:>8,} classes")


def without_salary() -> EncodedTable:
    columns = []
    for column in adult_schema().columns:
        if column.name == "salary-class":
            columns.append(Column(column.name, Role.IDENTIFIER))
        elif column.name == "age":
            columns.append(replace(column, domain=Grid.between(17, 90), hierarchy=Flat()))
        else:
            columns.append(column)
    schema = Schema(tuple(columns))
    return encode(LocalEngine(open_source(ADULT / "adult_arx.csv.gz")), schema, schema.names(Role.QUASI_IDENTIFIER))


if __name__ == "__main__":
    main()
