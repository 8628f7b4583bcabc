"""How a mechanism pays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shoal.dp.accounting.cost import PrivacyCost


class Charges(Protocol):
    """The part of a ledger a mechanism sees: it may spend, and it may be refused."""

    def charge(self, cost: PrivacyCost, reason: str) -> None:
        """Enter the cost, or raise `BudgetError` and spend nothing."""
        ...
