"""Figure 6: what confidence-based k-anonymity leaves out. The paper: below 2% at 99% for small ε, on all datasets."""

from __future__ import annotations

from common import EPSILONS, KS, PERTURBED, headline, published, run
from workbench import settings

import shoal


def left_out(method: shoal.KEpsilon, data: str, runs: int) -> float:
    """The share of the records that got noise, averaged over a few releases."""
    shares = []
    for seed in range(runs):
        try:
            shares.append(run(method, seed, data).losses["left out for confidence"])
        except shoal.InfeasibleError:
            shares.append(1.0)
    return sum(shares) / runs


def main() -> None:
    said = settings(__doc__, runs=(1, 30))
    headline(
        "Figure 6: further records left out for c-confident k-anonymity, in per cent: by the formula / by the text; "
        f"{said.runs} runs (paper: 30); c = 0.9 on Adult alone"
    )
    for data in said.names or PERTURBED:
        for confidence in (0.99, 0.9) if data == "Adult" else (0.99,):
            for anonymizer in ("OLA", "Mondrian"):
                print(f"{data}, c = {confidence}, {anonymizer}")
                print(f"{'k':>5} " + " ".join(f"{f'eps {e}':>12}" for e in EPSILONS))
                for k in KS:
                    cells = []
                    for epsilon in EPSILONS:
                        rules = [
                            published(k, epsilon, anonymizer, data, confidence=confidence, class_rule=rule)
                            for rule in shoal.ClassRule
                        ]
                        cells.append("/".join(f"{100 * left_out(rule, data, said.runs):.2f}" for rule in rules))
                    print(f"{k:>5} " + " ".join(f"{cell:>12}" for cell in cells), flush=True)
                print()


if __name__ == "__main__":
    main()
