"""Engine by engine: counting distinct records and writing a release, in seconds, CPU seconds and peak memory.

Each job is a process of its own, with those that it starts (Spark's Java among them), and is stopped after `--seconds`.
The default run takes about a quarter of an hour on two cores, and 3 GB of disk. Parts of it can be asked for:
`bench_engines.py --rows 12000000,100000000 --engines local,duckdb --jobs count,release`.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from math import log
from pathlib import Path

import numpy as np
from common import CACHE, blow_up, machine

ROWS = (1_200_000, 12_000_000, 100_000_000)
OPENED = """
import sys; sys.path.insert(0, ".")
from pathlib import Path
from bench_engines import schema
from shoal.engines.codes.encoding import encode
from shoal.engines.lazy.engine import LazyEngine
from shoal.engines.lazy.files import Computing
from shoal.engines.opening import engine_at
path, kind, table = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
if kind == "polars":
    import polars as pl
    engine = LazyEngine.of(pl.scan_parquet(path))
else:
    how = {"duckdb": {"memory": "2GB"}, "spark": {"master": "local[2]"}}.get(kind, {})
    engine = engine_at(path, computing=Computing(kind, **how))
said = schema(table)
names = [c.name for c in said]
"""
CODED = OPENED + "print(len(encode(engine, said, names).counts))\n"
AT_FLOOR = OPENED + "print(len(encode(engine, said, names, floors=dict.fromkeys(names, 1)).counts))\n"
RELEASE = (
    OPENED
    + """
import shoal, tempfile
from shoal.pipeline import _publish
from shoal.engines.reading.native import ArrowTables
from shoal.progress import silent
aside = shoal.Column("native-country", shoal.Role.INSENSITIVE, unlinkable=True)
said = shoal.Schema(tuple(aside if c.name == aside.name else c for c in said))
release = _publish(engine, said, shoal.Mondrian(k=50), silent, ArrowTables())
with tempfile.TemporaryDirectory() as folder:
    print(release.write_data(Path(folder) / "data.parquet"))
"""
)


def schema(table: str):  # noqa: ANN201
    from common import adult_schema

    import shoal

    if table == "nine columns":
        return adult_schema()
    made = shoal.Schema()
    for i in range(10):
        hierarchy = shoal.intervals(250)
        made = made.with_column(f"x{i}", role="quasi-identifier", domain=(0, 999), hierarchy=hierarchy)
    return made


def nine_columns(rows: int) -> Path:
    """Adult blown up; more than 12 million rows as a folder in which those stand several times."""
    import pyarrow.parquet as pq

    once = ROWS[1]
    if rows <= once:
        return blow_up(rows)
    folder, part = CACHE / f"adult_{rows}", blow_up(once)
    folder.mkdir(exist_ok=True)
    for number in range(rows // once):
        if not (folder / f"{number}.parquet").exists():
            os.link(part, folder / f"{number}.parquet")
    rest = folder / "rest.parquet"
    if rows % once and not rest.exists():
        left = rows % once
        with pq.ParquetFile(part) as whole, pq.ParquetWriter(rest, whole.schema_arrow) as writer:
            for batch in whole.iter_batches():
                writer.write_batch(batch.slice(0, left))
                left -= min(left, batch.num_rows)
    return folder


def nearly_unique(rows: int) -> Path:
    """Ten columns of a thousand values each: hardly two records are alike."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = CACHE / f"unique_{rows}.parquet"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(1)
        with pq.ParquetWriter(path, pa.schema({f"x{i}": pa.int16() for i in range(10)})) as writer:
            for start in range(0, rows, 1_000_000):
                number = min(1_000_000, rows - start)
                drawn = {f"x{i}": rng.integers(0, 1000, number, dtype=np.int16) for i in range(10)}
                writer.write_table(pa.table(drawn))
    return path


JOBS = {
    "count": ("nine columns, counting", CODED, nine_columns, ROWS, "local duckdb polars spark"),
    "release": (
        "nine columns, a release with one passed through",
        RELEASE,
        nine_columns,
        ROWS[:2],
        "local duckdb spark",
    ),
    "unique": ("ten nearly unique columns, counting", CODED, nearly_unique, ROWS[:2], "local duckdb"),
    "floor": ("ten nearly unique columns, counting at a floor", AT_FLOOR, nearly_unique, ROWS[1:], "duckdb"),
}
"""What is done to which table, at which sizes, by which engines."""


def usage(code: str, *words: str, limit: float = 600) -> tuple[float, float, float, str]:
    """Seconds, CPU seconds and peak memory in MB of a program and all that it starts, as /proc tells them; its output.

    The output is empty if it failed, and says so if it was stopped.
    """
    begun, tick = time.monotonic(), os.sysconf("SC_CLK_TCK")
    heap = "--driver-memory 3g --conf spark.ui.enabled=false pyspark-shell"
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            stdout=said,
            stderr=complained,
            cwd=Path(__file__).parent,
            start_new_session=True,
            env={"PYSPARK_SUBMIT_ARGS": heap, **os.environ},
        )
        seconds: dict[int, float] = {}
        peak, is_late = 0.0, False
        while process.poll() is None:
            resident = 0
            for entry in Path("/proc").iterdir():
                if not entry.name.isdigit():
                    continue
                try:
                    parts = (entry / "stat").read_text().rpartition(")")[2].split()
                    if int(parts[3]) == process.pid:  # the session that the program leads
                        seconds[int(entry.name)] = (int(parts[11]) + int(parts[12])) / tick
                        resident += int(parts[21]) * os.sysconf("SC_PAGE_SIZE")
                except (OSError, IndexError):
                    continue
            peak = max(peak, resident / 2**20)
            if time.monotonic() - begun > limit and not is_late:
                is_late = True
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.05)
        said.seek(0)
        complained.seek(0)
        output = said.read().decode().strip()
        if process.returncode and not is_late:
            print(complained.read().decode()[-500:], file=sys.stderr)
    answer = "stopped" if is_late else "" if process.returncode else output.splitlines()[-1]
    return time.monotonic() - begun, sum(seconds.values()), peak, answer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", help="only these numbers of rows, with commas between them")
    parser.add_argument("--engines", default="local,duckdb,polars,spark")
    parser.add_argument("--jobs", default=",".join(JOBS))
    parser.add_argument("--seconds", type=float, default=200, help="after which a job is stopped")
    chosen = parser.parse_args()
    wanted = None if chosen.rows is None else [int(rows) for rows in chosen.rows.split(",")]
    print(machine())
    print("| job | engine | rows | seconds | CPU s | MB | growth of CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for engine in chosen.engines.split(","):
        for title, code, make, sizes, engines in (JOBS[job] for job in chosen.jobs.split(",")):
            if engine not in engines.split():
                continue
            before = None
            for rows in sizes if wanted is None else wanted:
                words = (str(make(rows)), engine, "nine columns" if make is nine_columns else "ten columns")
                wall, cpu, peak, answer = usage(code, *words, limit=chosen.seconds)
                row = f"| {title} | {engine} | {rows:,} "
                if answer in ("", "stopped"):
                    why = f"more than {chosen.seconds:.0f}" if answer else "failed"
                    print(f"{row}| {why} | {cpu:.1f} | {peak:,.0f} | |", flush=True)
                    break
                growth = "" if before is None else f"{log(cpu / before[1]) / log(rows / before[0]):.2f}"
                before = rows, cpu
                print(f"{row}| {wall:.1f} | {cpu:.1f} | {peak:,.0f} | {growth} |", flush=True)


if __name__ == "__main__":
    main()
