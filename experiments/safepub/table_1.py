"""Table 1: the datasets, the sizes of their lattices, δ, and the probability δ' of violating 2-differential privacy.

Of "Time use survey" and "Health interviews" only the hierarchies are at hand: their records are the paper's word.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from common import ADULT, DATA, FARS, headline, levels, rows

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.threshold import Accounting, KRule, calibrate

PAPER = {
    "USC": ("adult_arx/hierarchies_safepub", ADULT, 9, 30_162, 19_440, "1e-5", "1e-9"),
    "CS": ("fars/hierarchies_safepub", FARS, 8, 100_937, 15_552, "1e-6", "2e-11"),
    "TUS": ("atus/hierarchies", None, 9, 539_253, 34_992, "1e-6", "2e-11"),
    "HI": ("ihis/hierarchies_safepub", None, 8, 1_193_504, 14_580, "1e-7", "4e-14"),
}


def main() -> None:
    """Print the table."""
    headline("The datasets, SafePub Table 1", "ε = 1, ε' = 2; the paper's in brackets")
    row = rows(
        ("", "attributes", "records", "schemes", "δ", "k", "δ' at this k", "k exact", "δ' exact"),
        (-4, 10, 21, 17, 5, 4, 20, 7, 9),
    )
    for label, (folder, dataset, attributes, records, lattice, delta, violation) in PAPER.items():
        heights = [levels(file) for file in sorted((DATA / folder).glob("*.csv"))]
        cost = PrivacyCost(Fraction(1), Fraction(delta))
        theirs = calibrate(cost, accounting=Accounting.PAPER, k_rule=KRule.PAPER)
        ours = calibrate(cost)
        row(
            label,
            f"{len(heights)} [{attributes}]",
            f"{f'{dataset.table.total:,}' if dataset else '-'} [{records:,}]",
            f"{prod(heights):,} [{lattice:,}]",
            delta,
            theirs.k,
            f"{float(theirs.delta(Fraction(2))):.2e} [{violation}]",
            ours.k,
            f"{float(ours.delta(Fraction(2))):.1e}",
        )
    print("\nk is one more than the smallest, as ARX and the paper have it; k exact: by the exact privacy profile.")


if __name__ == "__main__":
    main()
