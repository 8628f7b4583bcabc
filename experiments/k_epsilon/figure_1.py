"""Figure 1: the curse of dimensionality. What the other quasi-identifiers lose when the height becomes one of them.

OLA by categorical precision (level / height of the hierarchy). Mondrian by numerical precision for numbers (length of
the interval over the range of the data) and the share of other values in a set for names. The paper, Adult: with OLA
the loss doubles from 0.4 to 0.8 at k = 20, or the height itself loses more than 0.8; with Mondrian 4 to 10% less loss
without it.
"""

from __future__ import annotations

from common import KS, PERTURBED, QUASIS, headline, table
from workbench import settings

import shoal
from shoal.evaluate import categorical_precision_loss, numerical_precision_loss


def losses(anonymizer: shoal.OLA | shoal.Mondrian, columns: tuple[str, ...], data: str) -> tuple[float, float]:
    """The mean loss of the original quasi-identifiers, and that of the height or weight."""
    outcome = anonymizer.run(table(columns, data))
    measure = categorical_precision_loss if isinstance(anonymizer, shoal.OLA) else numerical_precision_loss
    by_column = {name: measure(outcome, name) for name in columns}
    quasi = QUASIS[data]
    return sum(by_column[name] for name in quasi) / len(quasi), by_column.get(PERTURBED[data], float("nan"))


def main() -> None:
    said = settings(__doc__)
    headline("Figure 1: loss of the original quasi-identifiers without the height, with it, and of the height itself")
    for data in said.names or QUASIS:
        quasi, noisy = QUASIS[data], PERTURBED[data]
        for kind in (shoal.OLA, shoal.Mondrian):
            print(f"{data}, {kind.__name__}\n{'k':>5} {'without':>9} {'with':>9} {'saved':>7} {noisy:>9}")
            for k in KS:
                without, _ = losses(kind(k=k), quasi, data)
                beside, own = losses(kind(k=k), (*quasi, noisy), data)
                print(f"{k:>5} {without:>9.3f} {beside:>9.3f} {1 - without / beside:>7.0%} {own:>9.3f}", flush=True)
            print()


if __name__ == "__main__":
    main()
