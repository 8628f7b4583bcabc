"""Figure 5: linking risk of the nearest-neighbor attack. The paper: below 5% for moderate k and ε."""

from __future__ import annotations

from common import EPSILONS, KS, headline, published, run


def main() -> None:
    headline("Figure 5: linked records, in per cent: expected as published / measured / with ties shared (fair)")
    for anonymizer in ("OLA", "Mondrian"):
        print(f"{anonymizer}\n{'k':>5} " + " ".join(f"{f'eps {e}':>17}" for e in EPSILONS))
        for k in KS:
            cells = []
            for epsilon in EPSILONS:
                losses = run(published(k, epsilon, anonymizer)).losses
                values = [losses[f"linking risk{what} (height)"] for what in (", expected", "", ", fair")]
                cells.append("/".join(f"{100 * value:.2f}" for value in values))
            print(f"{k:>5} " + " ".join(f"{cell:>17}" for cell in cells), flush=True)
        print()


if __name__ == "__main__":
    main()
