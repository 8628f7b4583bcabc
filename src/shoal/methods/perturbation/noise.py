"""Noise addition: numbers with normal noise in proportion to how much they vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.data.domain import Dates, Grid
from shoal.data.outcome import Outcome
from shoal.errors import ParameterError, SchemaError
from shoal.methods.perturbation.measuring import change_measured
from shoal.methods.perturbation.request import NOBODY_BOUNDS, PerturbationRequest, codes_of, side_by_side
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import Basis, Guarantee

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger

_FINE = 1 << 53
"""Uniform numbers are multiples of one over this: nothing formal rests on how normal the noise is."""


@dataclass(frozen=True, kw_only=True)
class Noise(PerturbationRequest):
    """Add normal noise to numbers, with a deviation in proportion to theirs.

    Means stay as they are but for chance; variances grow by 1 + amount². With `correlated` noise the covariances of the
    perturbed columns grow by the same factor, so that correlations stay as they are. What is published is a value of
    the
    domain: noise beyond its ends stops there. Missing values stay missing.

    Attributes:
        amount: The deviation of the noise, as a share of that of the column.
        correlated: Whether the noise of several columns is correlated as their values are.

    Guarantee: nothing formal; the risk that is left is measured. k-anonymity of the other quasi-identifiers. For noise
        with a guarantee see `k-epsilon`.
    Paper: Kim 1986, A method for limiting disclosure in microdata based on random noise and transformation.
    """

    name: ClassVar[str] = "noise"
    reading: ClassVar[str] = (
        "Some numbers carry random noise, which averages out over many records and not for a single one; other values "
        "may be coarser than in the original."
    )

    amount: float = 0.1
    correlated: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.amount > 0:
            raise ParameterError(
                f"amount is the deviation of the noise as a share of the column's, above 0; got {self.amount!r}."
            )

    def guarantees(self, outcome: Outcome | None = None) -> tuple[Guarantee, ...]:
        """Nothing formal, and that is said."""
        del outcome
        what = f"normal noise was added, of {self.amount:.4g} times the deviation of each"
        return (Guarantee(statements.nothing_formal(what, self.perturbed), Basis.MEASURED, NOBODY_BOUNDS),)

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Draw noise for every record."""
        for name in self.perturbed:
            domain = table[name].domain
            if isinstance(domain, Grid | Dates):
                continue
            if domain.ordered:
                raise SchemaError(
                    f"column {name!r} is in perturbed, and its values are names in an order, as those of a hierarchy "
                    "file are; if they are numbers, declare its domain as from and to beside the hierarchy, else "
                    "choose rank-swapping."
                )
            raise SchemaError(
                f"column {name!r} is in perturbed, and its values are not numbers; noise is for numbers and days: "
                "choose rank-swapping for ordered categories, and pram for others."
            )
        records, decided = self.records(table, ledger, coins, progress)
        progress("adding noise", 0.0)
        true = [codes_of(table, name, records) for name in self.perturbed]
        missing = [table[name].domain.missing for name in self.perturbed]
        drawn = np.array([_normal(len(records), coins) for _ in self.perturbed])
        noise = self.amount * _spread(true, missing, correlated=self.correlated) @ drawn
        changed: dict[str, Keys] = {}
        losses: dict[str, float] = {}
        for j, (name, codes, none) in enumerate(zip(self.perturbed, true, missing, strict=True)):
            last = table[name].domain.size - 1 - (none is not None)
            noisy = np.clip(np.rint(codes + noise[j]), 0, last).astype(np.int64)
            changed[name] = noisy if none is None else np.where(codes == none, none, noisy)
            losses |= change_measured(name, codes, changed[name], records, ordered=True)
        return side_by_side(table, records, decided, changed, losses)


def _normal(count: int, coins: Coins) -> Floats:
    """Standard normal numbers (Box & Muller)."""
    radius = np.sqrt(-2 * np.log((coins.randbelows(_FINE, count) + 1) / _FINE))
    return np.asarray(radius * np.cos(2 * np.pi * (coins.randbelows(_FINE, count) / _FINE)))


def _spread(columns: list[Keys], missing: list[int | None], *, correlated: bool) -> Floats:
    """A matrix that makes of independent standard normal numbers such that vary as the columns do; in codes."""
    values = np.array(columns, dtype=float)
    for j, none in enumerate(missing):
        if none is not None:
            present = values[j] != none
            values[j] = np.where(present, values[j], values[j][present].mean() if present.any() else 0.0)
    if values.shape[1] < 2:
        return np.zeros((len(columns), len(columns)))
    covariance = np.atleast_2d(np.cov(values))
    if not correlated:
        return np.diag(np.sqrt(np.diag(covariance)))
    sizes, directions = np.linalg.eigh(covariance)
    return np.asarray(directions * np.sqrt(np.clip(sizes, 0, None)))
