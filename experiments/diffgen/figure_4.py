"""DiffGen, Figure 4: accuracy of DiffGen as published (Max, h = 15) and rigorous, and of TDS at k = 5, by ε, ten folds.

All 45,222 complete records of Adult; each tenth is predicted by a C4.5-like tree from a release of the rest. The third
of the paper's lines, DiffP-C4.5, publishes no data, and its numbers are another paper's. The paper prints curves; its
text: DiffGen clearly better than DiffP-C4.5 up to ε = 2, comparable beyond, and better than TDS.
"""

from __future__ import annotations

from dataclasses import replace

from common import TARGET, adult, folds, machine, release, shown
from workbench import settings

from shoal.data.schema import Role
from shoal.methods import TDS
from shoal.methods.base import Mode
from shoal.methods.diffgen.method import DiffGen


def main() -> None:
    """Print the table."""
    said = settings(__doc__, runs=(1, 10))
    table = adult("both")
    print(f"Adult, {table.total:,} records, 14 attributes, {said.runs} runs of 10 folds (paper: 10), in per cent")
    print(machine())
    halves = [half for run in range(said.runs) for half in folds(table, 10, run)]
    original, trivial = ([getattr(half, what) for half in halves[:10]] for what in ("original", "trivial"))
    print(f"originals {shown(original)}, no attributes {shown(trivial)}")
    roles = [replace(a, role=Role.SENSITIVE) if a.name == TARGET else a for a in table.attributes]
    tds = TDS(k=5, target=TARGET)
    rated = [h.rate(tds.run(replace(h.train, attributes=tuple(roles)))).release for h in halves[:10]]
    print(f"TDS, k = 5, not private: {shown(rated)}")
    print(f"{'epsilon':>7} {'as published, h = 15':>22} {'rigorous':>16}")
    for epsilon in ("0.75", "1", "2", "3", "4"):
        cells = []
        for method in (
            DiffGen(epsilon=epsilon, target=TARGET, specializations=15, mode=Mode.AS_PUBLISHED),
            DiffGen(epsilon=epsilon, target=TARGET, show="groups"),
        ):
            made = [(half, release(method, half.train, seed)) for seed, half in enumerate(halves)]
            cells.append(shown([half.rate(one).release for half, one in made]))
        print(f"{epsilon:>7} {cells[0]:>22} {cells[1]:>16}", flush=True)


if __name__ == "__main__":
    main()
