"""Mondrian on Adult and on a table forty times its size, after encoding, and on Adult with t-closeness.

Compiling (once per machine, cached) is left out: every method runs once before it is timed. `bench_mondrian_peers.py`
has the Python packages beside it.
"""

from __future__ import annotations

from dataclasses import replace

from common import ADULT, adult, adult_schema, blow_up, cpu, machine

from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Flat
from shoal.data.schema import Role, Schema
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
from shoal.methods import Mondrian
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.judge import Judge
from shoal.methods.parts.publish import Publish


def main() -> None:
    print(machine())
    table = adult()
    _report("Adult", table)
    _closeness()
    schema = adult_schema()
    engine = LocalEngine(open_source(blow_up(1_200_000)))
    _report("1.2 million rows", encode(engine, schema, schema.names(Role.QUASI_IDENTIFIER)), repeat=1)


def _report(name: str, table: EncodedTable, repeat: int = 3) -> None:
    print(f"\n{name}: {table.total:,} records, {len(table.counts):,} distinct, {len(table.quasi_identifiers)} columns")
    print(f"{'k = 5':<24} {'classes':>8} {'loss':>8} {'cuts, s':>9} {'all, s':>9}")
    for split in ("strict", "relaxed", "single"):
        for publish in ("intervals", "nodes"):
            method = Mondrian(k=5, split=split, publish=publish)
            found = method.run(table).search
            whole, cuts = cpu(lambda method=method: method.run(table), repeat), float("nan")
            if split != "single":
                cells, judge = Cells.of(table, Publish(publish), {}), Judge(table, method.promises(table))
                cuts = cpu(lambda m=method, c=cells, j=judge: m._classes(c, j), repeat)  # noqa: SLF001
            title = f"{split}, {publish}"
            print(f"{title:<24} {found['classes']:>8,} {found['loss']:>8.4f} {cuts:>9.4f} {whole:>9.3f}")


def _closeness() -> None:
    """With t-closeness few cuts are admissible: one column is sensitive, the other eight are quasi-identifiers."""
    print(f"\n{'k = 5, 0.2-closeness of':<24} {'':<10} {'classes':>8} {'loss':>8} {'all, s':>9}")
    for name in ("salary-class", "education", "occupation"):
        columns = (
            replace(column, role=Role.SENSITIVE)
            if column.name == name
            else replace(column, domain=Grid.between(17, 90), hierarchy=Flat())
            if column.name == "age"
            else column
            for column in adult_schema().columns
        )
        schema = Schema(tuple(columns))
        names = schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)
        table = encode(LocalEngine(open_source(ADULT / "adult_arx.csv.gz")), schema, names)
        for publish in ("intervals", "nodes"):
            method = Mondrian(k=5, closeness=0.2, publish=publish)
            found = method.run(table).search
            seconds = cpu(lambda method=method, table=table: method.run(table), 1)
            print(f"{name:<24} {publish:<10} {found['classes']:>8,} {found['loss']:>8.4f} {seconds:>9.3f}")


if __name__ == "__main__":
    main()
