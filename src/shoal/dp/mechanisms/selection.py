"""Choose one of many candidates by a private score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.mechanisms.checks import require_positive
from shoal.dp.mechanisms.scores import Scores, gaps_below_best, require_grid
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.arrays import Floats, Mask, Sizes
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges

_REACH = 45.0  # e^-45 is far below the precision of a double
_NODES = 16
_FAR = 45
"""Candidates with an exponent of this are so rarely accepted that a bound on their score mostly does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteAndFlip:
    """Pick one candidate at random, better scores exponentially more likely.

    Visit the candidates in random order; accept i with probability exp(η (score_i − max)), η = ε / R, where R is the
    width of the interval in which one record can move any score. Never worse than the exponential mechanism.

    With a `grid` of width w every score is first rounded to a multiple of w, and η = ε / (R + 2w). R must hold for the
    scores as computed: if floating point puts a score up to τ away from the number whose range was proved, add 4τ to R.

    Guarantee: ε-DP, under the neighboring relation for which R was derived.
    Paper: McKenna & Sheldon 2020; range form: theory X-6; `docs/proofs/selection.md`.

    >>> from fractions import Fraction
    >>> best_first = PermuteAndFlip(epsilon=Fraction(1), score_range=Fraction(2))
    >>> best_first.probabilities([0, 1, 2, 5]).round(6).tolist()
    [0.036345, 0.06099, 0.103686, 0.798979]
    """

    epsilon: Fraction
    score_range: Fraction
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    grid: Fraction | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        _check(self, self.epsilon, self.score_range, self.grid)

    @property
    def cost(self) -> PrivacyCost:
        """What one choice costs."""
        return PrivacyCost(Fraction(self.epsilon), neighbors=self.neighbors)

    @property
    def exponent(self) -> Fraction:
        """η, per unit of score."""
        return _exponent(self.epsilon, self.score_range, self.grid)

    def probabilities(self, scores: Scores) -> Floats:
        """The output distribution. Tests check this; `select` draws from it."""
        gaps, unit = gaps_below_best(scores, self.grid)
        accepted = np.exp(-gaps.astype(np.float64) * float(self.exponent * unit))
        return _permute_and_flip_law(accepted)

    def select(self, scores: Scores, coins: Coins) -> int:
        """Draw, without paying: for callers that charge in the same function themselves.

        All candidates are flipped at once and one of the accepted is drawn uniformly. This is the same law: in a random
        order independent of the flips, each accepted candidate is equally likely to come first.
        """
        gaps, unit = gaps_below_best(scores, self.grid)
        accepted = np.flatnonzero(coins.bernoulli_exps(gaps, self.exponent * unit))
        return int(accepted[coins.randbelow(len(accepted))])  # never empty: the best is accepted for certain

    @property
    def far(self) -> int:
        """A gap, in whole units of score, from which on a candidate is hardly ever accepted: with e^−45."""
        return math.ceil(_FAR / self.exponent)

    def select_near(self, scores: Scores, is_exact: Mask, exactly: Callable[[int], int], coins: Coins) -> int:
        """`select`, where some whole scores are only known to be at most so much, which is no more than the best one.

        A coin for the gap that is known is tossed, and if it shows heads another one for what is missing of the gap:
        e^−x = e^−b · e^−(x − b). So the law is that of the true scores, whatever the bounds; the lower they are, the
        more rarely `exactly` is asked for the score of a candidate (`docs/proofs/selection.md`, section 6).
        """
        gaps, unit = gaps_below_best(scores, None)
        accepted = coins.bernoulli_exps(gaps, self.exponent * unit)
        for i in np.flatnonzero(accepted & ~is_exact).tolist():
            accepted[i] = coins.bernoulli_exp((int(scores[i]) - exactly(i)) * self.exponent)
        candidates = np.flatnonzero(accepted)
        return int(candidates[coins.randbelow(len(candidates))])

    def choose(self, scores: Scores, coins: Coins, ledger: Charges, reason: str) -> int:
        """Charge, then draw."""
        ledger.charge(self.cost, reason)
        return self.select(scores, coins)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMechanism:
    """Pick candidate i with probability proportional to weight_i · exp(η score_i), η = ε / R.

    R is the width of the interval in which one record can move any score; with a `grid` of width w, η = ε / (R + 2w),
    as in `PermuteAndFlip`. Weights are public: how many times a candidate counts before the data are looked at. Prefer
    `PermuteAndFlip` unless weights are needed or many choices are composed (a choice here costs only ε²/8 in zCDP).

    Guarantee: ε-DP, under the neighboring relation for which R was derived.
    Paper: McSherry & Talwar 2007; range form: theory X-6; `docs/proofs/selection.md`.

    >>> from fractions import Fraction
    >>> choice = ExponentialMechanism(epsilon=Fraction(1), score_range=Fraction(2))
    >>> choice.probabilities([0, 1, 2, 5]).round(6).tolist()
    [0.056982, 0.093947, 0.154892, 0.694179]
    """

    epsilon: Fraction
    score_range: Fraction
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    grid: Fraction | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        _check(self, self.epsilon, self.score_range, self.grid)

    @property
    def cost(self) -> PrivacyCost:
        """What one choice costs."""
        return PrivacyCost(Fraction(self.epsilon), neighbors=self.neighbors)

    @property
    def exponent(self) -> Fraction:
        """η, per unit of score."""
        return _exponent(self.epsilon, self.score_range, self.grid)

    def probabilities(self, scores: Scores, weights: Sizes | None = None) -> Floats:
        """The output distribution. Tests check this; `select` draws from it."""
        gaps, unit = gaps_below_best(scores, self.grid)
        mass = np.exp(-gaps.astype(np.float64) * float(self.exponent * unit)) * (1 if weights is None else weights)
        law: Floats = mass / mass.sum()
        return law

    def select(self, scores: Scores, coins: Coins, weights: Sizes | None = None) -> int:
        """Draw, without paying: for callers that charge in the same function themselves."""
        gaps, unit = gaps_below_best(scores, self.grid)
        return coins.choose_exp(gaps, self.exponent * unit, weights)

    def choose(self, scores: Scores, coins: Coins, ledger: Charges, reason: str, weights: Sizes | None = None) -> int:
        """Charge, then draw."""
        ledger.charge(self.cost, reason)
        return self.select(scores, coins, weights)


def _exponent(epsilon: Fraction, score_range: Fraction, grid: Fraction | None) -> Fraction:
    """η = ε / (R + 2w): rounding to a grid of width w moves two scores apart by 2w at most (theory X-6)."""
    return Fraction(epsilon) / (score_range + 2 * (grid or 0))


def _check(owner: object, epsilon: Fraction, score_range: Fraction, grid: Fraction | None) -> None:
    require_positive(owner, epsilon=epsilon, score_range=score_range)
    if grid is not None:
        require_positive(owner, grid=grid)
        require_grid(owner, Fraction(grid))


def _permute_and_flip_law(accepted: Floats) -> Floats:
    """P[i] = p_i ∫₀¹ Π_{j≠i} (1 − p_j u) du, where p_j is the probability that j is accepted when visited.

    The integrand falls like e^(−u Σp), so the interval ends at 45 / Σp and is cut into pieces of length at most 1 / Σp;
    on each, 16 Gauss nodes are exact to the last digit (`docs/proofs/selection.md`, section 4).
    """
    total = float(accepted.sum())
    end = min(1.0, _REACH / total)
    pieces = max(1, math.ceil(end * total))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    law = np.zeros_like(accepted)
    for piece in range(pieces):
        for node, weight in zip(nodes, weights, strict=True):
            factors = 1 - accepted * (end / pieces * (piece + (node + 1) / 2))
            law += weight * np.exp(np.log(factors).sum()) / factors
    return law * accepted * (end / pieces / 2)
