"""Mondrian on Adult and on a table forty times its size, after encoding; CPU time beside a Python package that has it.

Peers are measured when they are installed, and skipped with a line otherwise. Compiling (once per machine, cached) is
left out: every method runs once before it is timed.
"""

from __future__ import annotations

import importlib.util
import time

from common import ADULT, adult, adult_schema, blow_up, cpu, machine

from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
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
    ours = _report("Adult", table)
    schema = adult_schema()
    engine = LocalEngine(open_source(blow_up(1_200_000)))
    _report("1.2 million rows", encode(engine, schema, schema.names(Role.QUASI_IDENTIFIER)), repeat=1)
    _anonypy(ours)


def _report(name: str, table: EncodedTable, repeat: int = 3) -> float:
    print(f"\n{name}: {table.total:,} records, {len(table.counts):,} distinct, {len(table.quasi_identifiers)} columns")
    print(f"{'k = 5':<24} {'classes':>8} {'loss':>8} {'cuts, s':>9} {'all, s':>9}")
    fastest = float("inf")
    for split in ("strict", "relaxed", "single"):
        for publish in ("intervals", "nodes"):
            method = Mondrian(k=5, split=split, publish=publish)
            found = method.run(table).search
            whole, cuts = cpu(lambda method=method: method.run(table), repeat), float("nan")
            if split != "single":
                cells, judge = Cells.of(table, Publish(publish), {}), Judge(table, method.promises(table))
                cuts = cpu(lambda m=method, c=cells, j=judge: m._classes(c, j), repeat)  # noqa: SLF001
                fastest = min(fastest, whole)
            title = f"{split}, {publish}"
            print(f"{title:<24} {found['classes']:>8,} {found['loss']:>8.4f} {cuts:>9.4f} {whole:>9.3f}")
    return fastest


def _anonypy(ours: float) -> None:
    """Strict Mondrian of anonypy on the same nine columns, from a data frame to its list of partitions."""
    if importlib.util.find_spec("anonypy") is None:
        print("\nanonypy is not installed: skipped")
        return
    import pandas as pd
    from anonypy.mondrian import Mondrian as Theirs

    frame = pd.read_csv(ADULT / "adult_arx.csv.gz")
    columns = list(frame.columns)
    for name in columns:
        if name != "age":
            frame[name] = frame[name].astype("category")
    start = time.process_time()
    Theirs(frame, columns).partition(k=5)
    theirs = time.process_time() - start
    print(f"\nanonypy, strict, partitions alone: {theirs:.1f} s, {theirs / ours:,.0f} times ours")


if __name__ == "__main__":
    main()
