"""Did a mechanism charge for what it revealed?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from shoal.audit.enumeration import EnumeratingCoins
from shoal.audit.loss import exact_delta, exact_epsilon
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors, Relation, relation_of
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shoal.dp.coins.coins import Coins

T = TypeVar("T")

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Bill:
    """What was charged, at most, and what the outputs reveal."""

    epsilon: Fraction
    delta: Fraction
    loss: float
    """The exact privacy loss; an infinite loss is allowed where δ pays for it."""
    needed_delta: float
    """The δ needed beside the ε that was charged."""

    @property
    def holds(self) -> bool:
        """Whether the charge covers what is revealed on the given tables, up to the rounding of doubles."""
        return self.needed_delta <= self.delta + _ROUNDING


def audit_charges(
    mechanism: Callable[[T, Coins, Ledger], object],
    neighbors: Iterable[tuple[T, T]],
    *,
    relation: Neighbors | Relation = Neighbors.ADD_REMOVE,
    tail: float = 1e-12,
    cutoff: float = 0.0,
) -> Bill:
    """Enumerate a mechanism that charges a ledger, and compare the most it charged with what it reveals."""
    epsilon = delta = Fraction(0)

    def unpaid(table: T, coins: Coins) -> object:
        nonlocal epsilon, delta
        ledger = Ledger(neighbors=relation)
        output = mechanism(table, coins, ledger)
        epsilon, delta = max(epsilon, ledger.spent.epsilon), max(delta, ledger.spent.delta)
        return output

    pairs = list(neighbors)
    loss = exact_epsilon(unpaid, pairs, tail=tail, cutoff=cutoff)
    needed = exact_delta(unpaid, pairs, float(epsilon), tail=tail, cutoff=cutoff)
    return Bill(epsilon, delta, loss.epsilon, needed)


def charges_first(
    mechanism: Callable[[T, Coins, Ledger], object], table: T, *, relation: Neighbors | Relation = Neighbors.ADD_REMOVE
) -> bool:
    """Whether a refused charge stops the mechanism before it tosses a single coin."""
    coins = EnumeratingCoins()
    try:
        mechanism(table, coins, Ledger(limit=PrivacyCost.for_relation(Fraction(0), Fraction(0), relation_of(relation))))
    except BudgetError:
        return coins.tosses == 0
    return False
