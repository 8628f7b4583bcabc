"""Persons with ten rows each: counted, searched and written, beside the same rows as rows; CPU seconds.

    python bench_people.py             # 1,000,000 persons, 10,000,000 rows
    python bench_people.py 100000      # so many persons; up to this number also 3-diversity, which looks at every node

Rows come in a random order, ids are texts. Persons keep age, zip code and sex; each row has a day and a diagnosis. The
kernels are compiled before the clock starts.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import CACHE, machine

import shoal
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
from shoal.methods import Method
from shoal.pipeline import encoded
from shoal.promises.verify import verify, with_checkable

ROWS_EACH = 10
REQUESTS = {
    "k = 20, loss": shoal.OptimalLattice(k=20),
    "k = 20, 0.3-close, loss": shoal.OptimalLattice(k=20, closeness=0.3),
}
DIVERSE = {"k = 20, 3-diverse, loss": shoal.OptimalLattice(k=20, diversity=3)}
MOST_DIVERSE = 100_000


def visits(persons: int) -> Path:
    path = CACHE / f"visits_{persons}.parquet"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(15)
    rows = persons * ROWS_EACH
    who = rng.permutation(np.repeat(np.arange(persons), ROWS_EACH))
    age, area, sex = rng.integers(0, 90, persons), rng.integers(0, 1000, persons), rng.integers(0, 2, persons)
    leaning = rng.integers(0, 20, persons)
    illness = np.where(rng.random(rows) < 0.3, leaning[who], rng.integers(0, 20, rows))
    columns = {
        "who": pa.array(who).cast(pa.string()),
        "age": age[who],
        "zip": area[who],
        "sex": sex[who],
        "day": rng.integers(0, 365, rows),
        "ill": illness,
    }
    pq.write_table(pa.table(columns), path)
    return path


def schema(person: str) -> shoal.Schema:
    made = shoal.Schema(person=person)
    for name, domain, widths in (
        ("age", (0, 89), (5, 10, 30)),
        ("zip", (0, 999), (10, 100)),
        ("sex", (0, 1), ()),
        ("day", (0, 364), (7, 28)),
    ):
        levels = {"hierarchy": shoal.intervals(*widths)} if widths else {}
        made = made.with_column(name, role="quasi-identifier", domain=domain, **levels)
    made = made.with_column("ill", role="sensitive", domain=(0, 19))
    return made if person == "who" else made.with_column("who", role="dropped")


@contextmanager
def clock(times: dict[str, float], what: str) -> Iterator[None]:
    before = time.process_time()
    yield
    times[what] = time.process_time() - before


def measured(path: Path, person: str, methods: dict[str, Method]) -> dict[str, float]:
    """CPU seconds of each step, the searches one after the other on the same counts."""
    times: dict[str, float] = {}
    engine, said = LocalEngine(open_source(path)), schema(person)
    with clock(times, "counted"):
        table = encoded(engine, said, next(iter(methods.values())))
    for name, method in methods.items():
        with clock(times, f"searched: {name}"):
            outcome = method.run(table)
        if name == next(iter(methods)):
            first, asked = outcome, method
    with clock(times, "verified"):
        promised = with_checkable(asked.promises(first.table))
        assert all(v.holds for v in verify(first.table, first.published, promised, first.published_persons()))
    with tempfile.TemporaryDirectory() as folder, clock(times, "written"):
        engine.write(said, first, Path(folder) / "data.parquet")
    return times


def main() -> None:
    persons = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(machine())
    for person in ("who", "row"):
        measured(visits(500), person, {"warm": shoal.OptimalLattice(k=2, diversity=1.5, closeness=0.9)})
        measured(visits(500), person, {"warm": shoal.OptimalLattice(k=2)})
    path = visits(persons)
    methods = REQUESTS | (DIVERSE if persons <= MOST_DIVERSE else {})
    rows, people = measured(path, "row", methods), measured(path, "who", methods)
    print(f"{persons:,} persons, {persons * ROWS_EACH:,} rows\n{'':<36} {'rows':>8} {'persons':>8} {'factor':>7}")
    for what in rows:
        print(f"{what:<36} {rows[what]:>8.2f} {people[what]:>8.2f} {people[what] / max(rows[what], 1e-9):>7.2f}")
    all_rows, all_people = sum(rows.values()), sum(people.values())
    print(f"{'all of it':<36} {all_rows:>8.2f} {all_people:>8.2f} {all_people / all_rows:>7.2f}")


if __name__ == "__main__":
    main()
