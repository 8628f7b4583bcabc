"""Did a mechanism charge for what it revealed?"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from shoal.audit.enumeration import EnumeratingCoins
from shoal.audit.loss import exact_delta, exact_epsilon
from shoal.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shoal.dp.charges import Charges
    from shoal.dp.coins import Coins
    from shoal.dp.guarantee import PrivacyCost

T = TypeVar("T")

_ROUNDING = 1e-9


@dataclass(slots=True)
class Tally:
    """A ledger without a limit, for audits: it adds up what it is charged."""

    entries: list[tuple[PrivacyCost, str]] = field(default_factory=list)

    def charge(self, cost: PrivacyCost, reason: str) -> None:
        """Note the cost."""
        self.entries.append((cost, reason))

    @property
    def epsilon(self) -> Fraction:
        """The sum of all ε."""
        return sum((cost.epsilon for cost, _ in self.entries), Fraction(0))

    @property
    def delta(self) -> Fraction:
        """The sum of all δ."""
        return sum((cost.delta for cost, _ in self.entries), Fraction(0))


@dataclass(frozen=True, slots=True)
class Bill:
    """What was charged, at most, and what the outputs reveal."""

    epsilon: Fraction
    delta: Fraction
    loss: float
    """The exact privacy loss; infinite losses are allowed where δ pays for them."""
    needed_delta: float
    """The δ needed at the ε that was charged."""

    @property
    def holds(self) -> bool:
        """Whether the charge covers what is revealed, up to the rounding of doubles."""
        return self.needed_delta <= self.delta + _ROUNDING


def audit_charges(
    mechanism: Callable[[T, Coins, Charges], object],
    neighbors: Iterable[tuple[T, T]],
    *,
    tail: float = 1e-12,
    cutoff: float = 0.0,
) -> Bill:
    """Enumerate a mechanism that charges a ledger, and compare its largest charge with its exact loss."""
    highest = Tally()

    def unpaid(table: T, coins: Coins) -> object:
        nonlocal highest
        tally = Tally()
        output = mechanism(table, coins, tally)
        if (tally.epsilon, tally.delta) > (highest.epsilon, highest.delta):
            highest = tally
        return output

    pairs = list(neighbors)
    loss = exact_epsilon(unpaid, pairs, tail=tail, cutoff=cutoff)
    needed = exact_delta(unpaid, pairs, float(highest.epsilon), tail=tail, cutoff=cutoff)
    return Bill(highest.epsilon, highest.delta, loss.epsilon, needed)


def charges_first(mechanism: Callable[[T, Coins, Charges], object], table: T) -> bool:
    """Whether a refused charge stops the mechanism before it tosses a single coin."""
    coins = EnumeratingCoins()
    try:
        mechanism(table, coins, _Refusal())
    except BudgetError:
        return coins.tosses == 0
    return False


class _Refusal:
    """A ledger with nothing in it."""

    def charge(self, cost: PrivacyCost, reason: str) -> None:
        """Refuse."""
        raise BudgetError(f"refused by an audit: {reason}, epsilon = {float(cost.epsilon):g}.")
