"""Rows of a persistent ledger: what they say, and how each is sealed to the one before.

A row is a sentence in JSON and a seal, HMAC-SHA256 over the row's number, the seal before it and the sentence. Rows are
only ever added: a reservation, later perhaps the news that its release was written. What a reservation took stays
taken.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.dp.composition import sequential
from shoal.dp.guarantee import Neighbors, PrivacyCost, shown
from shoal.errors import BudgetError, InfeasibleError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shoal.dp.fingerprint import Dataset
    from shoal.dp.ledger import Entry
    from shoal.dp.ledger_key import LedgerKey


@dataclass(frozen=True, slots=True)
class Row:
    """One sealed sentence."""

    number: int
    text: bytes
    seal: bytes


@dataclass(frozen=True, slots=True)
class DatasetId:
    """Keyed fingerprints of a dataset's content and of the name its owner gives it: meaningless without the key.

    Two datasets are the same if the content is the same or the name is the same, also by way of a third.
    """

    content: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Spending:
    """What one release took from the budget of its dataset."""

    number: int
    dataset: DatasetId
    cost: PrivacyCost
    release: str
    reserved_at: str
    released_at: str | None = None
    """When the release was written; nothing if it never was, or not yet. The cost counts all the same."""
    reasons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "number": self.number,
            "release": self.release,
            "epsilon": float(self.cost.epsilon),
            "delta": float(self.cost.delta),
            "neighbors": self.cost.neighbors.value,
            "reserved_at": self.reserved_at,
            "released_at": self.released_at,
            "reasons": list(self.reasons),
        }


def identify(dataset: Dataset, key: LedgerKey) -> DatasetId:
    """Fingerprints that say nothing to whoever does not hold the key."""
    name = None if dataset.name is None else key.sign("name", dataset.name.strip().casefold().encode()).hex()
    return DatasetId(key.sign("content", dataset.content).hex(), name)


def seal(key: LedgerKey, number: int, before: bytes, text: bytes) -> bytes:
    """What only the holder of the key can put under a row."""
    return key.sign("row", str(number).encode(), before, text)


def verify(rows: Sequence[Row], key: LedgerKey) -> None:
    """Refuse rows that were changed, removed, reordered or put back from an older copy."""
    before = b""
    for number, row in enumerate(rows, start=1):
        if row.number != number or not hmac.compare_digest(row.seal, seal(key, number, before, row.text)):
            raise BudgetError(
                f"ledger: row {number:,} of {len(rows):,} was changed, or belongs to another key. No budget can be "
                "granted on a ledger that was tampered with. Put the newest copies of the ledger and its key back."
            )
        before = row.seal
    if len(rows) < key.rows or (key.rows and rows[key.rows - 1].seal != key.seal):
        raise BudgetError(
            f"ledger: it has {len(rows):,} rows, but {key.rows:,} were written: this is an older copy, or rows were "
            "removed. What was spent cannot be unspent. Put the newest copy of the ledger back."
        )


def reservation_text(dataset: DatasetId, cost: PrivacyCost, release: str, limit: PrivacyCost | None, at: str) -> bytes:
    """The sentence of a reservation."""
    return _text(
        kind="reserved",
        content=dataset.content,
        name=dataset.name,
        cost=_told(cost),
        release=release,
        limit=None if limit is None else _told(limit),
        at=at,
    )


def release_text(number: int, entries: Iterable[Entry], at: str) -> bytes:
    """The sentence that says that a reservation's release was written, and what the data was used for."""
    return _text(kind="released", of=number, reasons=[entry.reason for entry in entries], at=at)


def spendings(rows: Iterable[Row]) -> list[Spending]:
    """What verified rows say."""
    found: dict[int, Spending] = {}
    for row in rows:
        told = json.loads(row.text)
        if told["kind"] == "reserved":
            dataset = DatasetId(told["content"], told["name"])
            cost = PrivacyCost(
                Fraction(told["cost"]["epsilon"]), Fraction(told["cost"]["delta"]), Neighbors[told["cost"]["neighbors"]]
            )
            found[row.number] = Spending(row.number, dataset, cost, told["release"], told["at"])
        else:
            done = replace(found[told["of"]], released_at=told["at"], reasons=tuple(told["reasons"]))
            found[done.number] = done
    return list(found.values())


def of_dataset(dataset: DatasetId, all_spendings: Iterable[Spending]) -> list[Spending]:
    """The spendings on a dataset: those that share its content or its name, or that of one that does, and so on."""
    rest = list(all_spendings)
    known, chosen = {dataset.content, dataset.name} - {None}, []
    while related := [spending for spending in rest if {spending.dataset.content, spending.dataset.name} & known]:
        chosen += related
        rest = [spending for spending in rest if spending not in related]
        known |= {mark for spending in related for mark in (spending.dataset.content, spending.dataset.name) if mark}
    return sorted(chosen, key=lambda spending: spending.number)


def total(history: Iterable[Spending], neighbors: Neighbors) -> PrivacyCost:
    """What spendings cost together, told under one neighboring relation; `BudgetError` where that cannot be told."""
    try:
        costs = [spending.cost.under(neighbors) for spending in history]
    except (ParameterError, InfeasibleError) as error:
        raise BudgetError(f"ledger: earlier releases cannot be told under '{neighbors.value}': {error}") from error
    return sequential([PrivacyCost(Fraction(0), Fraction(0), neighbors), *costs])


def totals(history: Iterable[Spending]) -> list[PrivacyCost]:
    """What spendings cost together, for each neighboring relation that occurs."""
    history = list(history)
    relations = dict.fromkeys(spending.cost.neighbors for spending in history)
    return [sequential(s.cost for s in history if s.cost.neighbors is relation) for relation in relations]


def require_room(before: list[Spending], cost: PrivacyCost, limit: PrivacyCost | None, release: str) -> None:
    """Refuse a cost that would exceed the limit; without a limit, one after which nothing would be promised."""
    if limit is None:
        sequential([cost, *(spent.cost for spent in before if spent.cost.neighbors is cost.neighbors)])
        return
    try:
        asked = cost.under(limit.neighbors)
    except (ParameterError, InfeasibleError) as error:
        raise BudgetError(
            f"release {release!r}: its cost cannot be told under the limit's relation: {error}"
        ) from error
    spent = total(before, limit.neighbors)
    if not sequential([spent, asked]).within(limit):
        raise BudgetError(
            f"release {release!r}: it costs epsilon = {shown(asked.epsilon)}, delta = {shown(asked.delta)}; "
            f"{len(before):,} earlier releases of this dataset took epsilon = {shown(spent.epsilon)}, "
            f"delta = {shown(spent.delta)}; the limit is epsilon = {shown(limit.epsilon)}, "
            f"delta = {shown(limit.delta)} ({limit.neighbors.value}). Nothing was computed. "
            "Lower the cost, or raise the limit if you may."
        )


def _told(cost: PrivacyCost) -> dict[str, str]:
    return {"epsilon": str(cost.epsilon), "delta": str(cost.delta), "neighbors": cost.neighbors.name}


def _text(**fields: object) -> bytes:
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
