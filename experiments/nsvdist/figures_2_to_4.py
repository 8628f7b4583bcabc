"""Figures 2 to 4, and B.7 to B.11: accuracy over k of four learners on what four anonymizers publish.

The paper has curves: Adult (2), Mammographic (3), CMC (4), the others in its appendix. Its text: NSVDist above the
others for all k; on Adult SeqA and Mondrian fall to the majority from k = 200 on, PAIS from 300 on, NSVDist not before
k = 800; at ℓ = 1.31 up to 80% on Mammographic. Settings as in `table_4.py`; `--full` has the paper's number of k.

Usage: figures_2_to_4.py [--full] [--folds 5] [--draws 1] [dataset …]
"""

from __future__ import annotations

import warnings

from common import machine
from grid import METHODS, Grid, chosen, diversities, settings
from rank_tests import LEARNERS

SHOWN = ("Mammographic", "CMC", "Adult")


def main() -> None:
    warnings.filterwarnings("ignore")
    said = settings(__doc__)
    grid = Grid(said.folds, said.draws)
    print(f"{said.folds} of ten folds (Adult: the given split), {said.draws} draws; machine: {machine()}")
    for dataset in chosen(*(said.datasets or SHOWN)):
        original = grid.original(dataset)
        for level, diversity in enumerate(diversities(dataset)):
            print(f"\n{dataset.name}, l = {diversity}: accuracy in per cent; majority {100 * original['majority']:.1f}")
            print(
                f"{'':6}"
                + "".join(f"{learner + ' (originals ' + f'{100 * original[learner]:.1f})':>36}" for learner in LEARNERS)
            )
            print(f"{'k':>5} " + "".join(f"{name:>9}" for _ in LEARNERS for name in METHODS))
            for k in said.ks[dataset.name]:
                found = [grid.at(dataset, name, k, level) or {} for name in METHODS]
                cells = [one.get(learner) for learner in LEARNERS for one in found]
                print(f"{k:>5} " + "".join(f"{'-':>9}" if c is None else f"{100 * c:>9.1f}" for c in cells), flush=True)


if __name__ == "__main__":
    main()
