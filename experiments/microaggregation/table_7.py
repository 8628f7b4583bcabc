"""Table 7: what happens to means and variances on Census.

The last two columns of the paper's table, MDAV and insensitive MDAV, hold in their rows labelled k = 33 and k = 66 the
numbers of k = 5 and k = 15: so they are computed here. Its noisy columns are those of noise drawn for every record anew
(not private, theory MA-4); with one noise for each cluster means and variances scatter far more.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from common import (
    TABLE_7,
    as_published,
    census,
    headline,
    masked_by_mdav,
    masked_insensitively,
    masked_row_by_row,
    masked_with_noise,
)

from shoal.cluster.orders import References

EPSILONS = (0.01, 0.1, 1.0, 10.0)
MEANS = {
    "FEDTAX": {33: (1.0762, 1.0432, 0.6998, 0.0454), 66: (1.1362, 0.8782, 0.2209, 0.0045)},
    "POTHVAL": {33: (14.6917, 12.6272, 8.9438, 1.2064), 66: (14.0284, 11.128, 3.2560, 0.1802)},
    "INTVAL": {33: (25.1908, 21.9300, 15.8544, 2.2675), 66: (24.5861, 18.9270, 5.9530, 0.4013)},
    "FICA": {33: (1.0145, 0.9493, 0.5708, 0.0362), 66: (1.0249, 0.8142, 0.1797, 0.0014)},
}
VARIANCES = {
    "FEDTAX": {33: (9.5308, 9.2292, 6.4280, 0.4171), 66: (9.4383, 8.2329, 2.0797, 0.1071)},
    "POTHVAL": {33: (69.4637, 67.2577, 45.7902, 1.8889), 66: (68.7018, 59.6482, 11.6906, 0.3972)},
    "INTVAL": {33: (96.4524, 93.1380, 63.0454, 2.5768), 66: (95.2471, 82.6625, 16.1619, 0.4323)},
    "FICA": {33: (16.3165, 15.7810, 11.0145, 0.8795), 66: (16.1566, 14.1721, 3.8468, 0.1436)},
}
WITHOUT_NOISE = {
    2: ((0.0447, 0.0697, 0.0950, 0.0593), (0.0053, 0.0247, 0.0349, 0.0067)),
    5: ((0.0804, 0.1268, 0.1358, 0.1117), (0.0156, 0.0991, 0.1327, 0.0224)),
    15: ((0.1015, 0.2429, 0.2362, 0.1634), (0.0398, 0.1967, 0.2614, 0.0670)),
}
LABELS = {2: 2, 5: 33, 15: 66}


def main() -> None:
    """Print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    headline(
        "Census, Microaggregation-DP Table 7",
        f"{', '.join(TABLE_7)}; {runs} runs (the paper: 3); the paper's in brackets",
    )
    print("variations of variances without noise")
    for k, (insensitive, mdav) in WITHOUT_NOISE.items():
        ours = masked_insensitively(census(TABLE_7, Fraction(1)), k, References.COMPLEMENTS).variation_of_variances()
        plain = masked_by_mdav(census(TABLE_7), k).variation_of_variances()
        for name, found, paper in (("insensitive", ours, insensitive), ("MDAV", plain, mdav)):
            shown = "  ".join(f"{v:.4f} [{p:.4f}]" for v, p in zip(found.values(), paper, strict=True))
            print(f"k = {k:2} (labelled {LABELS[k]:2}) {name:11}  {shown}")
    table = census(TABLE_7)
    ways = {
        "one noise for each cluster (as published, private)": lambda k, epsilon, seed: masked_with_noise(
            table, as_published(table, k, epsilon), seed
        ),
        "noise of its own for each record (not private)": lambda k, epsilon, seed: masked_row_by_row(
            table, k, epsilon, seed
        ),
    }
    for way, masked in ways.items():
        print(f"\n{way}: mean (standard deviation of one run)")
        for k in (33, 66):
            for i, epsilon in enumerate(EPSILONS):
                made = [masked(k, epsilon, seed) for seed in range(runs)]
                found = {"means": [list(m.variation_of_means().values()) for m in made]}
                found["variances"] = [list(m.variation_of_variances().values()) for m in made]
                for what, papers in (("means", MEANS), ("variances", VARIANCES)):
                    columns = zip(TABLE_7, np.mean(found[what], axis=0), np.std(found[what], axis=0), strict=True)
                    shown = "  ".join(f"{c:.4g} ({s:.2g}) [{papers[name][k][i]:.4g}]" for name, c, s in columns)
                    print(f"k = {k}, epsilon {epsilon:5}, {what:9}: {shown}")


if __name__ == "__main__":
    main()
