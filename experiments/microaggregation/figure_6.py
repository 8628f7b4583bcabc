"""Figure 6: as Figure 5, with age and hours per week beside the two categories.

The paper has curves; its text: less noise than on every record from k of about √n = 174 on, at ε = 10 from 190 on.
Usage: figure_6.py [wordnet | adult_arx | adult_diffgen_taxonomy]
"""

from __future__ import annotations

from common import adult, figure
from workbench import settings


def main() -> None:
    """Print the curves."""
    said = settings(__doc__, runs=(1, 3), step=(250, 10))
    ks = sorted({2, 174, 190, 348, *range(said.step, 501, said.step)})
    for taxonomy in said.names or ["wordnet"]:
        table = adult(numerical=True, taxonomy=taxonomy)
        figure(f"Adult-Numerical-Categorical, {taxonomy}, Microaggregation-DP Fig. 6", table, ks, said.runs)


if __name__ == "__main__":
    main()
