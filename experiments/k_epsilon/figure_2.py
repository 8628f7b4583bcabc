"""Figure 2: how relative errors are spread when noise is drawn for the whole column, for each class, or evenly by 5%.

Cumulative shares of the records whose value moved by at most so much: Laplace noise of the diameter of all values; of
the diameter of each class of (k, ε)-anonymity; even noise of ±5%, and noise of each class with ε such that its mean
error is that of even noise. The paper has curves, and does not say which dataset, k and ε; its text: noise for the
whole column is consistently worse.
"""

from __future__ import annotations

import numpy as np
from common import PERTURBED, anonymizers, headline, table
from workbench import settings

from shoal.arrays import Floats
from shoal.dp.coins.coins import SeededCoins
from shoal.methods.k_epsilon.records import View, let_through

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
K, EPSILON = 20, 2.0


def values_and_diameters(data: str, name: str) -> tuple[Floats, Floats]:
    """Of every record that k-anonymity keeps: its height or weight, and how far apart those of its class are."""
    whole, noisy = table(data=data), PERTURBED[data]
    view = View.without(whole, (noisy,))
    records = let_through(whole, view, anonymizers(K)[name].run(view.table), SeededCoins(0))
    numbers = np.array([float(label) for label in whole[noisy].domain.labels(range(whole[noisy].domain.size))])
    values = numbers[whole.counts.column(noisy)[records.source]]
    lowest, highest = np.full(records.groups, np.inf), np.full(records.groups, -np.inf)
    np.minimum.at(lowest, records.labels, values)
    np.maximum.at(highest, records.labels, values)
    return values, (highest - lowest)[records.labels]


def main() -> None:
    said = settings(__doc__)
    headline(
        f"Figure 2: records whose value moved by at most so much of itself, in per cent; k = {K}, eps = {EPSILON:g}"
    )
    for data in said.names or PERTURBED:
        for name in ("OLA", "Mondrian"):
            values, diameters = values_and_diameters(data, name)
            rng = np.random.default_rng(0)
            laplace = np.abs(rng.laplace(0, 1, len(values)))
            alike = (diameters / values).mean() / 0.025  # the mean of ±5% is 2.5%
            errors = {
                "whole column": np.ptp(values) / EPSILON * laplace / values,
                "each class": diameters / EPSILON * laplace / values,
                "even, ±5%": np.abs(rng.uniform(-0.05, 0.05, len(values))),
                f"each class, eps {alike:.1f}": diameters / alike * laplace / values,
            }
            print(f"{data}, {name}\n{'':<22} {'mean':>6} " + " ".join(f"{f'<= {step:.0%}':>8}" for step in STEPS))
            for what, error in errors.items():
                cells = " ".join(f"{100 * np.mean(error <= step):>8.1f}" for step in STEPS)
                print(f"{what:<22} {100 * error.mean():>6.1f} {cells}", flush=True)
            print()


if __name__ == "__main__":
    main()
