"""Rank swapping: records of near ranks exchange their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.data.outcome import Outcome
from shoal.errors import ParameterError, SchemaError
from shoal.methods.perturbation.measuring import change_measured
from shoal.methods.perturbation.request import NOBODY_BOUNDS, PerturbationRequest, codes_of, side_by_side
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import Basis, Guarantee

if TYPE_CHECKING:
    from shoal.arrays import Keys
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger


@dataclass(frozen=True, kw_only=True)
class RankSwapping(PerturbationRequest):
    """Exchange the values of a column between records whose values are near each other.

    Every column of `perturbed` is swapped by itself: its values stay what they are and as frequent as they are, so that
    everything about the column alone is exact; what it has to do with others is blurred. Missing values stay where they
    are.

    Attributes:
        distance: How far apart two records may be that exchange values, as a share of all ranks.

    Guarantee: nothing formal; the risk that is left is measured. k-anonymity of the other quasi-identifiers.
    Paper: Moore 1996, Controlled data-swapping techniques for masking public use microdata sets.
    """

    name: ClassVar[str] = "rank-swapping"
    reading: ClassVar[str] = (
        "Values of some columns were exchanged between records that were near each other in them: what such a column "
        "says by itself is exact, what it says about a single record is not. Other values may be coarser than in the "
        "original."
    )

    distance: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.distance <= 1:
            raise ParameterError(f"distance is a share of all ranks, above 0 and at most 1; got {self.distance!r}.")

    def guarantees(self, outcome: Outcome | None = None) -> tuple[Guarantee, ...]:
        """Nothing formal, and that is said."""
        del outcome
        what = f"records at most {self.distance:.4g} of all ranks apart exchanged values"
        return (Guarantee(statements.nothing_formal(what, self.perturbed), Basis.MEASURED, NOBODY_BOUNDS),)

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Swap every column by itself."""
        for name in self.perturbed:
            if not table[name].domain.ordered:
                raise SchemaError(
                    f"column {name!r} is in perturbed, and its values have no order; rank swapping is for numbers, "
                    "days and ordered categories: declare their order, or choose pram."
                )
        records, decided = self.records(table, ledger, coins, progress)
        progress("swapping values", 0.0)
        changed: dict[str, Keys] = {}
        losses: dict[str, float] = {}
        for name in self.perturbed:
            true = codes_of(table, name, records)
            changed[name] = self._swapped(true, table[name].domain.missing, coins)
            losses |= change_measured(name, true, changed[name], records, ordered=True)
        return side_by_side(table, records, decided, changed, losses)

    def _swapped(self, codes: Keys, missing: int | None, coins: Coins) -> Keys:
        from shoal.methods.perturbation.swapping_kernel import partners

        present = np.flatnonzero(codes != missing) if missing is not None else np.arange(len(codes))
        shuffled = present[coins.permutation(len(present))]  # equal values have no rank among themselves
        ranked = shuffled[np.argsort(codes[shuffled], kind="stable")]
        window = max(1, int(self.distance * len(present)))
        partner = partners(window, coins.randbelows(window, len(present)))
        swapped = codes.copy()
        swapped[ranked] = codes[ranked[partner]]
        return swapped
