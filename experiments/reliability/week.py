"""A week in an hour: many runs on one ledger, one after the other and eight at a time; sums, memory, files and handles.

Run: python experiments/reliability/week.py [--runs 2000] [--at-once 8]

First all runs are made in one process, as a service would, then as many by so many processes at a time. At the end the
ledger must have every run once, and memory, open files and what stands in folders must not have grown with them.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc

from shoal.dp.ledger.fingerprint import Dataset
from shoal.dp.ledger.store import LedgerStore
from shoal.running.publishing import publish_to

PLAN = """[data]
path = "people.csv"
person = "row"

[columns.town]
role = "quasi-identifier"
domain = ["Bonn", "Kiel", "Ulm"]

[columns.age]
role = "quasi-identifier"
domain = { from = 0, to = 99 }
hierarchy = { intervals = [5, 20] }

[method]
name = "safepub"
epsilon = 0.5
delta = 1e-6
candidates = 20

[budget]
ledger = "books"

[output]
examples = false
"""
COST = Fraction(1, 2)


def prepared(folder: Path) -> None:
    """A table and a release file."""
    ages = [20 + i % 40 for i in range(300)]
    pc.write_csv(pa.table({"town": ["Bonn", "Kiel", "Ulm"] * 100, "age": ages}), folder / "people.csv")
    (folder / "release.toml").write_text(PLAN, encoding="utf-8")


def state(folder: Path) -> dict[str, int]:
    """What must not grow: memory in megabytes, open files, names in the folder."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return {
        "MB": pages * resource.getpagesize() >> 20,
        "handles": len(list(Path("/proc/self/fd").iterdir())),
        "names": len(list(folder.iterdir())),
    }


def one_after_the_other(folder: Path, runs: int, output: Path) -> None:
    """All runs in this process, replacing one release."""
    started = time.monotonic()
    for number in range(runs):
        publish_to(folder / "release.toml", output, force=True)
        if number in (runs // 10, runs - 1):
            told = ", ".join(f"{value} {name}" for name, value in state(folder).items())
            print(f"after {number + 1:,} runs in one process, {time.monotonic() - started:.0f} s: {told}", flush=True)


def at_once(folder: Path, runs: int, count: int) -> list[int]:
    """As many runs by several processes at a time, each replacing a release of its own; how many each ended well."""
    shares = [runs // count + (worker < runs % count) for worker in range(count)]
    words = [sys.executable, __file__, "--worker", str(folder)]
    processes = [
        subprocess.Popen([*words, str(worker), "--runs", str(share)], stdout=subprocess.PIPE, text=True)
        for worker, share in enumerate(shares)
    ]
    ended = []
    for worker, process in enumerate(processes):
        printed, _ = process.communicate()
        *told, last = printed.strip().splitlines() or ["0"]
        print("\n".join(f"  process {worker + 1}, {line}" for line in told), flush=True)
        ended.append(int(last) if last.isdigit() else 0)  # what failed has told why, and its runs do not count
    return ended


def work(folder: Path, number: int, runs: int) -> None:
    """One of the processes: its runs, and how many of them ended well."""
    one_after_the_other(folder, runs, folder / f"of-{number}")
    print(runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--worker", nargs=2, metavar=("FOLDER", "NUMBER"), help="be one of the processes")
    asked = parser.parse_args()
    if asked.worker is not None:
        work(Path(asked.worker[0]), int(asked.worker[1]), asked.runs)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "here"
        folder.mkdir()
        os.environ["XDG_DATA_HOME"] = str(Path(scratch) / "home")
        prepared(folder)
        one_after_the_other(folder, asked.runs, folder / "release")
        ended = at_once(folder, asked.runs, asked.at_once)
        history = LedgerStore(folder / "books").history(Dataset.of(folder / "people.csv"))
        spent = sum((spending.cost.epsilon for spending in history), Fraction(0))
        print(f"{sum(ended):,} of {asked.runs:,} runs ended well, {asked.at_once} at a time")
        print(
            f"the ledger has {len(history):,} rows and says {float(spent):g}; {float(COST * len(history)):g} is right"
        )
        notes = list((Path(scratch) / "home" / "shoal" / "running").glob("*"))
        hidden = [path.name for path in folder.iterdir() if path.name.startswith(".")]
        print(f"left behind: {len(hidden)} hidden folders, {max(len(notes) - 1, 0)} notes")
        assert len(history) == 2 * asked.runs == asked.runs + sum(ended), (
            "a run is missing from the ledger, or counted twice"
        )
        assert spent == COST * len(history)
        assert not hidden


if __name__ == "__main__":
    main()
