"""The paper's scores on a sample, selected privately: for models whose expectation has no simple bound.

The sample is the choice's own (theory 2d): a mechanism that is ε_in-DP on a Poisson sample is ε_search-DP on the table,
with ε_in = ln(1 + (e^ε_search − 1) / β), rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.accounting.composition import inner_budget
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.mechanisms.selection import PermuteAndFlip
from shoal.parameters import exact
from shoal.search.lattice import Node, NodeClasses

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.dp.coins.sampling_rate import SamplingRate
    from shoal.quality import QualityModel

_FINE = 1 << 12
"""Scores are rounded to a grid this much finer than their range, and trusted to be computed as exactly as that.

The score of n records and weights that add up to W is at most n W, and fewer than 2^8 roundings deep: it is off by less
than 2^−45 n W. Its range is at least k W, so that is within a 2^12th of it for all n up to 2^33 k.
"""


class SampledScore:
    """Scores of schemes on a fresh sample after suppressing classes below k."""

    def __init__(
        self,
        model: QualityModel,
        table: EncodedTable,
        rate: SamplingRate,
        k: int,
        search_epsilon: Fraction,
        coins: Coins,
    ) -> None:
        reach = exact(model.change(k, table.quasi_identifiers).range)
        inner = inner_budget(PrivacyCost(search_epsilon), rate)
        self._choice = PermuteAndFlip(
            epsilon=inner.epsilon, score_range=reach + 4 * reach / _FINE, grid=_power_of_two_below(reach / _FINE)
        )
        sample = table.with_counts(table.counts.thin(rate, coins))
        self._k, self._objective, self._classes = k, model.on(sample), NodeClasses(sample)

    def of(self, node: Node) -> float:
        """The score of a scheme."""
        classes = self._classes.at(node)
        return self._objective.score(classes, classes.sizes < self._k)

    def select(self, scores: Sequence[float], coins: Coins) -> int:
        """Draw one; the caller has paid."""
        return self._choice.select(np.array(scores), coins)


def _power_of_two_below(x: Fraction) -> Fraction:
    return Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length() - 1)
