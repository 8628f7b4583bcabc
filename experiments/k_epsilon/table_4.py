"""Table IV: how many records OLA leaves out, 5% allowed. Ours beside the paper's.

All six figures of the paper for Adult come out to the last digit at the generalizations named in NODES, so the table
(age below 80) and the hierarchies are theirs; which of the admissible generalizations is best depends on the measure.
"""

from __future__ import annotations

from common import KS, QUASI, headline, table

import shoal

PAPER = dict(zip(KS, (1.67, 2.42, 3.71, 1.47, 1.76, 4.80), strict=True))
NODES = dict(zip(KS, ((0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 0, 1, 1), (0, 0, 1, 2), (0, 0, 1, 2)), strict=True))
"""Where the paper's figures come out: levels of year, sex, race, marital status."""


def main() -> None:
    headline("Table IV: suppression by OLA, in per cent of the records")
    print(f"{'k':>5} {'paper':>7} {'at their levels':>24} {'ours, by loss':>24}   (year, sex, race, marital status)")
    whole = table(QUASI)
    for k in KS:
        theirs = shoal.OLA(k=k).evaluator(whole).classes.at(NODES[k])
        same = 100 * theirs.sizes[theirs.sizes < k].sum() / whole.total
        outcome = shoal.OLA(k=k, suppression_limit=0.05).run(whole)
        share, levels = 100 * outcome.published.suppressed / whole.total, tuple(outcome.recoding.levels.values())
        print(f"{k:>5} {PAPER[k]:>7.2f} {f'{same:.2f} {NODES[k]}':>24} {f'{share:.2f} {levels}':>24}")


if __name__ == "__main__":
    main()
