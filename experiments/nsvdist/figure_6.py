"""Figure 6: is the classifier an attack? Naive Bayes on Mammographic at ℓ = 1.5, on its training records and on others.

The paper has two curves over k that almost coincide: people whose data was published are predicted as well as others.
"""

from __future__ import annotations

import warnings

import numpy as np
from common import named
from grid import splits
from learners import accuracies
from workbench import settings

from shoal.evaluate.materialize import materialize

KS = (3, 6, 12, 24, 51, 75, 99, 150)
"""k/ℓ whole or nearly so: of two values each may fill two thirds of a set."""


def main() -> None:
    warnings.filterwarnings("ignore")
    said = settings(__doc__, folds=(5, 10), draws=(2, 10))
    (dataset,) = named("Mammographic")
    print(f"naive Bayes, l = 1.5, {said.folds} folds, {said.draws} draws, accuracy in per cent (sd over folds)")
    print(f"{'k':>5} {'training records':>18} {'test records':>18} {'difference':>11}")
    for k in KS:
        found = []
        for number, (train, test) in enumerate(splits(dataset, said.folds)):
            table, rng = dataset.table(train), np.random.default_rng([k, number])
            outcome = dataset.release("NSVDist", table, k, 1.5)
            if outcome is None:
                continue
            marginals = {a.name: table.marginal(a.name) for a in table.quasi_identifiers}
            for _ in range(said.draws):
                drawn = materialize(outcome, rng, marginals)
                rows = np.repeat(np.stack([c.astype(np.int64) for c in drawn.codes], axis=1), drawn.sizes, axis=0)
                found.append([accuracies(dataset, rows, side, rng)["naive Bayes"] for side in (train, test)])
        if not found:
            print(f"{k:>5} {'cannot be met':>18}")
            continue
        mean, spread = 100 * np.mean(found, axis=0), 100 * np.std(found, axis=0)
        cells = " ".join(f"{f'{m:.1f} ({s:.1f})':>18}" for m, s in zip(mean, spread, strict=True))
        print(f"{k:>5} {cells} {mean[0] - mean[1]:>11.1f}", flush=True)


if __name__ == "__main__":
    main()
