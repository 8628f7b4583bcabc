"""Tables 3 to 6: Adult, categories alone and with numbers.

The paper's taxonomies are cut out of WordNet 2.1 (122 and 127 concepts); here they are cut out of 3.0 (40 and 64,
`wordnet.py` says why), or with an argument ARX's (18 and 47) or DiffGen's (18 and 60). Squared errors depend on the
taxonomy; factors and record linkage less so.
Usage: tables_3_to_6.py [wordnet | adult_arx | adult_diffgen_taxonomy]
"""

from __future__ import annotations

from common import (
    EPSILONS,
    adult,
    as_published,
    headline,
    masked_by_mdav,
    masked_record_by_record,
    masked_with_noise,
    measured,
)
from workbench import settings

from shoal.evaluate.masking import Improvement

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
AGAINST = {
    False: {
        0.01: {2: 1.00, 174: 1.00, 348: 0.98},
        0.1: {2: 1.00, 174: 1.00, 348: 0.99},
        1.0: {2: 0.97, 174: 1.00, 348: 1.17},
        10.0: {2: 0.61, 174: 0.96, 348: 2.16},
    },
    True: {
        0.01: {2: 1.00, 174: 1.00, 348: 1.00},
        0.1: {2: 0.99, 174: 1.00, 348: 1.10},
        1.0: {2: 0.90, 174: 0.99, 348: 1.19},
        10.0: {2: 0.53, 174: 0.90, 348: 1.30},
    },
}
ALONE = {False: (2.78e4, 2.77e4, 2.61e4, 1.02e4), True: (4.62e4, 4.54e4, 3.78e4, 1.32e4)}


def tables(taxonomy: str, runs: int) -> None:
    """Both pairs of tables."""
    for numerical, title in (
        (False, "Adult-Categorical, Tables 3 and 4"),
        (True, "Adult-Numerical-Categorical, Tables 5 and 6"),
    ):
        table = adult(numerical=numerical, taxonomy=taxonomy)
        headline(
            title,
            f"{taxonomy}, {len(table.counts):,} different records, {runs} runs (paper: 3); the paper's in brackets",
        )
        alone = {e: measured([masked_record_by_record(table, e, seed) for seed in range(runs)]) for e in EPSILONS}
        for epsilon, paper in zip(EPSILONS, ALONE[numerical], strict=True):
            sse, linked = alone[epsilon]
            print(f"noise on every record, epsilon {epsilon:5}: SSE {sse:.2e} [{paper:.2e}], RL {100 * linked:.4f}%")
        for k, ((sse, linked), factors) in PAPER[numerical].items():
            base = measured([masked_by_mdav(table, k)])
            print(f"k = {k:3}  MDAV: SSE {base[0]:.1f} [{sse}], RL {100 * base[1]:.3f}% [{linked}%]")
            for epsilon, factor in zip(EPSILONS, factors, strict=True):
                method = as_published(table, k, epsilon)
                ours = measured([masked_with_noise(table, method, seed) for seed in range(runs)])
                by_mdav, by_noise = Improvement.over(base, ours), Improvement.over(alone[epsilon], ours)
                print(
                    f"    epsilon {epsilon:5}: SSE_f {by_mdav.error:.3f} [{factor}], RL_f {by_mdav.linkage:.1f}; "
                    f"against noise alone SSE_f {by_noise.error:.2f} [{AGAINST[numerical][epsilon][k]}], "
                    f"RL_f {by_noise.linkage:.2f}"
                )
        print()


def main() -> None:
    """Print the tables."""
    said = settings(__doc__, runs=(1, 3))
    for taxonomy in said.names or ["wordnet"]:
        tables(taxonomy, said.runs)


if __name__ == "__main__":
    main()
