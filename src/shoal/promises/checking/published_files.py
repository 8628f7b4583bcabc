"""The files of a release, and whether they belong together."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from shoal.engines.reading.published_source import PublishedParquet
from shoal.errors import DataError, agreeing, listed
from shoal.plan.plan import FORMATS, METADATA
from shoal.promises import signing
from shoal.promises.certificate import CERTIFICATE, Certificate
from shoal.promises.folder import README, SIGNATURE, digest, recipient_note

_ASK = "ask its publisher for the release as `shoal run` wrote it."


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """A release as it lies in a folder.

    Attributes:
        folder: Where it lies.
        data: The table.
        groups: Its distinct records with their counts, if they were published.
        note: What its recipients are told, if they are.
        signature: The signature of the certificate, if there is one.
        content: The certificate as it is written.
        certificate: The certificate.
        table: The table of a database that `data` was fetched from, if it is not in the folder.
        metadata: Descriptions for other programs, if there are some.
    """

    folder: Path
    data: Path
    groups: Path | None
    note: Path | None
    signature: Path | None
    content: bytes
    certificate: Certificate
    table: str | None = None
    metadata: tuple[Path, ...] = ()

    @property
    def where(self) -> Path:
        """The certificate, for messages."""
        return self.folder / CERTIFICATE

    def require_signature(self, key: Path) -> str:
        """Refuse a certificate that the owner of the public key has not signed; the key's fingerprint."""
        public = signing.public_key(key)
        if self.signature is None:
            raise DataError(
                f"{self.where} is not signed: there is no {SIGNATURE} beside it. Ask its publisher for a signed "
                "release, or check without --key."
            )
        signing.require_signed(self.content, _read(self.signature), public, self.where)
        return signing.fingerprint(public)

    def require_whole(self) -> None:
        """Refuse a folder with a file too many or too few, or one that is not the file the certificate tells of."""
        form = self.data.suffix[1:]
        known = {f"data.{form}", f"groups.{form}", CERTIFICATE, SIGNATURE, README, *METADATA.values()}
        known |= {self.groups.name} if self.groups is not None else set()
        strange = sorted(entry.name for entry in self.folder.iterdir() if entry.name not in known)
        if strange:
            raise DataError(
                f"{self.folder} holds {listed(strange)} beside the release, about which nothing is promised; "
                f"take it out, or {_ASK}"
            )
        data = self.data if self.table is None else None
        here = {path.name: path for path in (data, self.groups, self.note, *self.metadata) if path is not None}
        digests = self.certificate.files
        if digests and set(digests) != set(here):
            odd = sorted(set(digests) ^ set(here))
            raise DataError(
                f"{self.where} tells of the files {listed(sorted(digests))}, and {agreeing(odd, 'is', 'are')} there or "
                f"told of alone; {_ASK}"
            )
        changed = [name for name, path in here.items() if digests and _digest(path) != digests[name]]
        if changed:
            raise DataError(
                f"{listed(changed)} is not the file that {self.where} tells of: its digest is another. It was changed "
                f"since; {_ASK}"
                if len(changed) == 1
                else f"{listed(changed)} are not the files that {self.where} tells of: their digests are others. They "
                f"were changed since; {_ASK}"
            )
        self._require_same_note(form)
        for path in (data, self.groups):
            further = PublishedParquet(path).further_metadata() if path and path.suffix == ".parquet" else []
            if further:
                raise DataError(
                    f"{path} carries more than a table: metadata ({listed(further)}), about which nothing is "
                    f"promised; {_ASK}"
                )

    def notes(self, *, is_signed: bool) -> list[str]:
        """What could not be compared."""
        notes = []
        if not self.certificate.files:
            notes.append("the certificate has no digests of the files, as those that `shoal run` writes have")
        if self.signature is not None and not is_signed:
            notes.append(f"{SIGNATURE} is there; only the public key of the publisher (--key) tells what it is worth")
        if not self._is_of_this_version:
            notes.append(
                f"made by Shoal {self.certificate.version}, checked by {version('shoal')}: whether {README} says the "
                "same as the certificate was not looked at"
            )
        return notes

    @property
    def _is_of_this_version(self) -> bool:
        return self.certificate.version == version("shoal")

    def _require_same_note(self, form: str) -> None:
        if self.note is None or not self._is_of_this_version:
            return
        if _read(self.note) != recipient_note(self.certificate, form, self.table).encode():
            raise DataError(f"{self.note} does not say what {self.where} says; {_ASK}")


def published_files(folder: Path, fetched: Path | None = None, table: str | None = None) -> PublishedFiles:
    """The files of a release, as `shoal run` has written them; its records may be `fetched` from a table instead."""
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; expected the folder of a release made by `shoal run`.")
    where = folder / CERTIFICATE
    if not where.exists():
        raise DataError(f"{where} does not exist; expected the folder of a release made by `shoal run`.")
    content = _read(where)
    certificate = Certificate.read(content, where)
    found = [path for ending in FORMATS if (path := folder / f"data.{ending}").exists()]
    if fetched is not None and found:
        raise DataError(f"{folder} has {found[0].name}, so that its records are there; leave out the table.")
    found = found if fetched is None else [fetched]
    if len(found) != 1:
        names = " and ".join(path.name for path in found)
        raise DataError(
            f"{folder} has {f'both {names}' if found else 'no data.csv or data.parquet'}; expected one table, as "
            "`shoal run` writes it, or the table of a database (--database and --table)."
        )

    def there(name: str) -> Path | None:
        return path if (path := folder / name).exists() else None

    groups = next(filter(None, (there(f"groups.{ending}") for ending in FORMATS)), None)
    groups = groups if fetched is not None else there(f"groups{found[0].suffix}")
    metadata = tuple(filter(None, map(there, METADATA.values())))
    return PublishedFiles(
        folder, found[0], groups, there(README), there(SIGNATURE), content, certificate, table, metadata
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def _digest(path: Path) -> str:
    try:
        return digest(path)
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> DataError:
    reason = (error.strerror or type(error).__name__).lower()
    return DataError(f"{path} cannot be read ({reason}); expected a file of a release made by `shoal run`.")
