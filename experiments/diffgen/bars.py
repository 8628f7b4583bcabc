"""What a learner makes of a DiffGen release of Adult, beside what a practitioner would take instead.

Same split (30,162 / 15,060), same learners: a C4.5-like tree and gradient boosting. Settings of the rigorous mode were
found on folds of the training records (`settings.py`); the test records are used here only. Usage: bars.py [runs]
"""

from __future__ import annotations

import sys
from dataclasses import replace

from common import NINE, TARGET, adult, machine, release, shown

from shoal.data.schema import Role
from shoal.evaluate import DecisionTree, GradientBoosting, HeldOut
from shoal.evaluate.reading import Reading
from shoal.methods import TDS
from shoal.methods.base import Mode
from shoal.methods.diffgen.method import DiffGen
from shoal.methods.diffgen.options import Choices, Utility

BARS = """Elsewhere, at epsilon = 1 unless said: diffprivlib 76-79.5; nine attributes: MST 72-75, AIM 81-82 (tree) and
82-82.6 (boosting); fourteen attributes: one marginal per (attribute, class), then boosting, 82.3, and 81.6 at 0.1."""


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(machine())
    print(BARS)
    print(f"{'columns':<9} {'variant':<34} {'epsilon':>7} {'C4.5':>15} {'boosting':>15} {'on drawn records':>17}")
    for columns, only in (("fourteen", None), ("nine", NINE)):
        train, test = adult("train", only), adult("test", only)
        tree, boosting = (HeldOut(train, test, TARGET, learner) for learner in (DecisionTree(), GradientBoosting()))
        drawn = HeldOut(train, test, TARGET, GradientBoosting(), reading=Reading.MATERIALIZED)
        row(columns, "originals", "", [tree.original], [boosting.original], [])
        roles = [replace(a, role=Role.SENSITIVE) if a.name == TARGET else a for a in train.attributes]
        outcome = TDS(k=5, target=TARGET).run(replace(train, attributes=tuple(roles)))
        row(columns, "TDS, k = 5 (not private)", "", [tree.rate(outcome).release], [boosting.rate(outcome).release], [])
        for epsilon in ("0.1", "0.25", "0.5", "1"):
            for name, method in variants(epsilon, train.total).items():
                made = [release(method, train, seed) for seed in range(runs)]
                boosted, concrete = (
                    [held_out.rate(outcome).release for outcome in made] if "purity" in name else []
                    for held_out in (boosting, drawn)
                )
                row(columns, name, epsilon, [tree.rate(outcome).release for outcome in made], boosted, concrete)


def variants(epsilon: str, records: int) -> dict[str, DiffGen]:
    h = max(DiffGen.recommended_specializations(epsilon, records), 4)
    common = {"epsilon": epsilon, "target": TARGET}
    return {
        "rigorous (purity, joint)": DiffGen(**common, show="groups"),
        "rigorous, Max, joint": DiffGen(**common, utility=Utility.MAX, specializations=h),
        "rigorous, Max, separate, h = 10": DiffGen(**common, choices=Choices.SEPARATE, specializations=10),
        "as published, Max, h = 10": DiffGen(**common, mode=Mode.AS_PUBLISHED, specializations=10),
        "as published, Max, h = 4": DiffGen(**common, mode=Mode.AS_PUBLISHED, specializations=4),
    }


def row(columns: str, name: str, epsilon: str, *measured: list[float]) -> None:
    cells = " ".join(f"{shown(values) if values else '':>15}" for values in measured)
    print(f"{columns:<9} {name:<34} {epsilon:>7} {cells}", flush=True)


if __name__ == "__main__":
    main()
