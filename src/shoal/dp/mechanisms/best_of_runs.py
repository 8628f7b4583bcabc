"""Tuning with a price: run a private mechanism a random number of times and keep the best result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.mechanisms.checks import require_positive
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOfRuns:
    """Run a mechanism K times and keep the output with the best score; K follows a logarithmic distribution.

    P[K = k] proportional to e^(−x k) / k. Each run may choose its own parameters at random, and must be ε/2-DP together
    with the score it gives itself. The best of a *fixed* number of runs would cost that number times as much.

    Attributes:
        epsilon: What all runs together cost.
        decay: x: the smaller, the more runs; about 12 for 1/50.

    Guarantee: ε-DP, if one run with its score is ε/2-DP.
    Paper: Liu & Talwar 2019; Papernot & Steinke 2022 (truncated negative binomial, η = 0); `docs/proofs/diffgen.md`.
    """

    epsilon: Fraction
    decay: Fraction = Fraction(1, 50)
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    def __post_init__(self) -> None:
        read_parameters(self)
        require_positive(self, epsilon=self.epsilon, decay=self.decay)

    @property
    def cost(self) -> PrivacyCost:
        """What all runs together cost."""
        return PrivacyCost(Fraction(self.epsilon), neighbors=self.neighbors)

    @property
    def each(self) -> Fraction:
        """What one run and its score may spend."""
        return Fraction(self.epsilon) / 2

    def runs(self, coins: Coins) -> int:
        """K: propose from a geometric law, accept with probability 1/K."""
        while True:
            k = 1 + coins.geometric(Fraction(self.decay))
            if coins.bernoulli(Fraction(1, k)):
                return k

    def choose(self, run: Callable[[Coins], tuple[T, int]], coins: Coins, ledger: Charges, reason: str) -> T:
        """Charge, then run and keep the best; of equal scores the first."""
        ledger.charge(self.cost, reason)
        best, score = run(coins)
        for _ in range(1, self.runs(coins)):
            other, rival = run(coins)
            if rival > score:
                best, score = other, rival
        return best
