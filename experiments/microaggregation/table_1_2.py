"""Tables 1 and 2: squared error and record linkage on Census, against MDAV and against noise on every record."""

from __future__ import annotations

import sys

from common import (
    EPSILONS,
    as_published,
    census,
    headline,
    masked_by_mdav,
    masked_record_by_record,
    masked_with_noise,
    mean,
)

from shoal.evaluate.masking import Improvement

MDAV = {2: (3.07e9, 45.3), 33: (3.95e10, 2.96), 66: (5.09e10, 1.48)}
TABLE_1 = {
    2: ((0.014, 503), (0.014, 754.5), (0.014, 503.0), (0.014, 754.5)),
    33: ((0.049, 32.89), (0.052, 24.67), (0.068, 49.33), (0.318, 7.46)),
    66: ((0.056, 12.33), (0.063, 8.22), (0.156, 7.05), (0.737, 2.10)),
}
ALONE = {0.01: (1.59e13, 0.036), 0.1: (1.51e13, 0.108), 1.0: (8.61e12, 0.218), 10.0: (3.83e11, 2.09)}
TABLE_2 = {0.01: (0.98, 0.99, 0.99), 0.1: (0.97, 1.01, 1.09), 1.0: (0.74, 1.00, 2.03), 10.0: (0.16, 0.99, 2.02)}


def main() -> None:
    """Print both tables."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    table = census()
    headline(
        "Census, Microaggregation-DP Tables 1 and 2",
        f"as published, {runs} runs (the paper: 3); the paper's in brackets",
    )
    measured = {}
    for k, (sse, linked) in MDAV.items():
        mdav = masked_by_mdav(table, k)
        base = (mdav.squared_error(), mdav.record_linkage())
        print(f"k = {k:2}  MDAV: SSE {base[0]:.2e} [{sse:.2e}], RL {100 * base[1]:.2f}% [{linked}%]")
        for epsilon, paper in zip(EPSILONS, TABLE_1[k], strict=True):
            made = [masked_with_noise(table, as_published(table, k, epsilon), seed) for seed in range(runs)]
            measured[k, epsilon] = (mean([m.squared_error() for m in made]), mean([m.record_linkage() for m in made]))
            gain = Improvement.over(base, measured[k, epsilon])
            print(
                f"    epsilon {epsilon:5}: SSE_f {gain.error:.3f} [{paper[0]}], RL_f {gain.linkage:7.2f} [{paper[1]}], "
                f"score {gain.score:.2f} [{paper[0] * paper[1]:.2f}]"
            )
    print("\nagainst noise on every record")
    for epsilon in EPSILONS:
        made = [masked_record_by_record(table, epsilon, seed) for seed in range(runs)]
        base = (mean([m.squared_error() for m in made]), mean([m.record_linkage() for m in made]))
        factors = [Improvement.over(base, measured[k, epsilon]).error for k in MDAV]
        sse, linked = ALONE[epsilon]
        shown = ", ".join(f"{f:.2f} [{p}]" for f, p in zip(factors, TABLE_2[epsilon], strict=True))
        print(f"epsilon {epsilon:5}: SSE {base[0]:.2e} [{sse:.2e}], RL {100 * base[1]:.3f}% [{linked}%]; SSE_f {shown}")


if __name__ == "__main__":
    main()
