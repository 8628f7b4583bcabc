"""The books that releases made in Python are paid from: the same as `shoal run` keeps, for the same datasets."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.ledger.fingerprint import Dataset
from shoal.dp.ledger.payment import Payment
from shoal.dp.ledger.store import LedgerStore
from shoal.errors import NoLedgerWarning, ParameterError
from shoal.files.remains import data_folder
from shoal.parameters import read_as, read_parameters

if TYPE_CHECKING:
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.account import Account
    from shoal.engines.reading.source import Source

_NO_CONTENT = b"known by its name alone"


@dataclass(frozen=True, slots=True)
class Ledger:
    """What may be spent on a dataset, and where it is written down; `Ledger.open` makes one.

    A frame is recognized by its values, in whatever format and order they come, and by the name of the dataset, if it
    has one. Give it one: a frame with one row less is another dataset by its values, and the same by its name.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd, shoal
    >>> people = pd.DataFrame({"age": [31, 33, 38, 52, 55, 57] * 50})
    >>> schema = shoal.Schema(person="row").with_column(
    ...     "age", role="quasi-identifier", domain=(0, 110), hierarchy=shoal.intervals(10, 20)
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     ledger = shoal.Ledger.open(folder, dataset="people", limit=shoal.PrivacyCost.of(3, "1e-4"))
    ...     release = shoal.SafePub(epsilon=2, delta="1e-4").anonymize(people, schema, ledger=ledger)
    ...     print(ledger.account().totals()[0])
    epsilon = 2, delta = 0.0001 (add/remove one record)

    Attributes:
        folder: Where the books are.
        dataset: The name of the dataset that releases are about.
        limit: What all releases together may cost. It binds from the first release that is paid under it, also those
            that `shoal run` makes; the smallest ever given binds until `raise_limit`, or `shoal ledger --raise`.
    """

    folder: Path
    dataset: str | None = None
    limit: PrivacyCost | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.dataset is not None and not self.dataset.strip():
            raise ParameterError("Ledger: dataset is empty; give the dataset a name, or none.")

    @staticmethod
    def open(
        folder: str | Path | None = None, *, dataset: str | None = None, limit: PrivacyCost | None = None
    ) -> Ledger:
        """The books in a folder, or in the user's data folder, where `shoal run` keeps them too.

        They are made with the first release that is paid, for their owner alone; a ledger that was tampered with, or
        that others can write to, grants nothing.
        """
        where: Path | None = read_as(Path | None, "folder", folder)
        return Ledger(data_folder() if where is None else where, dataset, limit)

    def account(self, frame: Any = None) -> Account:
        """What was spent on a dataset, and which limits bind: that of the ledger's name, or of a frame, or of both."""
        return self._store.account(self._recognized(frame))

    def raise_limit(self, limit: PrivacyCost, frame: Any = None) -> Account:
        """Set another limit for a dataset in place of all that were set for it before, and write that down."""
        return self._store.raise_limit(self._recognized(frame), read_as(PrivacyCost, "limit", limit))

    def payment(self, source: Source, cost: PrivacyCost, release: str, run: PrivacyCost | None = None) -> Payment:
        """The payment for a release of the records of a source: nothing is taken before its ledger is opened.

        `run` is what the method charges for it, if that is told of other records than the source has.
        """
        dataset = self._dataset(source)
        return Payment(run or cost, lambda: self._store.reserve(dataset, cost, release, limit=self.limit))

    @property
    def _store(self) -> LedgerStore:
        return LedgerStore(self.folder)

    def _recognized(self, frame: Any) -> Dataset:
        from shoal.engines.opening import engine_of_frame

        if frame is not None:
            return self._dataset(engine_of_frame(frame)[0])
        if self.dataset is None:
            raise ParameterError(
                "Ledger: this ledger has no name for its dataset; give the frame that is asked about, or open it with "
                "dataset=."
            )
        return Dataset(_NO_CONTENT, self.dataset)

    def _dataset(self, source: Source) -> Dataset:
        from shoal.engines.reading.recognizing import dataset_of

        return dataset_of(source, self.dataset)


@dataclass(slots=True)
class _Default:
    """What releases are paid from that name no ledger."""

    ledger: Ledger | None = None
    is_chosen: bool = False


_DEFAULT = _Default()


class Setting:
    """A default ledger that was set: as a context, the one before it comes back in the end."""

    def __init__(self, ledger: Ledger | None, *, is_chosen: bool) -> None:
        self._before = (ledger, is_chosen)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _DEFAULT.ledger, _DEFAULT.is_chosen = self._before


def set_ledger(ledger: Ledger | None) -> Setting:
    """From here on, in the whole process, releases that cost something are paid from this ledger unless they name one.

    `with shoal.set_ledger(ledger):` does so for a block. None says that nobody keeps books here, such as in a test.
    """
    chosen: Ledger | None = read_as(Ledger | None, "ledger", ledger)
    setting = Setting(_DEFAULT.ledger, is_chosen=_DEFAULT.is_chosen)
    _DEFAULT.ledger, _DEFAULT.is_chosen = chosen, True
    return setting


def chosen_ledger(method: str, given: Ledger | None, coins: Coins | None) -> Ledger | None:
    """The ledger that a release is to be paid from, if there is one; if nobody said that there is none, a warning.

    A test run is not paid for: whoever knows the seed can subtract the noise, so no cost would be true.
    """
    ledger: Ledger | None = read_as(Ledger | None, "ledger", given) or _DEFAULT.ledger
    is_seeded = coins is not None and coins.seeded
    if ledger is not None and is_seeded:
        raise ParameterError(
            f"{method}: seeded coins are for tests and protect nobody, so that no ledger can say what they cost; leave "
            "out the coins, or the ledger (shoal.set_ledger(None) if it is the default)."
        )
    if ledger is None and not is_seeded and not _DEFAULT.is_chosen:
        warnings.warn(
            f"{method}: no ledger was given, so nothing adds up what this release and others of the same records give "
            "away together; say ledger=shoal.Ledger.open(dataset=...), or shoal.set_ledger(...) once, with None if "
            "nobody is to keep books.",
            NoLedgerWarning,
            stacklevel=4,
        )
    return ledger
