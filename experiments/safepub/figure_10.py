"""Figure 10: how fast the probability of violating ε'-differential privacy falls as ε' rises beyond ε = 1."""

from __future__ import annotations

from fractions import Fraction

from common import headline, rows

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.threshold import Accounting, KRule, SampleAndThreshold, calibrate

BEYOND = ("1", "1.25", "1.5", "1.75", "2", "2.5", "3")
DELTAS = ("1e-4", "1e-5", "1e-6", "1e-7")


def main() -> None:
    """Print the table."""
    headline("Smoothness, SafePub Fig. 10", "ε = 1; δ' by the paper's accounting at its k / exact, at the k of its own")
    row = rows(("δ", "k", *(f"ε' = {beyond}" for beyond in BEYOND)), (5, 7, *(17 for _ in BEYOND)))
    for delta in DELTAS:
        cost = PrivacyCost(Fraction(1), Fraction(delta))
        both = (calibrate(cost, accounting=Accounting.PAPER, k_rule=KRule.PAPER), calibrate(cost))
        curves = [[float(point.delta) for point in one.smoothness(map(Fraction, BEYOND))] for one in both]
        row(
            delta, " / ".join(str(one.k) for one in both), *(f"{a:.1e} / {b:.1e}" for a, b in zip(*curves, strict=True))
        )
    bound = SampleAndThreshold(rate=Fraction("0.632"), k=75, accounting=Accounting.PAPER).delta(Fraction(1))
    print(f"\nε = 1, β = 0.632, k = 75: {float(bound):.2e} (paper: 1e-6, where the bound of Li et al. has 3.7e-2)")
    print(
        "The paper has curves; its text: exponentially decreasing, steeper for smaller δ. Table 1 has its points at 2."
    )


if __name__ == "__main__":
    main()
