"""Tables 3 to 6: Adult, categories alone and with numbers.

The paper's taxonomies are cut out of WordNet 2.1, which is not at hand; ARX's (18 and 47 nodes instead of 122 and 127)
stand in, or with the argument `diffgen` those of DiffGen (18 and 60). Squared errors depend on the taxonomy and are not
comparable; factors and record linkage are.
"""

from __future__ import annotations

import sys

from common import adult, as_published, headline, masked_by_mdav, masked_record_by_record, masked_with_noise

from shoal.evaluate.masking import Improvement, Masked

EPSILONS = (0.01, 0.1, 1.0, 10.0)
PAPER = {
    False: {
        2: ((10.1, 0.95), (0.019, 0.019, 0.02, 0.019)),
        174: ((466, 0.057), (0.129, 0.129, 0.134, 0.204)),
        348: ((650, 0.044), (0.150, 0.152, 0.184, 0.544)),
    },
    True: {
        2: ((58.4, 2.09), (0.035, 0.035, 0.035, 0.035)),
        174: ((193, 1.32), (0.064, 0.065, 0.071, 0.108)),
        348: ((631, 0.58), (0.117, 0.122, 0.154, 0.283)),
    },
}
ALONE = {False: (2.78e4, 2.77e4, 2.61e4, 1.02e4), True: (4.62e4, 4.54e4, 3.78e4, 1.32e4)}


def measured(made: Masked) -> tuple[float, float]:
    """SSE, beside numbers as shares of all widths, and RL."""
    scaled = len(made.table.attributes) > 2
    return made.squared_error(scaled=scaled), made.record_linkage()


def main() -> None:
    """Print the tables."""
    taxonomy = "adult_diffgen_taxonomy" if "diffgen" in sys.argv else "adult_arx"
    for numerical, title in (
        (False, "Adult-Categorical, Tables 3 and 4"),
        (True, "Adult-Numerical-Categorical, Tables 5 and 6"),
    ):
        table = adult(numerical=numerical, taxonomy=taxonomy)
        headline(title, f"{taxonomy}, {len(table.counts):,} different records, 1 run; the paper's in brackets")
        alone = {e: measured(masked_record_by_record(table, e, 0)) for e in EPSILONS}
        for epsilon, paper in zip(EPSILONS, ALONE[numerical], strict=True):
            sse, linked = alone[epsilon]
            print(f"noise on every record, epsilon {epsilon:5}: SSE {sse:.2e} [{paper:.2e}], RL {100 * linked:.4f}%")
        for k, ((sse, linked), factors) in PAPER[numerical].items():
            base = measured(masked_by_mdav(table, k))
            print(f"k = {k:3}  MDAV: SSE {base[0]:.1f} [{sse}], RL {100 * base[1]:.3f}% [{linked}%]")
            for epsilon, factor in zip(EPSILONS, factors, strict=True):
                ours = measured(masked_with_noise(table, as_published(table, k, epsilon), 0))
                by_mdav, by_noise = Improvement.over(base, ours), Improvement.over(alone[epsilon], ours)
                print(
                    f"    epsilon {epsilon:5}: SSE_f {by_mdav.error:.3f} [{factor}], RL_f {by_mdav.linkage:.1f}; "
                    f"against noise alone SSE_f {by_noise.error:.2f}, RL_f {by_noise.linkage:.2f}"
                )
        print()


if __name__ == "__main__":
    main()
