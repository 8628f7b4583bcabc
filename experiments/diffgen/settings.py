"""Where the defaults of the rigorous mode come from: accuracy on folds of Adult's training records, never the test set.

Each of five folds of the 30,162 training records is predicted from a release of the other four.
Usage: settings.py [runs]
"""

from __future__ import annotations

import sys
from fractions import Fraction

from common import TARGET, adult, folds, machine, release, shown

from shoal.methods.diffgen import growth as diffgen_growth
from shoal.methods.diffgen import method as diffgen
from shoal.methods.diffgen.method import DiffGen


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    halves = list(folds(adult("train")))
    print(machine())
    print(f"{'epsilon':>7} {'h':>3} {'share':>6} {'price':>6} {'steps down':>10} {'accuracy, %':>15}")
    for epsilon, steps in (("0.1", (3, 4, 5)), ("0.25", (4, 5, 6)), ("1", (8, 10, 13))):
        usual = (steps[1], 0.7, Fraction(1, 5), 2)
        tried = [usual, (steps[0], *usual[1:]), (steps[2], *usual[1:])]
        tried += [(usual[0], share, *usual[2:]) for share in (0.5, 0.85)]
        tried += [(*usual[:2], price, 2) for price in (Fraction(0), Fraction(1, 10), Fraction(1, 2))]
        tried += [(*usual[:3], down) for down in (1, 3)]
        for h, share, price, down in tried:
            diffgen.PRICE, diffgen_growth._STEPS_DOWN = price, down  # noqa: SLF001  what is tried out
            method = DiffGen(epsilon=epsilon, target=TARGET, specializations=h, search_share=share, show="groups")
            rates = [
                half.rate(release(method, half.train, 100 * number + run)).release
                for number, half in enumerate(halves)
                for run in range(runs)
            ]
            print(f"{epsilon:>7} {h:>3} {share:>6} {float(price):>6} {down:>10} {shown(rates):>15}", flush=True)


if __name__ == "__main__":
    main()
