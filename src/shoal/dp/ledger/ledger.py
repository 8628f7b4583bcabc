"""The only way to spend privacy: every look at the data is charged here, with its reason, before it happens."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.dp.accounting.composition import parallel, sequential
from shoal.dp.accounting.cost import PrivacyCost, shown
from shoal.dp.accounting.relation import Neighbors, Relation, relation_of
from shoal.errors import BudgetError, ParameterError
from shoal.parameters import read_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Part:
    """What was spent on one of several disjoint parts of the table."""

    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One charge and its reason; a parallel group is one entry with its parts."""

    cost: PrivacyCost
    reason: str
    parts: tuple[Part, ...] = ()


_RECORDS = Relation(Neighbors.ADD_REMOVE)
"""What books are kept under, if nothing else is said."""
_NOTHING = PrivacyCost.for_relation(Fraction(0), Fraction(0), _RECORDS)
"""What was spent at first, under it."""


class Ledger:
    """Adds up what is spent and refuses what would exceed the limit or mix neighboring relations.

    A refused charge changes nothing. Spending is never taken back.

    >>> ledger = Ledger(limit=PrivacyCost.of(1, "1e-6"))
    >>> ledger.charge(PrivacyCost.of("0.1"), "choose the generalization scheme")
    >>> with ledger.parallel("noise on every leaf") as parts:
    ...     for leaf in ("young", "old"):
    ...         parts.part(leaf).charge(PrivacyCost.of("0.9"), "count")
    >>> print(ledger.spent)
    epsilon = 1, delta = 0 (add/remove one record)

    Guarantee: whatever is computed under the charges of a ledger is (ε, δ)-DP with (ε, δ) = `limit`, also if later
        charges depend on earlier results; with (ε, δ) = `spent`, if the charges were fixed in advance.
    Paper: theory X-8; `docs/proofs/composition.md`, sections 3 and 4.
    """

    def __init__(
        self,
        limit: PrivacyCost | None = None,
        neighbors: Neighbors | Relation | None = None,
        opening: Callable[[], None] | None = None,
    ) -> None:
        limit = None if limit is None else read_as(PrivacyCost, "limit", limit)
        if limit is not None and neighbors is not None and relation_of(neighbors) != limit.relation:
            raise ParameterError(
                f"ledger: the limit is told under '{limit.relation}', the ledger is to be kept under "
                f"'{relation_of(neighbors)}'. Give one relation, or convert with PrivacyCost.under()."
            )
        self._limit, self._relation, self._total = limit, _RECORDS, _NOTHING
        if limit is not None or neighbors is not None:
            self._relation = relation_of(neighbors or _RECORDS) if limit is None else limit.relation
            self._total = PrivacyCost.for_relation(Fraction(0), Fraction(0), self._relation)
        self._entries: list[Entry] = []
        self._open: Parallel | None = None
        self._opening, self._is_open = opening, False
        self._closed = False
        self._lock = threading.RLock()

    @property
    def limit(self) -> PrivacyCost | None:
        """What may be spent in total, if that is limited."""
        return self._limit

    @property
    def neighbors(self) -> Neighbors:
        """The kind of the one relation under which everything here is told."""
        return self._relation.neighbors

    @property
    def relation(self) -> Relation:
        """The one relation under which everything here is told."""
        return self._relation

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All charges so far; an open parallel group comes last, with what it has spent so far."""
        with self._lock:
            pending = () if self._open is None else (self._open.entry(),)
            return (*self._entries, *pending)

    @property
    def spent(self) -> PrivacyCost:
        """What all charges cost together."""
        with self._lock:
            return self._total if self._open is None else sequential([self._total, self._open.entry().cost])

    @property
    def remaining(self) -> PrivacyCost | None:
        """What may still be spent, if that is limited."""
        if self._limit is None:
            return None
        spent = self.spent
        return PrivacyCost.for_relation(
            self._limit.epsilon - spent.epsilon, self._limit.delta - spent.delta, self._relation
        )

    @property
    def is_open(self) -> bool:
        """Whether something may have been drawn already: then what it costs is paid for, and stays so."""
        return self._is_open

    def open(self) -> None:
        """Say that drawing begins here, or raise `BudgetError`: what is lent by a store is paid for at this moment.

        Whatever a method can refuse by what is public, it refuses before. The first charge opens the ledger too.
        """
        with self._lock:
            if not self._is_open and not self._closed:
                if self._opening is not None:
                    self._opening()
                self._is_open = True

    def charge(self, cost: PrivacyCost, reason: str) -> None:
        """Enter a cost before anything private is computed for it, or raise `BudgetError` and enter nothing."""
        with self._lock:
            self._admit(cost.relation, reason)
            total = sequential([self.spent, cost])
            if self._limit is not None and not total.within(self._limit):
                raise BudgetError(
                    f"ledger, {reason!r}: it costs epsilon = {shown(cost.epsilon)}, delta = {shown(cost.delta)}; with "
                    f"what was spent before that makes epsilon = {shown(total.epsilon)}, delta = {shown(total.delta)}; "
                    f"the limit is epsilon = {shown(self._limit.epsilon)}, delta = {shown(self._limit.delta)}. "
                    "Nothing was computed. Lower the cost, or raise the limit."
                )
            self.open()
            self._enter(Entry(cost, reason))

    @contextmanager
    def parallel(self, reason: str) -> Iterator[Parallel]:
        """Open a group of disjoint parts: when it closes, the dearest part is charged.

        The parts must be formed as `composition.parallel` says. While the group is open, only its parts can be charged.
        """
        with self._lock:
            self._admit(self._relation, reason)
            zero = PrivacyCost.for_relation(Fraction(0), Fraction(0), self._relation)
            parallel([zero])  # refuses relations under which parts do not combine
            self.open()
            group = self._open = Parallel(self.remaining, zero, reason)
        try:
            yield group
        finally:
            with self._lock:
                self._open = None
                self._enter(group.close())

    def close(self) -> None:
        """No more charges from here on, not even in an open group."""
        with self._lock:
            self._closed = True
            if self._open is not None:
                self._open.close()

    def _enter(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._total = sequential([self._total, entry.cost])

    def _admit(self, relation: Relation, reason: str) -> None:
        if not reason.strip():
            raise ParameterError(
                "ledger: a charge needs a reason; got none. Say in a few words what the data is used for."
            )
        if self._closed:
            raise BudgetError(
                f"ledger, {reason!r}: this ledger is closed: what was spent here is already accounted for. "
                "Charge the parts of a parallel group while the group is open."
            )
        if self._open is not None:
            raise BudgetError(
                f"ledger, {reason!r}: a parallel group is open. Charge one of its parts, or close the group first."
            )
        if relation != self._relation:
            raise BudgetError(
                f"ledger, {reason!r}: the cost is told under '{relation}', this ledger is kept under "
                f"'{self._relation}'. Convert with PrivacyCost.under() where that is possible."
            )


class Parallel:
    """An open group of disjoint parts, each with a ledger of its own that may spend all that was left."""

    def __init__(self, limit: PrivacyCost | None, zero: PrivacyCost, reason: str) -> None:
        self._limit, self._zero, self._reason = limit, zero, reason
        self._parts: dict[str, Ledger] = {}
        self._closed = False
        self._lock = threading.Lock()

    def part(self, name: str) -> Ledger:
        """The ledger of a part; the same name is the same part."""
        with self._lock:
            if name not in self._parts:
                self._parts[name] = Ledger(self._limit, self._zero.relation)
                if self._closed:
                    self._parts[name].close()
            return self._parts[name]

    def entry(self) -> Entry:
        """What the group costs so far."""
        parts = list(self._parts.items())
        cost = parallel([self._zero, *(ledger.spent for _, ledger in parts)])
        return Entry(cost, self._reason, tuple(Part(name, ledger.entries) for name, ledger in parts))

    def close(self) -> Entry:
        """No more charges; what the group costs in the end."""
        with self._lock:
            self._closed = True
            for ledger in self._parts.values():
                ledger.close()
        return self.entry()
