"""What the benchmarks share: Adult from the reference data beside the project or made up, grown, and CPU time."""

from __future__ import annotations

import csv
import gzip
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from stand_in import stand_in

from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Column, Role, Schema

DATA = Path(os.environ.get("SHOAL_REFERENCE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
CACHE = Path(os.environ.get("SHOAL_BENCH_CACHE", Path(__file__).resolve().parent / ".cache"))
ADULT = DATA / "adult_arx" if DATA.exists() else stand_in(CACHE / "stand_in")


def adult_schema(hierarchies: str = "hierarchies") -> Schema:
    if not (ADULT / hierarchies).exists():
        sys.exit(
            f"skipped: the reference data {ADULT.parent.name}/{ADULT.name}/{hierarchies} is not beside the project"
        )
    columns = []
    with gzip.open(ADULT / "adult_arx.csv.gz", "rt") as file:
        names = next(csv.reader(file))
    for name in names:
        with (ADULT / hierarchies / f"{name}.csv").open(encoding="utf-8") as file:
            rows = [tuple(row) for row in csv.reader(file)][1:]
        rows = [row for row in rows if row[-1] == "*"]  # a stray row x,x,x stands in one file
        columns.append(Column(name, Role.QUASI_IDENTIFIER, hierarchy=Paths(tuple(rows), name)))
    return Schema(tuple(columns))


def adult_csv() -> Path:
    return ADULT / "adult_arx.csv.gz"


def hierarchy_file(column: str) -> Path:
    return ADULT / "hierarchies" / f"{column}.csv"


def adult(hierarchies: str = "hierarchies") -> EncodedTable:
    from shoal.engines.codes.encoding import encode
    from shoal.engines.local import LocalEngine
    from shoal.engines.reading.source import open_source

    schema = adult_schema(hierarchies)
    engine = LocalEngine(open_source(ADULT / "adult_arx.csv.gz"))
    return encode(engine, schema, schema.names(Role.QUASI_IDENTIFIER))


def blow_up(rows: int) -> Path:
    """Adult sampled with replacement, age jittered (sd 3), each cell redrawn from its marginal with p = 0.12.

    Made by a process of its own: a child's peak of memory counts from that of the process that started it.
    """
    path = CACHE / f"{'adult' if DATA.exists() else 'stand_in'}_{rows}.parquet"
    if not path.exists():
        subprocess.run([sys.executable, __file__, str(rows), str(path)], check=True)
    return path


def _grow(rows: int, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    table = pc.read_csv(ADULT / "adult_arx.csv.gz")
    rng = np.random.default_rng(1)
    unfinished = path.with_suffix(".part")
    writer = None
    for start in range(0, rows, 1_000_000):
        count = min(1_000_000, rows - start)
        chosen = rng.integers(0, table.num_rows, count)
        columns = {}
        for name in table.column_names:
            values = table[name].to_numpy()
            drawn = np.where(rng.random(count) < 0.12, rng.integers(0, table.num_rows, count), chosen)
            column = values[drawn]
            if name == "age":
                column = np.clip(column + np.rint(rng.normal(0, 3, count)).astype(int), 17, 90).astype(str)
            columns[name] = pa.array(column.astype(str))
        part = pa.table(columns)
        writer = writer or pq.ParquetWriter(unfinished, part.schema)
        writer.write_table(part)
    writer.close()
    unfinished.rename(path)


def cpu(work: Callable[[], object], repeat: int = 3) -> float:
    """The least CPU time of a few runs, in seconds: user and system, all threads."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


_USAGE = """
import json, resource, time
print(json.dumps([time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def fresh_process(code: str) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of a program run by a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code + _USAGE], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
    )
    seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
    return seconds, megabytes


def machine() -> str:
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    adult = "" if DATA.exists() else "; a made-up table in place of Adult"
    return f"{platform.machine()}, {os.cpu_count()} cores, {versions}, load {os.getloadavg()[0]:.1f}{adult}"


if __name__ == "__main__":
    _grow(int(sys.argv[1]), Path(sys.argv[2]))
