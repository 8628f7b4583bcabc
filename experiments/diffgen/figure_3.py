"""DiffGen, Figure 3: accuracy of C4.5 by the number of specializations and ε, utilities Max and InfoGain, as published.

Trained on the release of 30,162 records, tested on 15,060 recoded by the released cut. The paper averages 10 runs; its
numbers beside ours are those it states in the text. Usage: figure_3.py [runs]
"""

from __future__ import annotations

import sys

from common import TARGET, adult, machine, release, shown

from shoal.evaluate import DecisionTree, HeldOut, Majority
from shoal.methods.base import Mode
from shoal.methods.diffgen.method import DiffGen
from shoal.methods.diffgen.options import Utility

PAPER = {
    ("max", "1", 10): "82.2",
    ("max", "0.5", 10): "80.5-81.7 over all h",
    ("max", "0.1", 4): "78 at the best h",
}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    train, test = adult("train"), adult("test")
    held_out = HeldOut(train, test, TARGET, DecisionTree())
    trivial = HeldOut(train, test, TARGET, Majority())
    print(machine())
    print(
        f"originals {100 * held_out.original:.2f} (paper 85.3), no attributes {100 * trivial.original:.2f} (paper 75.5)"
    )
    print(f"{'utility':<10} {'epsilon':>7} {'h':>3} {'accuracy, %':>15}  paper")
    for utility in (Utility.MAX, Utility.INFO_GAIN):
        for epsilon in ("0.1", "0.25", "0.5", "1"):
            for h in (4, 7, 10, 13, 16):
                method = DiffGen(
                    epsilon=epsilon, target=TARGET, specializations=h, utility=utility, mode=Mode.AS_PUBLISHED
                )
                rates = [held_out.rate(release(method, train, seed)).release for seed in range(runs)]
                paper = PAPER.get((utility.value, epsilon, h), "")
                print(f"{utility.value:<10} {epsilon:>7} {h:>3} {shown(rates):>15}  {paper}", flush=True)


if __name__ == "__main__":
    main()
