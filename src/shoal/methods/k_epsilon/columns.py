"""One perturbed column: its values in their classes, the noise it gets, what is shown of it and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Codes, Floats, Mask, Sizes
from shoal.data.domain import Grid
from shoal.data.shown import Numbers
from shoal.errors import SchemaError
from shoal.methods.k_epsilon.noise import ClassNoise
from shoal.methods.k_epsilon.records import Records
from shoal.quality.relative_error import expected_relative_error, measured_relative_error
from shoal.risk import ClassedNumbers, expected_links, links_found

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins

_EXACT = 1 << 53
"""Whole numbers up to this are doubles."""


def classed(table: EncodedTable, name: str, records: Records) -> ClassedNumbers:
    """The values of a column as codes; a missing one counts as the middle of the domain, which is public."""
    grid = numeric(table, name)
    codes = table.counts.column(name).astype(np.int64)
    if grid.missing is not None:
        codes = np.where(codes == grid.missing, grid.steps // 2, codes)
    return ClassedNumbers(codes[records.source], records.labels, records.groups)


def numeric(table: EncodedTable, name: str) -> Grid:
    """The domain of a perturbed column."""
    domain = table[name].domain
    if not isinstance(domain, Grid):
        raise not_numeric(name)
    return domain


def not_numeric(name: str) -> SchemaError:
    """A column that no noise can be added to."""
    return SchemaError(
        f"column {name!r} is in perturbed, and its values are not numbers; noise is for numbers: declare its domain "
        "with from, to and step, or leave it to the k-anonymizer."
    )


@dataclass(frozen=True, eq=False)
class PerturbedColumn:
    """A column to be published with noise.

    Attributes:
        name: The column.
        grid: Its domain.
        values: Its values, as codes of the domain, in their classes.
        noise: What is added to them.
        lows: Values below this, per class, are moved to it first; not at all if not given.
        highs: Values above this.
        digits: Digits of published numbers below the step of the domain.
    """

    name: str
    grid: Grid
    values: ClassedNumbers
    noise: ClassNoise
    lows: Sizes | None = None
    highs: Sizes | None = None
    digits: int = 0

    @cached_property
    def hidden(self) -> Sizes:
        """What the noise is added to, in codes."""
        if self.lows is None or self.highs is None:
            return self.values.numbers
        labels = self.values.labels
        return np.clip(self.values.numbers, self.lows[labels], self.highs[labels])

    def drawn(self, coins: Coins, *, within_domain: bool) -> Sizes:
        """The published numbers, in units of 10^−digits steps above the domain's lower end; the caller has paid."""
        units = self.hidden * self.noise.fine + self.noise.draw(self.values.labels, coins)
        return np.clip(units, 0, self.grid.steps * self.noise.fine) if within_domain else units

    def shown(self, units: Sizes) -> tuple[Numbers, Codes]:
        """The published numbers: each once, in order, and which of them each record has."""
        distinct, codes = np.unique(units, return_inverse=True)
        numbers, where = np.unique(self._numbers(distinct), return_inverse=True)  # very large ones may be equal
        is_whole = self.grid.decimals == 0 and self.digits == 0
        return Numbers(numbers, 0 if is_whole else None), where[codes]

    def _numbers(self, units: Sizes) -> Floats:
        """Units as numbers, correctly rounded where they are short enough."""
        fine, scale = self.noise.fine, 10**self.grid.decimals
        lower, step = self.grid.lower, self.grid.step
        widest = abs(lower) * fine + int(np.abs(units).max(initial=0)) * step
        if widest < _EXACT and fine * scale < _EXACT:
            exactly: Floats = (lower * fine + units * step) / float(fine * scale)
            return exactly
        nearly: Floats = lower / scale + units * (step / (fine * scale))
        return nearly

    def losses(self, units: Sizes, published: Mask) -> dict[str, float]:
        """For the owner: relative error (Eq. 8, and measured) and linking risk (expected if continuous, and measured).

        Risks count every record that got noise, also those left out afterwards, as the paper does.
        """
        fine, labels = self.noise.fine, self.values.labels
        true = self._numbers(self.values.numbers * fine)
        width = self.grid.step / 10**self.grid.decimals
        in_units = ClassedNumbers(self.values.numbers * fine, labels, self.values.groups)
        expected, found = expected_links(self.values, self.noise.scales), links_found(in_units, units)
        error = measured_relative_error(true[published], self._numbers(units)[published])
        figures = {
            "relative error": error,
            "relative error, expected": expected_relative_error(true, self.noise.deviations[labels] * width),
            "linking risk": found.risk,
            "linking risk, expected": expected.risk,
            "linking risk, fair": found.fair_risk,
        }
        return {f"{what} ({self.name})": value for what, value in figures.items() if np.isfinite(value)}
