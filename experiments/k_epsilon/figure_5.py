"""Figure 5: linking risk of the nearest-neighbor attack.

The paper: below 5% for moderate k and ε; on the voter lists above 10% at k = 2 and 5; more than 1/k in some cases.
"""

from __future__ import annotations

from common import EPSILONS, KS, PERTURBED, headline, published, run
from workbench import settings


def main() -> None:
    said = settings(__doc__)
    headline("Figure 5: linked records, in per cent: expected as published / measured / with ties shared (fair)")
    for data, noisy in PERTURBED.items():
        if said.names and data not in said.names:
            continue
        for anonymizer in ("OLA", "Mondrian"):
            print(f"{data}, {anonymizer}\n{'k':>5} " + " ".join(f"{f'eps {e}':>17}" for e in EPSILONS))
            for k in KS:
                cells = []
                for epsilon in EPSILONS:
                    losses = run(published(k, epsilon, anonymizer, data), data=data).losses
                    values = [losses[f"linking risk{what} ({noisy})"] for what in (", expected", "", ", fair")]
                    cells.append("/".join(f"{100 * value:.2f}" for value in values))
                print(f"{k:>5} " + " ".join(f"{cell:>17}" for cell in cells), flush=True)
            print()


if __name__ == "__main__":
    main()
