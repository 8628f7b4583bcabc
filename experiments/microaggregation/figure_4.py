"""Figure 4: squared error and record linkage on Census by k, beside MDAV and beside noise on every record.

The paper has curves; its text: noise is less than on every record from k of about √n = 33 on; MDAV links less than 5%
of the records from k = 20 on; the insensitive variant loses more than MDAV; at ε up to 1 about 0.1% are linked, as by
chance.
"""

from __future__ import annotations

from common import census, figure
from workbench import settings


def main() -> None:
    """Print the curves."""
    said = settings(__doc__, runs=(3, 3), step=(10, 1))
    ks = sorted({2, 5, 15, 20, 25, 33, 66, *range(30 if said.step > 1 else 2, 101, said.step)})
    figure("Census, Microaggregation-DP Fig. 4", census(), ks, said.runs)


if __name__ == "__main__":
    main()
