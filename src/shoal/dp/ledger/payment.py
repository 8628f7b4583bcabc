"""When a release is paid for: as late as possible, and never too late.

Whatever can go wrong before anything is drawn (a table that cannot be read, noise too wide to draw, a k that the
unprotected columns cannot reach) must cost nothing; from the first draw on everything must be paid, whatever becomes
of the run. A method says where that moment is: it opens the ledger it was lent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from shoal.dp.ledger.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.dp.ledger.store import Reservation


class Payment:
    """The whole cost of a release: reserved when its ledger is opened, noted as written if the block ends well.

    `cost` is what the run may spend, told of the records that it is given; what is reserved for it may be told of the
    persons who have them.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from shoal.dp.ledger.fingerprint import Dataset
    >>> from shoal.dp.accounting.cost import PrivacyCost
    >>> from shoal.dp.ledger.store import LedgerStore
    >>> people, cost = Dataset(b"digest of people.csv"), PrivacyCost.of(1)
    >>> with TemporaryDirectory() as folder:
    ...     store = LedgerStore(Path(folder))
    ...     with Payment(cost, lambda: store.reserve(people, cost, "release/")) as payment:
    ...         before = len(store.history(people))
    ...         payment.ledger.open()
    ...         before, len(store.history(people))
    (0, 1)
    """

    def __init__(self, cost: PrivacyCost, reserve: Callable[[], Reservation]) -> None:
        self._reserve = reserve
        self._reservation: Reservation | None = None
        self.ledger = Ledger(limit=cost, opening=self._pay)
        """May spend the cost and no more; its first charge, or `open()`, pays for all of it."""

    def _pay(self) -> None:
        self._reservation = replace(self._reserve(), ledger=self.ledger)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._reservation is None:
            self.ledger.close()
        else:
            self._reservation.__exit__(kind, error, at)
