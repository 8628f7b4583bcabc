"""The noise of Microaggregation-DP: what one record can change in the centers of a column, and centers that hide it.

Sums of steps are integers and get integer noise, so no rounding has to be
accounted for; marginalities are integers too. Derivations: `docs/proofs/microaggregation.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Nodes, Sizes
from shoal.cluster.space import CategoryAxis, NumberAxis
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.bulk import SMALLEST_EXPONENT
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from shoal.errors import InfeasibleError

if TYPE_CHECKING:
    from shoal.arrays import Keys
    from shoal.dp.coins.coins import Coins
    from shoal.dp.mechanisms.charges import Charges

_FINE = 1 << 40

_FEWEST_TO_SHRINK = 4
"""Of fewer values than these no mean is worth being drawn to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """What is public about the clusters: how many records each has, and how many of them one record can change.

    Attributes:
        sizes: Records of each cluster.
        changed: In how many clusters one record can replace another.
        is_sorted: Whether there is one column only, in whose order the clusters are consecutive.
    """

    sizes: Sizes
    changed: int
    is_sorted: bool

    def sum_range(self, axis: NumberAxis) -> int:
        """How far one record can move the sums of a column, all clusters together, in steps (theory MA-3).

        Along one column all order statistics move the same way, by no more than the record itself.
        """
        return axis.width if self.is_sorted else self.changed * axis.width

    def sum_square(self, axis: NumberAxis) -> int:
        """The same in squares, for Gaussian noise."""
        return axis.width**2 if self.is_sorted else self.changed * axis.width**2

    def sum_variance(self, axis: NumberAxis, share: Fraction, epsilon: Fraction, rho: Fraction | None) -> float:
        """The variance of the noise on a sum: that of Laplace noise, or with a ρ of Gaussian noise."""
        if rho is not None:
            return float(self.sum_square(axis) / (2 * share * rho))
        return 2 * float(self.sum_range(axis) / (share * epsilon)) ** 2

    def score_range(self, axis: CategoryAxis, order: Keys) -> int:
        """The widths of the intervals in which one record can move the scores, all clusters together (theory MA-6).

        `order` is that of the domain along which the clusters are consecutive.
        """
        most = self.changed * 2 * axis.taxonomy.diameter
        return min(most, axis.taxonomy.path_range(order)) if self.is_sorted else most


def laplace_sums(
    sums: Sizes, axis: NumberAxis, clusters: Clusters, epsilon: Fraction, coins: Coins, ledger: Charges
) -> Sizes:
    """Sums of a column with discrete Laplace noise of scale range/ε on each.

    Guarantee: ε-DP under replace-one.
    """
    noise = DiscreteLaplace(epsilon=epsilon, sensitivity=clusters.sum_range(axis), neighbors=Neighbors.REPLACE)
    _require_drawable(noise.exponent, axis.name)
    return noise.add(sums, coins, ledger, f"centers of {axis.name!r}")


def gaussian_sums(sums: Sizes, axis: NumberAxis, clusters: Clusters, rho: Fraction, coins: Coins) -> Sizes:
    """Sums of a column with discrete Gaussian noise, σ² = (squared range)/(2ρ); the caller has paid.

    Guarantee: ρ-zCDP under replace-one.
    """
    variance = clusters.sum_square(axis) / (2 * rho)
    _require_drawable(Fraction(1, isqrt(int(variance)) + 1), axis.name)
    return sums + coins.discrete_gaussians(variance, len(sums))


def published_sums(
    sums: Sizes, axis: NumberAxis, clusters: Clusters, k: int, epsilon: Fraction, coins: Coins, ledger: Charges
) -> Sizes:
    """Sums whose centers get the noise of the paper, of scale (n/k)(Δ/k)/ε, one draw for each cluster.

    A sum of s records then gets s n Δ/(k² ε). One record moves each of K <= n/k sums by Δ at most.

    Guarantee: ε-DP under replace-one.
    Paper: Microaggregation-DP §4 and §4.1.
    """
    records = int(clusters.sizes.sum())
    exponents = [epsilon * k * k / (int(size) * records * axis.width) for size in (k, clusters.sizes[-1])]
    _require_drawable(min(exponents), axis.name)
    ledger.charge(PrivacyCost(epsilon, neighbors=Neighbors.REPLACE), f"centers of {axis.name!r}")
    noise = coins.discrete_laplaces(exponents[0], max(len(sums) - 1, 0))
    return sums + np.append(noise, coins.discrete_laplaces(exponents[1], min(len(sums), 1)))


def chosen_nodes(
    marginality: Sizes, axis: CategoryAxis, score_range: int, epsilon: Fraction, coins: Coins, ledger: Charges
) -> Nodes:
    """A node for each cluster by permute-and-flip, less marginal ones exponentially more likely.

    Guarantee: ε-DP under replace-one, if `score_range` bounds the ranges of all clusters together.
    """
    choice = PermuteAndFlip(epsilon=epsilon, score_range=Fraction(score_range), neighbors=Neighbors.REPLACE)
    ledger.charge(choice.cost, f"centers of {axis.name!r}")
    return np.array([choice.select(-scores, coins) for scores in marginality], dtype=np.int32)


def published_nodes(
    marginality: Sizes, axis: CategoryAxis, score_range: Fraction, epsilon: Fraction, coins: Coins, ledger: Charges
) -> Nodes:
    """A node for each cluster by the exponential mechanism, as Algorithm 4 has it.

    Guarantee: ε-DP under replace-one, if `score_range` bounds the ranges of all clusters together.
    Paper: Microaggregation-DP Algorithm 4, Equation (6).
    """
    choice = ExponentialMechanism(epsilon=epsilon, score_range=score_range, neighbors=Neighbors.REPLACE)
    ledger.charge(choice.cost, f"centers of {axis.name!r}")
    return np.array([choice.select(-scores, coins) for scores in marginality], dtype=np.int32)


def concentrated_nodes(
    marginality: Sizes, axis: CategoryAxis, clusters: Clusters, rho: Fraction, coins: Coins
) -> Nodes:
    """A node for each cluster by the exponential mechanism, with ρ/(number of clusters) each; the caller has paid.

    A choice of range ε costs ε²/8 in zCDP, so each cluster may have ε = √(8ρ/K), rounded down.

    Guarantee: ρ-zCDP under replace-one.
    """
    each = Fraction(isqrt(int(8 * rho / clusters.changed * _FINE**2)), _FINE)
    _require_drawable(each, axis.name)
    choice = ExponentialMechanism(
        epsilon=each, score_range=Fraction(2 * axis.taxonomy.diameter), neighbors=Neighbors.REPLACE
    )
    return np.array([choice.select(-scores, coins) for scores in marginality], dtype=np.int32)


def isotonic(values: Floats, weights: Sizes) -> Floats:
    """The ascending values nearest to these, in weighted squares: neighbors in the wrong order are pooled.

    >>> isotonic(np.array([1.0, 3.0, 2.0, 4.0]), np.array([1, 1, 1, 1])).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pool = (value, float(weight), 1)
        while pools and pools[-1][0] > pool[0]:
            mean, total, count = pools.pop()
            together = total + pool[1]
            pool = ((mean * total + pool[0] * pool[1]) / together, together, count + pool[2])
        pools.append(pool)
    return np.repeat([mean for mean, _, _ in pools], [count for _, _, count in pools])


def shrunk(values: Floats, variances: Floats, width: float) -> Floats:
    """Noisy values drawn towards their mean, the more the larger their noise is beside their spread (James and Stein).

    v_j becomes m + c_j (v_j − m), c_j = 1 − (K − 3)/(K − 1) σ_j²/S² but at least 0, where S² is how far the values
    spread, and m their mean, itself drawn towards the middle of the domain as if it were anywhere in it beforehand.
    σ_j² is public and the rest is a function of what is noisy already: it costs nothing. Fewer than four values stay
    as they are.

    >>> shrunk(np.array([0.0, 10.0, 20.0, 30.0, 40.0]), np.full(5, 250.0), 40.0).tolist()
    [10.0, 15.0, 20.0, 25.0, 30.0]
    """
    number = len(values)
    if number < _FEWEST_TO_SHRINK:
        return values
    weights = 1 / np.maximum(variances, 1e-300)
    mean = float(values @ weights / weights.sum())
    sure = width**2 / 12 / (width**2 / 12 + 1 / float(weights.sum()))  # evenly spread over the domain beforehand
    center = width / 2 + sure * (mean - width / 2)
    spread = float(((values - mean) ** 2).sum()) / (number - 1)
    kept = np.clip(1 - (number - 3) / (number - 1) * variances / max(spread, 1e-300), 0.0, 1.0)
    found: Floats = center + kept * (values - mean)
    return found


def _require_drawable(exponent: Fraction, column: str) -> None:
    if exponent < SMALLEST_EXPONENT:
        raise InfeasibleError(
            f"column {column!r}: the noise would be wider than 2^40 steps of its domain, and nothing was spent; take a "
            "larger k or epsilon, or declare the domain with a coarser step."
        )
