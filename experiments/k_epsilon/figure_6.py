"""Figure 6: what confidence-based k-anonymity leaves out. The paper: below 2% at 99% for small ε."""

from __future__ import annotations

from common import EPSILONS, KS, headline, published, run

import shoal


def left_out(k: int, epsilon: float, anonymizer: str, confidence: float, rule: shoal.ClassRule, runs: int = 2) -> float:
    """The share of the records that got noise, averaged over a few releases."""
    method = published(k, epsilon, anonymizer, confidence=confidence, class_rule=rule)
    shares = []
    for seed in range(runs):
        try:
            shares.append(run(method, seed).losses["left out for confidence"])
        except shoal.InfeasibleError:
            shares.append(1.0)
    return sum(shares) / runs


def main() -> None:
    headline(
        "Figure 6: further records left out for c-confident k-anonymity, in per cent: by the formula / by the text"
    )
    for confidence in (0.99, 0.9):
        for anonymizer in ("OLA", "Mondrian"):
            print(f"c = {confidence}, {anonymizer}\n{'k':>5} " + " ".join(f"{f'eps {e}':>12}" for e in EPSILONS))
            for k in KS:
                cells = []
                for epsilon in EPSILONS:
                    values = [100 * left_out(k, epsilon, anonymizer, confidence, rule) for rule in shoal.ClassRule]
                    cells.append("/".join(f"{value:.2f}" for value in values))
                print(f"{k:>5} " + " ".join(f"{cell:>12}" for cell in cells), flush=True)
            print()


if __name__ == "__main__":
    main()
