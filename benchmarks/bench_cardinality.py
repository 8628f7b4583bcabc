"""Tables in which nearly every record is different: a 5-digit zip code, a day of birth and nine further columns.

Each method is a process of its own, from the file to the file it publishes: CPU seconds, peak memory, and what came of
it. A method that refuses says what to do instead; one that takes longer than `--seconds` is stopped. The default takes
less than a minute; the table of 1.2 million rows: `bench_cardinality.py --rows 1200000 --seconds 300`. Wide tables:
`--columns 50`, `--columns 200`. One method: `--methods mondrian`. With a limit to memory: `--memory 1GB`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import CACHE, machine

CATEGORIES = {
    "sex": 2,
    "race": 5,
    "marital": 7,
    "education": 16,
    "occupation": 14,
    "workclass": 7,
    "country": 41,
    "housing": 4,
}
FIRST, DAYS = np.datetime64("1930-01-01"), 29_200
SENSITIVE = 40
DEFAULT = ("mondrian", "local-recoding", "optimal-lattice", "mdav", "cell-suppression", "diffgen")
METHODS = {
    "mondrian": {"k": 5},
    "local-recoding": {"k": 5},
    "mdav": {"k": 5},
    "optimal-lattice": {"k": 5, "suppression_limit": 0.05},
    "ola": {"k": 5, "suppression_limit": 0.05},
    "tds": {"k": 5, "target": "diagnosis"},
    "pais": {"k": 5, "target": "diagnosis"},
    "cell-suppression": {"k": 5},
    "sequential": {"k": 5},
    "nhaa": {"diversity": 3},
    "nsvdist": {"k": 5, "diversity": 2},
    "k-epsilon": {"epsilon": 1.0, "perturbed": ["children"], "anonymizer": {"name": "mondrian", "k": 5}},
    "safepub": {"epsilon": 1.0, "delta": 1e-7},
    "diffgen": {"epsilon": 1.0, "target": "diagnosis", "show": "groups"},
    "microaggregation-dp": {"epsilon": 1.0},
    "marginals": {"epsilon": 1.0},
    "pram": {"perturbed": ["country"], "invariant": 0.8, "anonymizer": {"name": "mondrian", "k": 5}},
    "rank-swapping": {"perturbed": ["birth"], "anonymizer": {"name": "mondrian", "k": 5}},
    "noise": {"perturbed": ["children"], "anonymizer": {"name": "mondrian", "k": 5}},
}


def table(rows: int, columns: int | None) -> Path:
    """The table as a Parquet file, made once: columns of different width that hang together a little."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = CACHE / f"cardinality_{rows}{'' if columns is None else f'_{columns}_and_one'}.parquet"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    writer = None
    for start in range(0, rows, 300_000):
        part = pa.table(_part(rng, min(300_000, rows - start), columns))
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    writer.close()
    return path


def _part(rng: np.random.Generator, rows: int, columns: int | None) -> dict[str, np.ndarray]:
    place, life = rng.random(rows), rng.random(rows)
    if columns is not None:
        made = {f"x{i}": _category(rng, 4 + 3 * (i % 9), place if i % 2 else life) for i in range(columns)}
        return made | {"diagnosis": _category(rng, SENSITIVE, life)}
    made = {
        "zip": np.char.zfill((np.minimum(place**2, 0.999999) * 100_000).astype(int).astype(str), 5),
        "birth": FIRST + np.minimum(life * DAYS, DAYS - 1).astype(int),
        "children": rng.poisson(2 * (1 - life)).clip(0, 9),
    }
    for i, (name, values) in enumerate(CATEGORIES.items()):
        made[name] = _category(rng, values, place if i % 2 else life)
    return made | {"diagnosis": _category(rng, SENSITIVE, life)}


def _category(rng: np.random.Generator, values: int, near: np.ndarray) -> np.ndarray:
    number = np.clip(near * values + rng.normal(0, values / 3, len(near)), 0, values - 1).astype(int)
    return np.array([f"v{value:02}" for value in range(values)])[number]


def schema(columns: int | None):  # noqa: ANN201
    import shoal

    made = shoal.Schema().with_person("row")
    qi = {"role": "quasi-identifier"}
    if columns is not None:
        for i in range(columns):
            values = [f"v{value:02}" for value in range(4 + 3 * (i % 9))]
            made = made.with_column(f"x{i}", **qi, domain=values, hierarchy=shoal.balanced(3))
        return _with_diagnosis(made)
    zips = [f"{value:05}" for value in range(100_000)]
    made = made.with_column("zip", **qi, domain=zips, hierarchy=shoal.prefixes(4, 3, 2, 1))
    last = FIRST + DAYS - 1
    made = made.with_column("birth", **qi, domain=(FIRST.item(), last.item()), hierarchy=shoal.dates())
    made = made.with_column("children", **qi, domain=(0, 9), hierarchy=shoal.intervals(2))
    for name, values in CATEGORIES.items():
        domain = [f"v{value:02}" for value in range(values)]
        made = made.with_column(name, **qi, domain=domain, hierarchy=shoal.balanced(3))
    return _with_diagnosis(made)


def _with_diagnosis(said):  # noqa: ANN001, ANN202
    import shoal

    domain = [f"v{value:02}" for value in range(SENSITIVE)]
    return said.with_column("diagnosis", role="sensitive", domain=domain, hierarchy=shoal.balanced(4))


def _asked(name: str, columns: int | None) -> dict[str, object]:
    """What is asked of a method; a wide table has other columns to perturb."""
    asked = {"name": name, **METHODS[name]}
    if columns is not None and "perturbed" in asked:
        asked["perturbed"] = ["x1"]
    return asked


def one(name: str, rows: int, columns: int | None, memory: str | None) -> None:
    """Publish with one method, in this process, and print what it took."""
    import time
    from contextlib import nullcontext

    from shoal.engines.memory import kept_limit, memory_limit
    from shoal.engines.opening import engine_at
    from shoal.engines.reading.native import ArrowTables
    from shoal.errors import ShoalError
    from shoal.methods.parts.declared import is_paid
    from shoal.pipeline import _publish
    from shoal.plan.method import parse_method
    from shoal.progress import silent

    said = schema(columns)
    try:
        method = parse_method(_asked(name, columns), said, "[method]")
        kept = nullcontext() if is_paid(method) else kept_limit()
        with memory_limit(memory), kept, tempfile.TemporaryDirectory() as folder:
            release = _publish(engine_at(table(rows, columns)), said, method, silent, ArrowTables(), keys=None)
            release.write_data(Path(folder) / "data.parquet")
        came = ", ".join(f"{key} {value:.4g}" for key, value in release.outcome.losses.items())
    except ShoalError as error:
        came = f"refused: {error}"
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([time.process_time(), used.ru_maxrss / 1024, came]))


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--rows", type=int, default=20_000)
    ask.add_argument("--columns", type=int, help="a table of so many small columns instead")
    ask.add_argument("--seconds", type=int, default=60)
    ask.add_argument("--gigabytes", type=float, default=8.0, help="of address space, for each process")
    ask.add_argument("--methods", default=",".join(DEFAULT), help="'all', or names with commas")
    ask.add_argument("--memory", help="a limit that Shoal is to keep, such as 2GB")
    ask.add_argument("--one", help=argparse.SUPPRESS)
    asked = ask.parse_args()
    if asked.one:
        one(asked.one, asked.rows, asked.columns, asked.memory)
        return
    table(asked.rows, asked.columns)
    print(machine())
    print(f"\n{asked.rows:,} rows, {asked.columns or 11} quasi-identifiers")
    print(f"{'method':<20} {'CPU s':>8} {'peak MB':>8}  what came of it")
    for name in METHODS if asked.methods == "all" else asked.methods.split(","):
        _row(name, asked)


def _row(name: str, asked: argparse.Namespace) -> None:
    what = [__file__, "--one", name, "--rows", str(asked.rows)]
    what += [] if asked.columns is None else ["--columns", str(asked.columns)]
    what += [] if asked.memory is None else ["--memory", asked.memory]
    most = int(asked.gigabytes * 2**30)

    limited = f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, ({most}, {most})); "
    limited += "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    done = subprocess.Popen(
        [sys.executable, "-c", limited, *what],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parent,
    )
    try:
        out, err = done.communicate(timeout=asked.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)
        done.communicate()
        print(f"{name:<20} {'':>8} {'':>8}  stopped after {asked.seconds} s", flush=True)
        return
    if done.returncode:
        print(f"{name:<20} {'':>8} {'':>8}  failed: {(err.splitlines() or ['killed'])[-1]}", flush=True)
        return
    seconds, megabytes, came = json.loads(out.splitlines()[-1])
    print(f"{name:<20} {seconds:>8.1f} {megabytes:>8,.0f}  {came}", flush=True)


if __name__ == "__main__":
    main()
