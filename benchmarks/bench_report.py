"""The owner's report after the release is made: everything it measures, and the page; CPU time and peak memory."""

from __future__ import annotations

import resource
import time

import pyarrow.csv as pc
import pyarrow.parquet as pq
from common import ADULT, adult_schema, blow_up, machine

import shoal


def main() -> None:
    print(machine())
    schema = adult_schema().with_column("occupation", role="sensitive")
    tables = {"Adult": lambda: pc.read_csv(ADULT / "adult_arx.csv.gz"), "1.2 million rows": _large}
    methods = {
        "optimal-lattice": shoal.OptimalLattice(k=5, quality=shoal.Classification("salary-class")),
        "mondrian": shoal.Mondrian(k=5),
    }
    print(f"\n{'table':<18} {'method':<18} {'release, s':>10} {'report, s':>10} {'page, kB':>9} {'peak, MB':>9}")
    for name, table in tables.items():
        for called, method in methods.items():
            started = time.process_time()
            release = method.anonymize(table(), schema)
            made = time.process_time()
            page = release.report().html()
            done = time.process_time()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            took = f"{made - started:>10.2f} {done - made:>10.2f}"
            print(f"{name:<18} {called:<18} {took} {len(page) / 1e3:>9,.0f} {peak:>9,.0f}")


def _large() -> object:
    return pq.read_table(blow_up(1_200_000))


if __name__ == "__main__":
    main()
