"""The paper's scores on a sample, selected privately: for models whose expectation has no simple bound.

The sample is the choice's own (theory 2d): a mechanism that is ε_in-DP on a Poisson sample is ε_search-DP on the table,
with ε_in = ln(1 + (e^ε_search − 1) / β), rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.composition import inner_budget
from shoal.dp.guarantee import PrivacyCost, exact
from shoal.dp.selection import PermuteAndFlip
from shoal.search.lattice import Node, NodeClasses

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins import Coins
    from shoal.dp.sampling_rate import SamplingRate
    from shoal.quality import QualityModel

_GRID = Fraction(1, 1 << 10)
_ROUNDING = Fraction(1, 1 << 20)
"""More than floating point can put a score away from its exact value: doubles carry 53 bits, scores fewer than 30."""


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
        sample = replace(table, counts=table.counts.thin(rate, coins))
        change = model.change(k, table.quasi_identifiers)
        self._k, self._objective, self._classes = k, model.on(sample), NodeClasses(sample)
        inner = inner_budget(PrivacyCost(search_epsilon), rate)
        self._choice = PermuteAndFlip(
            epsilon=inner.epsilon, score_range=exact(change.range) + 4 * _ROUNDING, grid=_GRID
        )

    def of(self, node: Node) -> float:
        """The score of a scheme."""
        classes = self._classes.at(node)
        return self._objective.score(classes, classes.sizes < self._k)

    def select(self, scores: Sequence[float], coins: Coins) -> int:
        """Draw one; the caller has paid."""
        return self._choice.select(np.array(scores), coins)
