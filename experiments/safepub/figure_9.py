"""Figure 9: β and k by ε and δ, by the paper's accounting and by the exact one, and how long they take to find."""

from __future__ import annotations

import time
from fractions import Fraction

from common import headline, rows

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.threshold import Accounting, calibrate

EPSILONS = ("0.1", "0.25", "0.5", "0.75", "1", "1.25", "1.5", "2")
DELTAS = ("1e-4", "1e-5", "1e-6", "1e-7", "1e-10", "1e-20")


def main() -> None:
    """Print the table."""
    headline(
        "k and β by ε and δ, SafePub Fig. 9",
        "k by the paper's accounting / by the exact one; the paper's experiments have one more, 75 at ε = 1, 1e-6",
    )
    row = rows(("ε", "β", *(f"δ = {delta}" for delta in DELTAS)), (5, 6, *(11 for _ in DELTAS)))
    seconds = []
    for epsilon in EPSILONS:
        cells = []
        for delta in DELTAS:
            cost, found = PrivacyCost(Fraction(epsilon), Fraction(delta)), []
            for accounting in (Accounting.PAPER, Accounting.EXACT):
                start = time.perf_counter()
                found.append(calibrate(cost, accounting=accounting))
                seconds.append(time.perf_counter() - start)
            cells.append("{} / {}".format(*(one.k for one in found)))
        row(epsilon, f"{float(found[0].rate):.3f}", *cells)
    slowest, mean = max(seconds), sum(seconds) / len(seconds)
    print(
        f"\nseconds to find k and β: {mean:.3f} on average, {slowest:.3f} at most (paper: 4.5 and 37, δ down to 1e-20)"
    )


if __name__ == "__main__":
    main()
