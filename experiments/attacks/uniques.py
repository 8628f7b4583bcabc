"""How far estimates of people who are alone in the population are off, on one that the models do not describe.

200,000 people in classes of log-normal weight (sigma = 2), samples of 2% to 50% (docs/evaluation.md).

Run: python experiments/attacks/uniques.py
"""

from __future__ import annotations

import numpy as np

from shoal.risk import population_uniques

PEOPLE, CLASSES = 200_000, 30_000


def main() -> None:
    """Print the truth, and each estimate."""
    rng = np.random.default_rng(0)
    weights = rng.lognormal(sigma=2.0, size=CLASSES)
    whose = rng.choice(CLASSES, size=PEOPLE, p=weights / weights.sum())
    alone = int((np.bincount(whose) == 1).sum())
    print(f"{PEOPLE:,} people, {alone:,} of them alone with their values")
    for share in (0.02, 0.05, 0.2, 0.5):
        sample = whose[rng.random(PEOPLE) < share]
        sizes = np.bincount(sample)
        found = population_uniques(sizes[sizes > 0], sampling_fraction=share)
        told = ", ".join(f"{model.value} {value:,.0f}" for model, value in found.estimates.items() if value is not None)
        print(f"sample of {share:.0%}: chosen {found.uniques:,.0f} ({found.chosen.value}); all: {told}")


if __name__ == "__main__":
    main()
