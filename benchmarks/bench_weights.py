"""A survey with weights of which hardly two are equal, beside the same table without: `shoal run`, CPU seconds.

    python bench_weights.py             # 1,000,000 records

The whole of it, in a process of its own: starting, counting, searching, writing, the owner's report.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
from common import CACHE, machine

PLAN = """
[data]
path = "{path}"
person = "row"
{weight}
[columns.age]
role = "quasi-identifier"
domain = {{ from = 0, to = 89 }}
hierarchy = {{ intervals = [5, 10] }}
[columns.town]
role = "quasi-identifier"
domain = {{ from = 0, to = 199 }}
hierarchy = {{ intervals = [10, 50] }}
[columns.job]
role = "quasi-identifier"
domain = {{ from = 0, to = 29 }}
hierarchy = {{ intervals = [5] }}
{dropped}
[method]
name = "optimal-lattice"
k = 5
suppression_limit = 0.05
"""
RUNS = 3


def survey(records: int) -> Path:
    path = CACHE / f"survey_{records}.csv"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(0)
        columns = {name: rng.integers(0, size, records) for name, size in (("age", 90), ("town", 200), ("job", 30))}
        pc.write_csv(pa.table(columns | {"w": np.round(rng.uniform(50, 9000, records), 3)}), path)
    return path


def seconds(path: Path, *, weighted: bool) -> float:
    """CPU seconds of one run."""
    weight, dropped = ('weight = "w"', "") if weighted else ("", '[columns.w]\nrole = "dropped"')
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "release.toml"
        plan.write_text(PLAN.format(path=path, weight=weight, dropped=dropped))
        before = os.times()
        subprocess.run([sys.executable, "-m", "shoal", "run", str(plan)], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(machine())
    path = survey(records)
    times = [[seconds(path, weighted=weighted) for weighted in (False, True)] for _ in range(RUNS)]
    without, with_weights = (min(column) for column in zip(*times, strict=True))
    print(
        f"{records:,} records: without weights {without:.1f} s, with {with_weights:.1f} s: {with_weights / without:.2f}"
    )


if __name__ == "__main__":
    main()
