"""Rows of a persistent ledger: what they say, and how each is sealed to the one before.

A row is a sentence in JSON and a seal, HMAC-SHA256 over the row's number, the seal before it and the sentence. Rows are
only ever added: a reservation, later perhaps the news that its release was written; and now and then the owner's word
that a limit is another one from here on. What a reservation took stays taken.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shoal.data.unit import Unit
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shoal.dp.ledger.fingerprint import Dataset
    from shoal.dp.ledger.key import LedgerKey
    from shoal.dp.ledger.ledger import Entry


@dataclass(frozen=True, slots=True)
class Row:
    """One sealed sentence."""

    number: int
    text: bytes
    seal: bytes


@dataclass(frozen=True, slots=True)
class DatasetId:
    """Keyed fingerprints of a dataset's bytes, its values and the name its owner gives it: meaningless without the key.

    Two datasets are the same if any of these is the same, also by way of a third.
    """

    content: str
    name: str | None = None
    values: tuple[str, ...] = ()

    @property
    def marks(self) -> set[str]:
        """All that it may be recognized by."""
        return {self.content, *self.values} | (set() if self.name is None else {self.name})


@dataclass(frozen=True, slots=True)
class Spending:
    """What one release took from the budget of its dataset."""

    number: int
    dataset: DatasetId
    cost: PrivacyCost
    release: str
    reserved_at: str
    limit: PrivacyCost | None = None
    """The limit that was set with it, if one was."""
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
            "neighbors": self.cost.neighbors.of(self.cost.unit),
            **({"protected": sorted(self.cost.protected)} if self.cost.protected else {}),
            **({"max_records": self.cost.max_records} if self.cost.max_records else {}),
            "reserved_at": self.reserved_at,
            "released_at": self.released_at,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True)
class Raise:
    """The owner's word that from here on another limit holds for a dataset."""

    number: int
    dataset: DatasetId
    limit: PrivacyCost
    lifted: frozenset[int]
    """The rows whose limits no longer hold."""
    at: str


def identify(dataset: Dataset, key: LedgerKey) -> DatasetId:
    """Fingerprints that say nothing to whoever does not hold the key."""
    name = None if dataset.name is None else key.sign("name", dataset.name.strip().casefold().encode()).hex()
    values = tuple(key.sign("values", digest).hex() for digest in dataset.values)
    return DatasetId(key.sign("content", dataset.content).hex(), name, values)


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
        **_marks(dataset),
        cost=_as_row(cost),
        release=release,
        limit=None if limit is None else _as_row(limit),
        at=at,
    )


def release_text(number: int, entries: Iterable[Entry], at: str) -> bytes:
    """The sentence that says that a reservation's release was written, and what the data was used for."""
    return _text(kind="released", of=number, reasons=[entry.reason for entry in entries], at=at)


def raise_text(dataset: DatasetId, limit: PrivacyCost, lifted: Iterable[int], at: str) -> bytes:
    """The sentence that says that another limit holds from here on, and whose limits no longer do."""
    return _text(kind="raised", **_marks(dataset), limit=_as_row(limit), lifted=sorted(lifted), at=at)


def events(rows: Iterable[Row]) -> list[Spending | Raise]:
    """What verified rows say."""
    found: dict[int, Spending | Raise] = {}
    for row in rows:
        try:
            _add(found, row)
        except (KeyError, TypeError, ValueError, AttributeError):  # the key says that it was not changed
            raise BudgetError(
                f"ledger: row {row.number:,} says what this version of Shoal does not know; a later one wrote it. No "
                "budget can be granted by half of a ledger. Use that version, or a newer one."
            ) from None
    return list(found.values())


def _add(found: dict[int, Spending | Raise], row: Row) -> None:
    """Take in what one more row says."""
    fields = json.loads(row.text)
    match fields["kind"]:
        case "released":
            spending = found[fields["of"]]
            assert isinstance(spending, Spending)
            found[fields["of"]] = replace(spending, released_at=fields["at"], reasons=tuple(fields["reasons"]))
        case "raised":
            limit = _cost(fields["limit"], row.number)
            found[row.number] = Raise(row.number, _dataset(fields), limit, frozenset(fields["lifted"]), fields["at"])
        case "reserved":
            limited = None if fields["limit"] is None else _cost(fields["limit"], row.number)
            cost = _cost(fields["cost"], row.number)
            found[row.number] = Spending(row.number, _dataset(fields), cost, fields["release"], fields["at"], limited)
        case _:
            raise ValueError


def _dataset(fields: Mapping[str, Any]) -> DatasetId:
    return DatasetId(fields["content"], fields["name"], tuple(fields.get("values", ())))


def of_dataset(dataset: DatasetId, everything: Iterable[Spending | Raise]) -> list[Spending | Raise]:
    """What concerns a dataset: all that shares its bytes, values or name, or those of one that does, and so on."""
    rest = [(event, event.dataset.marks) for event in everything]
    known, chosen = dataset.marks, []
    while related := [(event, marks) for event, marks in rest if not marks.isdisjoint(known)]:
        chosen += [event for event, _ in related]
        rest = [(event, marks) for event, marks in rest if marks.isdisjoint(known)]
        known = known.union(*(marks for _, marks in related))
    return sorted(chosen, key=lambda event: event.number)


def _as_row(cost: PrivacyCost) -> dict[str, object]:
    fields: dict[str, object] = {
        "epsilon": str(cost.epsilon),
        "delta": str(cost.delta),
        "neighbors": cost.neighbors.name,
    }
    fields |= {"protected": sorted(cost.protected)} if cost.protected else {}
    if cost.unit is not Unit.RECORD:  # a row that does not say is about records
        fields |= {"unit": cost.unit.name, "max_records": cost.max_records}
    return fields


def _cost(fields: Mapping[str, Any], number: int) -> PrivacyCost:
    """A cost or limit as a row tells it."""
    neighbors, protected = Neighbors[fields["neighbors"]], frozenset(fields.get("protected", ()))
    if neighbors is Neighbors.ATTRIBUTES and not protected:  # an older row: it adds up with no other
        protected = frozenset({f"columns that row {number} does not name"})
    unit, most = Unit[fields.get("unit", Unit.RECORD.name)], fields.get("max_records")
    return _cost_of(fields["epsilon"], fields["delta"], neighbors, protected, unit, most)


@lru_cache(maxsize=1024)  # most releases of a dataset cost the same
def _cost_of(
    epsilon: str, delta: str, neighbors: Neighbors, protected: frozenset[str], unit: Unit, most: int | None
) -> PrivacyCost:
    return PrivacyCost(Fraction(epsilon), Fraction(delta), neighbors, protected, unit, most)


def _marks(dataset: DatasetId) -> dict[str, object]:
    return {"content": dataset.content, "name": dataset.name, "values": list(dataset.values)}


def _text(**fields: object) -> bytes:
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
