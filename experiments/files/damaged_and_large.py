"""Files of other programs: how long 100,000 records of 20 columns take, and what becomes of damaged files.

    python experiments/files/damaged_and_large.py            # both tables
    python experiments/files/damaged_and_large.py --records 1000 --damaged 3

A damaged file has 1 to 30 bytes changed at random, or zeros in its first 4 kB, or is cut off, by turns. Needs the
extras `files` and `r`.
"""

from __future__ import annotations

import argparse
import datetime as dt
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

from shoal.engines.reading.foreign import process
from shoal.engines.reading.source import open_source
from shoal.errors import ShoalError

ENDINGS = ("csv", "jsonl", "xlsx", "sav", "zsav", "dta", "xpt", "rds")


def people(records: int) -> pd.DataFrame:
    rng = np.random.default_rng(17)
    first = dt.date(1940, 1, 1)
    columns = {
        "id": np.arange(records),
        "sex": rng.integers(1, 3, records).astype(float),
        "region": rng.integers(1, 9, records).astype(float),
        "illness": rng.choice(["flu", "cold", "none", "other"], records),
        "born": [first + dt.timedelta(days=int(day)) for day in rng.integers(0, 20_000, records)],
    }
    columns |= {f"x{i}": np.round(rng.normal(10, 3, records), 2) for i in range(15)}
    return pd.DataFrame(columns)


def written(frame: pd.DataFrame, path: Path) -> None:
    labels = {"sex": {1: "female", 2: "male"}, "region": {i: f"Region {i}" for i in range(1, 9)}}
    floats = {name: {float(code): label for code, label in known.items()} for name, known in labels.items()}
    match path.suffix:
        case ".csv":
            frame.to_csv(path, index=False)
        case ".jsonl":
            frame.astype({"born": str}).to_json(path, orient="records", lines=True)
        case ".xlsx":
            frame.to_excel(path, index=False, engine="xlsxwriter")
        case ".sav" | ".zsav":
            pyreadstat.write_sav(frame, path, variable_value_labels=floats, compress=path.suffix == ".zsav")
        case ".dta":
            pyreadstat.write_dta(frame, path, variable_value_labels=labels)
        case ".xpt":
            pyreadstat.write_xport(frame, path)
        case ".rds":
            import rdata

            rdata.write_rds(path, frame.drop(columns=["illness", "born"]))  # it cannot write texts and days


def read(path: Path) -> int:
    process.forget()
    source = open_source(path)
    return sum(batch.num_rows for batch, _ in source.batches(list(source.types())))


def cpu_seconds() -> float:
    """Of this process and of those that it has started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def damaged(content: bytes, number: int) -> bytes:
    rng = np.random.default_rng(number)
    changed = bytearray(content)
    match number % 3:
        case 0:
            for at in rng.integers(0, len(content), rng.integers(1, 31)):
                changed[at] ^= int(rng.integers(1, 256))
        case 1:
            at = int(rng.integers(0, min(4096, len(content))))
            changed[at : at + 64] = bytes(min(64, len(content) - at))
        case _:
            del changed[int(rng.integers(1, len(content))) :]
    return bytes(changed)


def tried(path: Path, records: int) -> str:
    try:
        found = read(path)
    except ShoalError as error:
        text = str(error)
        if "crashed" in text:
            return "crashed"
        return "hung" if "was still not read" in text else "refused"
    return "read" if found == records else "read, other records"


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--records", type=int, default=100_000)
    asked.add_argument("--damaged", type=int, default=30)
    options = asked.parse_args()
    process._SECONDS = 30  # noqa: SLF001  a hang is a hang
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = people(options.records)
        print(f"{options.records:,} records, 20 columns (rds 18)\n\n| ending | MB | CPU seconds |\n| --- | --- | --- |")
        for ending in ENDINGS:
            path = folder / f"people.{ending}"
            written(frame, path)
            start = cpu_seconds()
            assert read(path) == options.records
            print(f"| {ending} | {path.stat().st_size / 1e6:.1f} | {cpu_seconds() - start:.1f} |", flush=True)
        few = people(500)
        print(
            f"\n{options.damaged} damaged files of 500 records each\n\n| ending | what became of them |\n| --- | --- |"
        )
        for ending in ENDINGS[1:]:
            path = folder / f"few.{ending}"
            written(few, path)
            content, found = path.read_bytes(), Counter[str]()
            for number in range(options.damaged):
                path.write_bytes(damaged(content, number))
                found[tried(path, 500)] += 1
            print(f"| {ending} | {', '.join(f'{times} {what}' for what, times in found.most_common())} |", flush=True)


if __name__ == "__main__":
    main()
