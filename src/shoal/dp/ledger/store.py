"""What has been spent on a dataset over all its releases, kept on disk so that budget can be lost but never regained.

A release reserves its whole cost first. Only when the reservation is durable is anything private computed; when the
release is written, that is noted too. A crash in between leaves the reservation standing. What this protects against,
and what it cannot: `docs/ledger.md`.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import warnings
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from shoal.dp.ledger.account import Account
from shoal.dp.ledger.key import LedgerKey, read_key, write_key
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.ledger.rows import (
    DatasetId,
    Row,
    events,
    identify,
    of_dataset,
    raise_text,
    release_text,
    reservation_text,
    seal,
    verify,
)
from shoal.errors import BudgetError, NotNotedWarning
from shoal.files.owner_only import keep_for_owner, open_to_others, owners_folder
from shoal.files.remains import data_folder
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.dp.ledger.fingerprint import Dataset
    from shoal.dp.ledger.rows import Spending

_LAYOUT = "CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, text BLOB NOT NULL, seal BLOB NOT NULL)"


@dataclass(frozen=True, slots=True)
class LedgerStore:
    """The ledgers of all datasets of one owner: a small SQLite file and a key beside it.

    >>> from tempfile import TemporaryDirectory
    >>> from shoal.dp.ledger.fingerprint import Dataset
    >>> from shoal.dp.accounting.cost import PrivacyCost
    >>> people = Dataset(b"digest of people.csv", name="people")
    >>> with TemporaryDirectory() as folder:
    ...     store = LedgerStore(Path(folder))
    ...     with store.reserve(people, PrivacyCost.of(1), "release/", limit=PrivacyCost.of(2)) as reservation:
    ...         reservation.ledger.charge(PrivacyCost.of(1), "count")
    ...     [(spending.release, str(spending.cost)) for spending in store.history(people)]
    [('release/', 'epsilon = 1, delta = 0 (add/remove one record)')]
    """

    folder: Path = field(default_factory=data_folder)
    patience: float = 60.0
    """Seconds to wait for another process that is writing."""

    def __post_init__(self) -> None:
        read_parameters(self)

    @property
    def ledger_path(self) -> Path:
        """The SQLite file."""
        return self.folder / "ledger.sqlite3"

    @property
    def key_path(self) -> Path:
        """The secret and the mark, readable by the owner only."""
        return self.folder / "ledger.key"

    @property
    def _command(self) -> str:
        """What an owner types to see a dataset in these books: elsewhere than in the usual folder, they are named."""
        place = "" if self.folder == data_folder() else f" --store {shlex.quote(str(self.folder))}"
        return f"shoal ledger DATA{place}"

    def reserve(
        self, dataset: Dataset, cost: PrivacyCost, release: str, *, limit: PrivacyCost | None = None
    ) -> Reservation:
        """Take the whole cost of a release from the budget, durably, before anything private is computed.

        A limit given here binds all later releases of the dataset, also those that give none; the smallest ever given
        binds until `raise_limit`. Raises `BudgetError` and takes nothing if a limit would be exceeded, if the cost or
        what was spent before cannot be told under the limit's neighboring relation, if nothing would bound what all
        releases give away together, or if the ledger cannot be trusted.
        """
        with self._writing() as (connection, key):
            rows = _read(connection)
            verify(rows, key)
            known = identify(dataset, key)
            _account(rows, known).require_room(cost, limit, release, self._command)
            number = _append(connection, key, rows, reservation_text(known, cost, release, limit, _now()))
        self._settle(number)
        return Reservation(self, number, Ledger(limit=cost))

    def require_room(
        self, dataset: Dataset, cost: PrivacyCost, release: str, *, limit: PrivacyCost | None = None
    ) -> Account:
        """Refuse what `reserve` would refuse, and take nothing; the account as it stands. Writes nothing."""
        account = self.account(dataset)
        account.require_room(cost, limit, release, self._command)
        return account

    def raise_limit(self, dataset: Dataset, limit: PrivacyCost) -> Account:
        """Set another limit for a dataset in place of all that were set for it before, and write that down.

        Returns the account as it is then. Refuses a limit that is exceeded already or that cannot be told under the
        relations of what was spent.
        """
        with self._writing() as (connection, key):
            rows = _read(connection)
            verify(rows, key)
            known = identify(dataset, key)
            account = _account(rows, known)
            account.require_sense(limit)
            lifted = [set_before.number for set_before in account.limits]
            number = _append(connection, key, rows, raise_text(known, limit, lifted, _now()))
        self._settle(number)
        return self.account(dataset)

    def note_release(self, reservation: Reservation) -> None:
        """Note that the release of a reservation was written."""
        with self._writing() as (connection, key):
            rows = _read(connection)
            verify(rows, key)
            text = release_text(reservation.number, reservation.ledger.entries, _now())
            number = _append(connection, key, rows, text)
        self._settle(number)

    def history(self, dataset: Dataset) -> tuple[Spending, ...]:
        """Everything that was ever taken from the budget of a dataset, oldest first. Writes nothing."""
        return self.account(dataset).spendings

    def account(self, dataset: Dataset) -> Account:
        """What was taken from the budget of a dataset, and which limits bind. Writes nothing."""
        self._require_ours()
        key = read_key(self.key_path)  # before the rows, which only grow
        rows: list[Row] = []
        if self.ledger_path.exists():
            with self._connected() as connection:
                rows = _read(connection)
        if key is None:
            if rows:
                raise self._missing_key()
            return Account()
        verify(rows, key)
        return _account(rows, identify(dataset, key))

    def _settle(self, number: int) -> None:
        """Raise the mark in the key file to the rows now written; the lock keeps two processes from lowering it."""
        with self._writing() as (connection, key):
            rows = _read(connection)
            verify(rows, key)
            if len(rows) < number:
                raise BudgetError(
                    f"ledger {str(self.ledger_path)!r}: a row just written is gone: the file was replaced meanwhile. "
                    "Nothing was computed. Put the newest copy back and run again."
                )
            write_key(self.key_path, key.advanced(len(rows), rows[-1].seal))

    @contextmanager
    def _writing(self) -> Iterator[tuple[sqlite3.Connection, LedgerKey]]:
        """Hold the ledger's write lock; commit durably if all goes well, else leave it as it was."""
        try:
            for absent in [path for path in (*reversed(self.folder.parents), self.folder) if not path.exists()]:
                with suppress(FileExistsError):  # another process may have been quicker
                    owners_folder(absent)
            os.close(os.open(self.ledger_path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise BudgetError(
                f"ledger {str(self.ledger_path)!r}: cannot be written ({error.strerror}). "
                "Check the folder's permissions, or keep the store elsewhere."
            ) from error
        self._require_ours()
        keep_for_owner(self.ledger_path)
        with self._connected() as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = EXTRA")  # the journal's removal is synced too
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute(_LAYOUT)
                yield connection, self._key(connection)
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise

    def _require_ours(self) -> None:
        """Refuse a store that somebody else can write to: there a ledger can be taken away or put back."""
        for path in (self.folder, self.ledger_path, self.key_path):
            found = open_to_others(path) if path.exists() else None
            if found is not None:
                raise BudgetError(f"ledger {str(path)!r}: {found}; until then no budget can be granted.")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            address = f"{self.ledger_path.absolute().as_uri()}?mode=rw"
            with closing(sqlite3.connect(address, uri=True, timeout=self.patience, isolation_level=None)) as connection:
                connection.execute("PRAGMA trusted_schema = OFF")
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite may tell what is damaged in damaged letters
            if "locked" in str(error) or "busy" in str(error):
                raise BudgetError(
                    f"ledger {str(self.ledger_path)!r}: another process has been writing for more than "
                    f"{self.patience:g} seconds. Nothing was computed. Run again when it has finished."
                ) from error
            if "disk is full" in str(error):
                raise BudgetError(
                    f"ledger {str(self.ledger_path)!r}: there is no space left to write it. Free some space and try "
                    "again."
                ) from error
            raise BudgetError(
                f"ledger {str(self.ledger_path)!r}: cannot be read ({error}): it is damaged or no ledger. "
                "No budget can be granted. Put the newest copy back, or keep the store elsewhere."
            ) from error

    def _key(self, connection: sqlite3.Connection) -> LedgerKey:
        """The key, made on first use; called under the write lock."""
        key = read_key(self.key_path)
        if key is None:
            if _read(connection):
                raise self._missing_key()
            key = LedgerKey.new()
            write_key(self.key_path, key)
        return key

    def _missing_key(self) -> BudgetError:
        return BudgetError(
            f"ledger {str(self.ledger_path)!r}: its key {str(self.key_path)!r} is missing, so nothing in it can be "
            "checked and no budget can be granted. Put the key back; a ledger cannot be moved without it."
        )


@dataclass(frozen=True, slots=True)
class Reservation:
    """A cost that is already taken. As a context: left without an error, the release counts as written."""

    store: LedgerStore
    number: int
    ledger: Ledger
    """May spend what was reserved and no more."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.ledger.close()
        if kind is not None:
            return
        try:
            self.store.note_release(self)
        except BudgetError as unnoted:  # the release is there, whole and paid for
            warnings.warn(
                f"the release was written, and its ledger could not note that: {unnoted} What it cost counts all the "
                "same.",
                NotNotedWarning,
                stacklevel=2,
            )


def _read(connection: sqlite3.Connection) -> list[Row]:
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'rows'").fetchone() is None:
        return []
    found = connection.execute("SELECT number, text, seal FROM rows ORDER BY number").fetchall()
    return [Row(number, *(value if isinstance(value, bytes) else b"" for value in rest)) for number, *rest in found]


def _account(rows: list[Row], known: DatasetId) -> Account:
    return Account(tuple(of_dataset(known, events(rows))))


def _append(connection: sqlite3.Connection, key: LedgerKey, rows: list[Row], text: bytes) -> int:
    number = len(rows) + 1
    mark = seal(key, number, rows[-1].seal if rows else b"", text)
    connection.execute("INSERT INTO rows VALUES (?, ?, ?)", (number, text, mark))
    return number


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
