"""Table 4: a release made from two thirds of the records, tested on the last third, which it has never seen."""

from __future__ import annotations

import sys

import numpy as np
from common import ADULT, FARS, NURSERY, VARIANTS, headline, percent, release, repeats, rows, safepub

from shoal.evaluate import DecisionTree, HeldOut, NaiveBayes, part, random_parts
from shoal.quality import Classification

LEARNERS = {"C4.5-like": DecisionTree(), "naive Bayes": NaiveBayes()}


def main() -> None:
    """Print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    headline(
        "Relative accuracy on held-out records, SafePub Table 4",
        f"ε = 1 (0.9 + 0.1), published: 300 steps, δ of Table 1, {runs} splits of 2/3 and 1/3 (a quarter on Crash "
        "statistics); the paper: 20 runs, the best number of steps",
    )
    learners = list(LEARNERS)
    row = rows(
        ("dataset", "target", "method", *(f"{learner} %" for learner in learners), "absolute %", "records", "Table 4"),
        (-16, -14, -15, 13, 13, 12, 8, 8),
    )
    chosen = [dataset for dataset in (ADULT, FARS, NURSERY) if dataset.name in sys.argv[2:]] or [ADULT, FARS, NURSERY]
    for dataset in chosen:
        sizes = dataset.table.counts.sizes
        splits = [random_parts(sizes, (2, 1), np.random.default_rng(seed)) for seed in range(runs)]
        tables = [[part(dataset.table, piece) for piece in pieces] for pieces in splits]
        for target in dataset.targets:
            trials = [
                [HeldOut(train, test, target, learner) for learner in LEARNERS.values()] for train, test in tables
            ]
            for name, settings in VARIANTS.items():
                method = safepub(dataset, Classification(target), **settings)
                made = [(trials[seed], release(method, trials[seed][0].train, seed)) for seed in repeats(runs, dataset)]
                rated = [[trial.rate(outcome) for trial in at] for at, outcome in made if outcome]
                row(
                    dataset.name,
                    target,
                    name,
                    *(percent(at[i].relative for at in rated) for i in range(len(learners))),
                    percent(at[0].release for at in rated),
                    sum(outcome.published.kept for _, outcome in made if outcome) // len(rated),
                    dataset.paper[target].get("table 4", "") if name == "as published" else "",
                )


if __name__ == "__main__":
    main()
