"""DiffGen, Figure 5: CPU seconds for 200,000 to a million records, h = 15, ε = 1, on one core, after encoding.

Tables are Adult's 45,222 records and variations of them with some values replaced, as in the paper, which prints a
line; its text: all experiments with 45,222 records within 30 seconds.
"""

from __future__ import annotations

import time

from common import TARGET, grown, machine, release
from workbench import settings

from shoal.methods.base import Mode
from shoal.methods.diffgen.method import DiffGen


def main() -> None:
    """Print the table."""
    said = settings(__doc__, largest=(1_000_000, 1_000_000))
    print(machine())
    print(f"{'records':>10} {'distinct':>10} {'as published, s':>16} {'rigorous, s':>12}")
    for records in (45_222, *range(200_000, said.largest + 1, 200_000)):
        table = grown(records, "both")
        seconds = []
        for mode in (Mode.AS_PUBLISHED, Mode.RIGOROUS):
            method = DiffGen(epsilon=1, target=TARGET, specializations=15, mode=mode, threshold=20, show="groups")
            if records == 45_222:
                release(method, table, 1)  # compiles
            start = time.process_time()
            release(method, table, 0)
            seconds.append(time.process_time() - start)
        print(f"{records:>10,} {len(table.counts):>10,} {seconds[0]:>16.2f} {seconds[1]:>12.2f}", flush=True)


if __name__ == "__main__":
    main()
