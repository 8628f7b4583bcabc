"""The secret of a ledger store, and how far its ledger had come when it was last written.

The secret makes fingerprints meaningless to others and rows unforgeable without it. The mark (number of rows and the
seal of the last one) lets an older copy of the ledger be recognized. Both live in one small file that only its owner
can read.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shoal.errors import BudgetError
from shoal.files.owner_only import owners_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class LedgerKey:
    """A secret and a mark."""

    secret: bytes
    rows: int = 0
    seal: bytes = b""

    @classmethod
    def new(cls) -> LedgerKey:
        """A fresh secret from the operating system."""
        return cls(secrets.token_bytes(32))

    def sign(self, purpose: str, *parts: bytes) -> bytes:
        """HMAC-SHA256 of the parts, each with its length, so that no two lists of parts give the same text."""
        text = b"".join(len(part).to_bytes(8, "big") + part for part in (purpose.encode(), *parts))
        return hmac.new(self.secret, text, hashlib.sha256).digest()

    def advanced(self, rows: int, seal: bytes) -> LedgerKey:
        """The same secret with a later mark."""
        return replace(self, rows=rows, seal=seal)

    def to_json(self) -> str:
        """As it stands in the key file."""
        mark = self.sign("mark", str(self.rows).encode(), self.seal)
        fields = {"secret": self.secret, "seal": self.seal, "mark": mark}
        return json.dumps(
            {"version": _VERSION, "rows": self.rows} | {name: value.hex() for name, value in fields.items()}
        )

    @classmethod
    def from_json(cls, text: str) -> LedgerKey:
        """Read what `to_json` wrote; ValueError if a character of it changed."""
        fields: dict[str, Any] = json.loads(text)
        key = cls(bytes.fromhex(fields["secret"]), int(fields["rows"]), bytes.fromhex(fields["seal"]))
        if len(key.secret) != 32 or key.to_json() != text:  # the text ends in a signature of the mark
            raise ValueError
        return key


_VERSION = 1


def _version(text: str) -> int:
    fields = json.loads(text)
    return fields["version"] if isinstance(fields["version"], int) else _VERSION


def read_key(path: Path) -> LedgerKey | None:
    """The key in the file, or nothing if there is no file."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BudgetError(
            f"ledger key {str(path)!r}: cannot be read ({error}). Restore the file or its permissions; without the "
            "key no budget can be granted."
        ) from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BudgetError(
            f"ledger key {str(path)!r}: others on this machine may read it (mode {stat.S_IMODE(mode):o}, expected "
            "600). Run chmod 600 on it, or keep the store on a file system that knows permissions."
        )
    try:
        if _version(text) > _VERSION:
            raise BudgetError(
                f"ledger key {str(path)!r}: a later version of Shoal wrote it, and this one cannot read it. Use that "
                "version, or a newer one."
            )
        return LedgerKey.from_json(text)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise BudgetError(
            f"ledger key {str(path)!r}: the file is damaged or was edited. Restore the newest copy of it; without "
            "the key no budget can be granted."
        ) from None


def write_key(path: Path, key: LedgerKey) -> None:
    """Replace the file in one step, durably, readable by its owner only; called under the lock of its store.

    A draft that is there is that of a process that was killed.
    """
    for left in path.parent.glob(f"{path.name}.{'[0-9a-f]' * 8}"):
        left.unlink(missing_ok=True)
    _write_key(path, key, lambda draft: draft.replace(path))


def write_first_key(path: Path, key: LedgerKey) -> LedgerKey:
    """Make the file likewise, unless there is one by now, for two runs may begin at once; the key that is in it."""

    def place(draft: Path) -> None:
        try:
            path.hardlink_to(draft)  # in one step, and only if nobody came before
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            if not path.exists():
                draft.replace(path)
                return
        draft.unlink()

    _write_key(path, key, place)
    return read_key(path) or key


def _write_key(path: Path, key: LedgerKey, place: Callable[[Path], object]) -> None:
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        with owners_file(draft).open("w", encoding="ascii") as file:
            file.write(key.to_json())
            file.flush()
            os.fsync(file.fileno())
        place(draft)
        _sync_folder(path.parent)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise BudgetError(
            f"ledger key {str(path)!r}: cannot be written ({error.strerror}). Check that the folder is writable and "
            "the disk is not full."
        ) from error


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened, and renaming is durable by itself
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
