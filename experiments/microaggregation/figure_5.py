"""Figure 5: squared error and record linkage on Adult's occupation and native country by k; taxonomies of WordNet 3.0.

The paper has curves; its text: less noise than on every record from k of about √n = 174 on; below 1% of the records
linked from k = 2 on, at ε up to 1 about 0.0033%, as by chance.
Usage: figure_5.py [wordnet | adult_arx | adult_diffgen_taxonomy]
"""

from __future__ import annotations

from common import adult, figure
from workbench import settings


def main() -> None:
    """Print the curves."""
    said = settings(__doc__, runs=(1, 3), step=(100, 10))
    ks = sorted({2, 150, 174, 200, 348, *range(said.step, 501, said.step)})
    for taxonomy in said.names or ["wordnet"]:
        table = adult(numerical=False, taxonomy=taxonomy)
        figure(f"Adult-Categorical, {taxonomy}, Microaggregation-DP Fig. 5", table, ks, said.runs)


if __name__ == "__main__":
    main()
