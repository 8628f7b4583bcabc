"""What a billion rows and a thousand columns would take: the counting step, simulated at that cardinality.

Rows are counted where they are, at a cost for each that is measured at 12 million; what comes here are the distinct
records, of which there are as many as their growth from 1.2 to 12 million rows foretells. So many are handed over by an
engine that has nothing behind it, and counted as those of a real one. Records of a thousand columns are all different:
what one more of them costs is measured between 20,000 and 100,000.
"""

from __future__ import annotations

from math import log

from bench_engines import CODED, nine_columns, usage
from common import fresh_process, machine

BILLION = 1_000_000_000
FEW, MANY = 20_000, 100_000
SIMULATED = """
import sys; sys.path.insert(0, ".")
from math import prod
import numpy as np, pyarrow as pa
from common import adult_schema
from shoal.data.attribute import declared
from shoal.engines.base import Tallied
from shoal.engines.codes.encoding import encode
from shoal.engines.lazy.engine import LazyEngine
records = {records}
said = adult_schema()
values = {{c.name: [v for v in declared(c, ("",)).values] for c in said}}

class Handed(LazyEngine):
    def distinct(self, names, *others):
        sizes = [len(values[name]) for name in names]
        room, step = prod(sizes), 982451653
        assert records < room and all(step % size for size in sizes if size > 1)
        for start in range(0, records, 1 << 18):
            key = np.arange(start, min(start + (1 << 18), records)) * step % room
            columns = []
            for name, size in zip(names, sizes):
                columns.append(pa.DictionaryArray.from_arrays(pa.array(key % size, pa.int32()), values[name]))
                key = key // size
            tally = np.full(len(columns[0]), max({rows} // records, 1))
            yield Tallied(pa.RecordBatch.from_arrays(columns, names=list(names)), tally, 1.0)

    def types(self):
        return {{name: pa.string() for name in values}}

engine = Handed(None, None)
assert len(encode(engine, said, list(values)).counts) == records
"""
WIDE = """
import numpy as np, pyarrow as pa, shoal
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import TableSource
rng = np.random.default_rng(1)
names = [f"x{{i}}" for i in range({columns})]
table = pa.table({{name: rng.integers(0, 10, {rows}).astype(np.int8) for name in names}})
said = shoal.Schema(tuple(shoal.Column(n, shoal.Role.QUASI_IDENTIFIER, shoal.Grid.between(0, 9)) for n in names))
assert len(encode(LocalEngine(TableSource(table)), said, names).counts) == {rows}
"""
NOTHING = "import numpy, pyarrow, shoal.engines.codes.encoding, shoal.engines.lazy.engine\n"


def main() -> None:
    print(machine())
    seen = {}
    for engine in ("local", "duckdb"):
        for rows in (1_200_000, 12_000_000):
            seen[engine, rows] = usage(CODED, str(nine_columns(rows)), engine, "nine columns")
        (_, few, _, _), (_, many, _, _) = seen[engine, 1_200_000], seen[engine, 12_000_000]
        each = (many - few) / 10_800_000
        print(f"{engine}: {each * 1e6:.2f} CPU s for a million rows; a billion: {each * BILLION / 60:.1f} CPU minutes")
    few, many = (int(seen["local", rows][3]) for rows in (1_200_000, 12_000_000))
    growth = log(many / few) / log(10)
    records = int(many * (BILLION / 12_000_000) ** growth)
    print(f"distinct records: {few:,} of 1.2 million rows, {many:,} of 12 million: growth {growth:.2f};", end=" ")
    print(f"of a billion about {records:,}")
    empty_seconds, empty = fresh_process(NOTHING)
    for number in (1_000_000, records):
        seconds, megabytes = fresh_process(SIMULATED.format(records=number, rows=BILLION))
        seconds, megabytes = seconds - empty_seconds, megabytes - empty
        print(
            f"{number:,} distinct records handed over and counted: {seconds:.1f} CPU s, {megabytes:,.0f} MB", end="; "
        )
        print(f"{seconds / number * 1e6:.2f} microseconds and {megabytes * 2**20 / number:.0f} bytes for each")
    for columns in (10, 100, 1000):
        few_seconds, few = fresh_process(WIDE.format(columns=columns, rows=FEW))
        seconds, megabytes = fresh_process(WIDE.format(columns=columns, rows=MANY))
        each, size = (seconds - few_seconds) / (MANY - FEW), (megabytes - few) * 2**20 / (MANY - FEW)
        print(
            f"{columns:,} columns, all records different: {each * 1e6:.1f} microseconds and {size:,.0f} bytes for",
            end=" ",
        )
        print(f"each record; a billion: {each * BILLION / 3600:,.1f} CPU hours, {size * BILLION / 2**40:,.1f} TB")


if __name__ == "__main__":
    main()
