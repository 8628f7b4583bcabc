"""Figures 3 and 4: average relative error of the height, by Eq. (8) and measured. The paper: below 5% from ε = 8 on."""

from __future__ import annotations

from common import EPSILONS, KS, headline, published, run


def main() -> None:
    headline("Figures 3 and 4: average relative error of the height, in per cent: expected / measured in one release")
    for anonymizer in ("OLA", "Mondrian"):
        print(f"{anonymizer}\n{'k':>5} " + " ".join(f"{f'eps {e}':>13}" for e in EPSILONS))
        worst = 0.0
        for k in KS:
            cells = []
            for epsilon in EPSILONS:
                losses = run(published(k, epsilon, anonymizer)).losses
                expected, measured = (losses[f"relative error{what} (height)"] for what in (", expected", ""))
                cells.append(f"{100 * expected:.2f}/{100 * measured:.2f}")
                worst = max(worst, expected) if epsilon >= 8 else worst
            print(f"{k:>5} " + " ".join(f"{cell:>13}" for cell in cells), flush=True)
        print(f"largest from eps = 8 on: {100 * worst:.2f}% (paper: below 5%)\n")


if __name__ == "__main__":
    main()
