"""Purses: what one release may spend, handed out in shares, whether ε adds up or zCDP does.

A share buys noise on a table, a private choice, or a private tree. All shares of one release add up to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, sqrt
from typing import TYPE_CHECKING, Protocol

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.mechanisms.gaussian import DiscreteGaussian
from shoal.dp.mechanisms.laplace import DiscreteLaplace, integers
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.arrays import Sizes
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges

_MOVES = Fraction(2)
"""One record moves a score by at most 1 up or down: the range R of `docs/proofs/selection.md`."""
_DIGITS = 10**15
_LEAST_NOISE = Fraction(64)
"""Noise of a larger exponent is none, and its variance no double."""


class Purse(Protocol):
    """What may be spent, in shares."""

    def variance(self, share: Fraction) -> float:
        """That of the noise for this share."""
        ...

    def precision(self, share: Fraction) -> float:
        """The e with which Laplace noise of scale 1/e varies as much as the noise for this share."""
        ...

    def count(self, table: Sizes, share: Fraction, coins: Coins, reason: str) -> Sizes:
        """Pay, then return counts of disjoint cells with noise."""
        ...

    def choose(self, scores: Sequence[Fraction], share: Fraction, coins: Coins, reason: str) -> int:
        """Pay, then choose one of several by scores that one record moves by at most 1."""
        ...

    def tree(self, share: Fraction, reason: str) -> Fraction:
        """Pay for a private tree that is grown next; the ε that it may spend."""
        ...


@dataclass(frozen=True, slots=True)
class PurePurse:
    """ε-DP: what is spent adds up."""

    epsilon: Fraction
    ledger: Charges

    def variance(self, share: Fraction) -> float:
        """That of discrete Laplace noise."""
        return DiscreteLaplace(epsilon=min(self.epsilon * share, _LEAST_NOISE), sensitivity=1).variance

    def precision(self, share: Fraction) -> float:
        """ε times the share."""
        return float(self.epsilon * share)

    def count(self, table: Sizes, share: Fraction, coins: Coins, reason: str) -> Sizes:
        """Discrete Laplace noise on every cell; one record is in one of them."""
        return DiscreteLaplace(epsilon=self.epsilon * share, sensitivity=1).add(table, coins, self.ledger, reason)

    def choose(self, scores: Sequence[Fraction], share: Fraction, coins: Coins, reason: str) -> int:
        """Permute-and-flip."""
        choice = PermuteAndFlip(epsilon=self.epsilon * share, score_range=_MOVES)
        return choice.choose(scores, coins, self.ledger, reason)

    def tree(self, share: Fraction, reason: str) -> Fraction:
        """ε times the share."""
        self.ledger.charge(PrivacyCost(self.epsilon * share), reason)
        return self.epsilon * share


@dataclass(frozen=True, slots=True)
class ConcentratedPurse:
    """ρ-zCDP: squares of what is spent add up. Whoever opens it has charged what ρ is worth in ε and δ."""

    rho: Fraction

    def variance(self, share: Fraction) -> float:
        """σ² of discrete Gaussian noise, which its variance comes close to."""
        return float(self._square(share))

    def precision(self, share: Fraction) -> float:
        """√(2/σ²)."""
        return sqrt(2 / self._square(share))

    def count(self, table: Sizes, share: Fraction, coins: Coins, reason: str) -> Sizes:
        """Discrete Gaussian noise on every cell; one record is in one of them."""
        del reason
        exact = integers(DiscreteGaussian, table)
        return exact + coins.discrete_gaussians(self._square(share), exact.size).reshape(exact.shape)

    def choose(self, scores: Sequence[Fraction], share: Fraction, coins: Coins, reason: str) -> int:
        """The exponential mechanism, whose ε costs ε²/8."""
        del reason
        return ExponentialMechanism(epsilon=_root(8 * self.rho * share), score_range=_MOVES).select(scores, coins)

    def tree(self, share: Fraction, reason: str) -> Fraction:
        """Pure ε costs ε²/2."""
        del reason
        return _root(2 * self.rho * share)

    def _square(self, share: Fraction) -> Fraction:
        return 1 / (2 * self.rho * share)


def _root(square: Fraction) -> Fraction:
    """A square root, rounded down.

    >>> _root(Fraction(1, 4))
    Fraction(1, 2)
    """
    return Fraction(isqrt(square.numerator * _DIGITS**2 // square.denominator), _DIGITS)
