"""Table IV: how many records OLA leaves out, 5% allowed. Ours beside the paper's; and Table III, what the records are.

All six figures of the paper for Adult come out to the last digit at the generalizations named in NODES, so the table
(age below 80) and the hierarchies are theirs; which of the admissible generalizations is best depends on the measure.
The voter lists are made up: of theirs only sizes and columns are known.
"""

from __future__ import annotations

from common import KS, QUASI, QUASIS, headline, table

import shoal

PAPER = dict(zip(KS, (1.67, 2.42, 3.71, 1.47, 1.76, 4.80), strict=True))
VOTERS = {"Florida": (4.77, 3.91, 4.15, 4.18, 3.47, 3.48), "Michigan": (4.83, 1.88, 3.73, 3.96, 1.53, 1.34)}
NODES = dict(zip(KS, ((0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 0, 1, 1), (0, 0, 1, 2), (0, 0, 1, 2)), strict=True))
"""Where the paper's figures come out: levels of year, sex, race, marital status."""


def main() -> None:
    headline("Table IV: suppression by OLA, in per cent of the records")
    print(f"{'k':>5} {'paper':>7} {'at their levels':>24} {'ours, by loss':>24}   (year, sex, race, marital status)")
    whole = table(QUASI)
    for k in KS:
        at_theirs = shoal.OLA(k=k).evaluator(whole).classes.at(NODES[k])
        same = 100 * at_theirs.sizes[at_theirs.sizes < k].sum() / whole.total
        outcome = shoal.OLA(k=k, suppression_limit=0.05).run(whole)
        share, levels = 100 * outcome.published.suppressed / whole.total, tuple(outcome.recoding.levels.values())
        print(f"{k:>5} {PAPER[k]:>7.2f} {f'{same:.2f} {NODES[k]}':>24} {f'{share:.2f} {levels}':>24}")
    for data, paper in VOTERS.items():
        voters = table(QUASIS[data], data)
        print(f"\n{data}, {voters.total:,} records")
        print(f"{'k':>5} {'paper':>7} {'ours, by loss':>24}   ({', '.join(QUASIS[data])})")
        for k, theirs in zip(KS, paper, strict=True):
            outcome = shoal.OLA(k=k, suppression_limit=0.05).run(voters)
            share, levels = 100 * outcome.published.suppressed / voters.total, tuple(outcome.recoding.levels.values())
            print(f"{k:>5} {theirs:>7.2f} {f'{share:.2f} {levels}':>24}")


if __name__ == "__main__":
    main()
