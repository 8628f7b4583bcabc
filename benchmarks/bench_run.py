"""`shoal run` as a user would time it: CPU seconds of the whole command, CSV to CSV, the owner's report included.

Each command runs in a new process, the least of a few runs counts; the first one, which compiles kernels for the
processor it runs on, does not.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import CACHE, adult_csv, adult_schema, blow_up, hierarchy_file, machine

METHODS = {
    "optimal-lattice, k = 5, 4%": 'name = "optimal-lattice"\nk = 5\nsuppression_limit = 0.04',
    "optimal-lattice, k = 5, 100%": 'name = "optimal-lattice"\nk = 5\nsuppression_limit = 1.0',
    "mondrian, k = 5": 'name = "mondrian"\nk = 5',
    "safepub, epsilon 1": 'name = "safepub"\nepsilon = 1.0\ndelta = 1e-5',
}


def main() -> None:
    print(machine())
    tables = {"Adult": (adult_file(), 5), "1.2 million rows": (large_file(), 2)}
    print(f"\n{'table':<18} {'method':<30} {'CPU, s':>7} {'wall, s':>8} {'peak, MB':>9} {'report, kB':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for table, (data, runs) in tables.items():
            for name, method in METHODS.items():
                plan = plan_for(Path(folder), data, method)
                timed(plan)
                times = [timed(plan) for _ in range(runs)]
                seconds, wall, peak = map(min, zip(*times, strict=True))
                page = (plan.parent / "out-owner" / "report.html").stat().st_size / 1e3
                print(f"{table:<18} {name:<30} {seconds:>7.2f} {wall:>8.2f} {peak:>9,.0f} {page:>11,.0f}")


def adult_file() -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / "adult.csv"
    path.write_bytes(gzip.decompress(adult_csv().read_bytes()))
    return path


def large_file() -> Path:
    parquet = blow_up(1_200_000)
    path = parquet.with_suffix(".csv")
    if not path.exists():  # in a process of its own, as there
        program = (
            "import sys, pyarrow.csv as c, pyarrow.parquet as p; c.write_csv(p.read_table(sys.argv[1]), sys.argv[2])"
        )
        subprocess.run([sys.executable, "-c", program, parquet, path], check=True)
    return path


def plan_for(folder: Path, data: Path, method: str) -> Path:
    """Eight quasi-identifiers and a sensitive column, which private methods treat like the others."""
    columns = [
        f'[columns.{column.name}]\nrole = "{"sensitive" if column.name == "occupation" else "quasi-identifier"}"\n'
        f'hierarchy = "{hierarchy_file(column.name)}"\n'
        for column in adult_schema().columns
    ]
    path = folder / "release.toml"
    path.write_text(
        f'[data]\npath = "{data}"\nperson = "row"\n\n{"".join(columns)}\n[method]\n{method}\n\n'
        '[output]\npath = "out"\nformat = "csv"\n',
        encoding="utf-8",
    )
    return path


def timed(plan: Path, **environment: str) -> tuple[float, float, float]:
    """CPU and wall seconds of the command, and its largest memory in MB."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "shoal", "run", str(plan), "--force"]
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=told, env=_environment(plan.parent) | environment
        )
        _, status, used = os.wait4(process.pid, 0)
        if status:
            told.seek(0)
            sys.exit(told.read())
    return used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss / 1024


def _environment(folder: Path) -> dict[str, str]:
    """Not the ledger of whoever runs this; and modules compiled once, as those of an installed package are."""
    own = {"XDG_DATA_HOME": str(folder), "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode")}
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own


if __name__ == "__main__":
    main()
