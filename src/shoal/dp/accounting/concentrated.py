"""Many small looks at the data: zero-concentrated differential privacy, which adds up more gently than ε.

Proofs: `docs/proofs/composition.md`, sections 6 to 8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.data.unit import Unit
from shoal.dp.accounting.composition import sequential
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.interval import Interval
from shoal.dp.accounting.relation import Neighbors, Relation
from shoal.errors import BudgetError, ParameterError
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class ConcentratedCost:
    """ρ-zCDP: the Rényi divergence of order α between neighboring outputs is at most ρ α, for every α > 1.

    Paper: Bun & Steinke 2016, Def. 1.1.
    """

    rho: Fraction
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    protected: frozenset[str] = frozenset()
    """Under ATTRIBUTES: the columns in which one record may differ."""
    unit: Unit = Unit.RECORD
    """Whom it hides one of."""

    def __post_init__(self) -> None:
        read_parameters(self)
        object.__setattr__(self, "protected", self.relation.protected)
        if self.rho < 0:
            raise ParameterError(f"a concentrated cost needs rho >= 0; got {float(self.rho):g}.")

    @property
    def relation(self) -> Relation:
        """The relation under which it is told, with the columns it protects."""
        return Relation(self.neighbors, self.protected, self.unit)

    @classmethod
    def of_pure(cls, cost: PrivacyCost) -> ConcentratedCost:
        """Any ε-DP mechanism, such as permute-and-flip or discrete Laplace: ρ = ε²/2.

        Paper: Bun & Steinke 2016, Prop. 1.4; theory X-8.
        """
        return cls(_pure(cost) ** 2 / 2, cost.neighbors, cost.protected, cost.unit)

    @classmethod
    def of_bounded_range(cls, cost: PrivacyCost) -> ConcentratedCost:
        """An ε-DP mechanism whose log-ratios all lie in one interval of width ε: ρ = ε²/8.

        The exponential mechanism is of this kind (its ε = η R, theory X-6). Permute-and-flip and Laplace noise are not.

        Paper: Cesar & Rogers 2020, Lemma 3.4; theory X-8.
        """
        return cls(_pure(cost) ** 2 / 8, cost.neighbors, cost.protected, cost.unit)

    def at(self, delta: Fraction) -> PrivacyCost:
        """The smallest ε we can prove for this δ, rounded up.

        ε = ρ α + ln(1 − 1/α) + ln(1/(δ α))/(α − 1), for the best order α > 1.

        Guarantee: (ε, δ)-DP; never worse than ε = ρ + 2 √(ρ ln(1/δ)).
        Paper: Canonne, Kamath & Steinke 2020, Prop. 12 and Cor. 13.
        """
        _check_delta(delta)
        if self.rho == 0:
            return PrivacyCost.for_relation(Fraction(0), Fraction(0), self.relation)
        excess = _best_order(float(self.rho), -_log(delta))  # any order is valid: floating point only chooses it
        order = 1 + excess
        price = (
            Interval.of(self.rho * order)
            + Interval.of(excess / order).ln()
            - (Interval.of(delta).ln() + Interval.of(order).ln()) / excess
        )
        return PrivacyCost.for_relation(max(price.upper(), Fraction(0)), delta, self.relation)


def compose(costs: Iterable[ConcentratedCost]) -> ConcentratedCost:
    """One look after another: ρ adds up.

    Paper: Bun & Steinke 2016, Lemma 2.3.
    """
    costs = list(costs)
    relations = {cost.relation for cost in costs}
    if len(relations) != 1:
        raise BudgetError("composition: all costs must be told under one neighboring relation, and there must be one.")
    (relation,) = relations
    rho = sum((cost.rho for cost in costs), Fraction(0))
    return ConcentratedCost(rho, relation.neighbors, relation.protected, relation.unit)


def tighter(costs: Sequence[PrivacyCost], delta: Fraction, *, bounded_range: bool = False) -> PrivacyCost:
    """The total of pure costs fixed in advance: their sum, or through zCDP at δ where that gives the smaller ε.

    >>> step = PrivacyCost.of("0.002")
    >>> print(tighter([step] * 300, Fraction("1e-7"), bounded_range=True))
    epsilon = 0.0758868, delta = 1e-07 (add/remove one record)
    >>> print(tighter([step] * 3, Fraction("1e-7")))
    epsilon = 0.006, delta = 0 (add/remove one record)
    """
    kind = ConcentratedCost.of_bounded_range if bounded_range else ConcentratedCost.of_pure
    concentrated = compose(kind(cost) for cost in costs).at(delta)
    plain = sequential(costs)
    return concentrated if concentrated.epsilon < plain.epsilon else plain


def largest_rho(cost: PrivacyCost) -> ConcentratedCost:
    """The largest ρ (to within one part in 10⁹) that still costs no more than (ε, δ): what many steps may share.

    Starts from the closed form ρ = (√(ln(1/δ) + ε) − √ln(1/δ))² of the simple conversion, and bisects upward.
    """
    _check_delta(cost.delta)
    if cost.epsilon == 0:
        return ConcentratedCost(Fraction(0), cost.neighbors, cost.protected, cost.unit)
    target, log = float(cost.epsilon), -_log(cost.delta)
    low = (target / (math.sqrt(log + target) + math.sqrt(log))) ** 2 * (1 - 1e-9)  # no digits cancel
    high = max(2 * low, target)
    while _price(high, log) <= target:
        high *= 2
    while high - low > 1e-10 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if _price(middle, log) <= target else (low, middle)
    rho = Interval.of(Fraction(low)).lower()
    while ConcentratedCost(rho).at(cost.delta).epsilon > cost.epsilon:  # the exact price decides
        rho = Interval.of(rho * (1 - Fraction(1, 10**10))).lower()
    return ConcentratedCost(rho, cost.neighbors, cost.protected, cost.unit)


def _best_order(rho: float, log: float) -> Fraction:
    """A good α − 1: golden-section search over its logarithm, or the √(ln(1/δ)/ρ) of the simple conversion."""
    shrink = (math.sqrt(5) - 1) / 2
    middle = math.log(math.sqrt(max(log, 1e-3) / rho))
    low, high = middle - 8, middle + 3
    for _ in range(60):
        left, right = high - shrink * (high - low), low + shrink * (high - low)
        if _priced(math.exp(left), rho, log) < _priced(math.exp(right), rho, log):
            high = right
        else:
            low = left
    return Fraction(min(math.exp((low + high) / 2), math.exp(middle), key=lambda x: _priced(x, rho, log)))


def _price(rho: float, log: float) -> float:
    return _priced(float(_best_order(rho, log)), rho, log)


def _priced(excess: float, rho: float, log: float) -> float:
    return rho * (1 + excess) - math.log1p(1 / excess) + (log - math.log1p(excess)) / excess


def _pure(cost: PrivacyCost) -> Fraction:
    if cost.delta:
        raise ParameterError(f"zCDP: only a pure cost converts; got {cost}. Compose it in sequence instead.")
    return cost.epsilon


def _log(delta: Fraction) -> float:
    return float(Interval.of(delta).ln().high)


def _check_delta(delta: Fraction) -> None:
    if not 0 < delta < 1:
        raise ParameterError(
            f"zCDP: delta must lie strictly between 0 and 1; got {float(delta):g}. Take a value such as 1e-7."
        )
