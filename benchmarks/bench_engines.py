"""Engine by engine: counting distinct records and writing a release, in CPU seconds and peak memory of all processes.

Each job is a process of its own, with those that it starts (Spark's Java among them). Rows can be given:
`bench_engines.py 12000000 96000000 --engines local,duckdb --jobs count,release`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from math import log
from pathlib import Path

import numpy as np
from common import CACHE, blow_up, machine

COUNT = """
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
"""
CODED = COUNT + "print(len(encode(engine, schema(table), [c.name for c in schema(table)]).counts))\n"
RELEASE = (
    COUNT
    + """
import shoal, tempfile
from shoal.pipeline import _publish
from shoal.engines.reading.native import ArrowTables
from shoal.progress import silent
aside = shoal.Column("native-country", shoal.Role.INSENSITIVE, unlinkable=True)
said = shoal.Schema(tuple(aside if c.name == aside.name else c for c in schema(table)))
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
        made = made.with_column(f"x{i}", role="quasi-identifier", domain=(0, 999))
    return made


def nine_columns(rows: int) -> Path:
    """Adult blown up; more than 12 million rows as a folder in which those stand several times."""
    once = 12_000_000
    if rows <= once:
        return blow_up(rows)
    if rows % once:
        sys.exit(f"more than {once:,} rows are a multiple of them")
    folder, part = CACHE / f"adult_{rows}", blow_up(once)
    folder.mkdir(exist_ok=True)
    for number in range(rows // once):
        if not (folder / f"{number}.parquet").exists():
            os.link(part, folder / f"{number}.parquet")
    return folder


def nearly_unique(rows: int) -> Path:
    """Ten columns of a thousand values each: hardly two records are alike."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = CACHE / f"unique_{rows}.parquet"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(1)
        pq.write_table(pa.table({f"x{i}": rng.integers(0, 1000, rows) for i in range(10)}), path)
    return path


def usage(code: str, *words: str) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak memory in MB of a program and all that it starts, as /proc tells them."""
    begun, tick = time.monotonic(), os.sysconf("SC_CLK_TCK")
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parent,
        start_new_session=True,
    )
    seconds: dict[int, float] = {}
    peak = 0.0
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
        time.sleep(0.05)
    if process.returncode:
        sys.exit(process.stderr.read().decode()[-2000:])
    return time.monotonic() - begun, sum(seconds.values()), peak


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", type=int, default=[1_200_000, 12_000_000])
    parser.add_argument("--engines", default="local,duckdb,polars,spark")
    parser.add_argument("--jobs", default="count,release,unique")
    chosen = parser.parse_args()
    print(machine())
    print("| job | engine | rows | seconds | CPU s | MB | growth |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    jobs = {
        "count": ("nine columns, counting", CODED, nine_columns),
        "release": ("nine columns, a release with one passed through", RELEASE, nine_columns),
        "unique": ("ten nearly unique columns, counting", CODED, nearly_unique),
    }
    for job in chosen.jobs.split(","):
        title, code, make = jobs[job]
        for engine in chosen.engines.split(","):
            before = None
            for rows in chosen.rows:
                if job == "unique" and rows > 2_000_000:  # ten times as many take minutes
                    continue
                words = (str(make(rows)), engine, "nine columns" if job != "unique" else "ten columns")
                wall, cpu, peak = usage(code, *words)
                growth = "" if before is None else f"{log(cpu / before[1]) / log(rows / before[0]):.2f}"
                before = rows, cpu
                print(
                    f"| {title} | {engine} | {rows:,} | {wall:.1f} | {cpu:.1f} | {peak:,.0f} | {growth} |", flush=True
                )


if __name__ == "__main__":
    main()
