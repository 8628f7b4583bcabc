"""One folder in another's place, in one step: whoever looks sees the old one or the new one, never neither."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_HERE = -100  # AT_FDCWD: relative paths are relative to the working folder


@dataclass(frozen=True, slots=True)
class Replacement:
    """A folder that is complete, and the name it is to have.

    Attributes:
        folder: Where it is until then; what had the name is there afterwards.
        target: The name.
        number: The folder's number in the file system, by which it is known under either name.
        replaces: Whether it may take a name that another folder has.
        mode: The mode it is to have; None if it stays.
    """

    folder: Path
    target: Path
    number: int
    replaces: bool
    mode: int | None = None

    @classmethod
    def of(cls, folder: Path, target: Path, mode: int | None = None, *, replaces: bool = True) -> Replacement:
        """With the number that the folder has."""
        return cls(folder.absolute(), target.absolute(), folder.stat().st_ino, replaces, mode)

    @property
    def is_done(self) -> bool:
        """Whether the folder has its name."""
        return self.target.is_dir() and self.target.stat().st_ino == self.number

    def as_json(self) -> list[Any]:
        """As it stands in a note."""
        return [str(self.folder), str(self.target), self.number, self.replaces, self.mode]

    @classmethod
    def of_json(cls, said: list[Any]) -> Replacement:
        """As it was noted."""
        folder, target, number, replaces, mode = said
        return cls(Path(folder), Path(target), int(number), bool(replaces), None if mode is None else int(mode))


def finish(one: Replacement) -> None:
    """Give a folder its name, unless it has it; what had the name is where the folder was.

    FileExistsError if somebody else has taken the name since, and it may not be replaced.
    """
    if not one.is_done and one.folder.is_dir() and one.folder.stat().st_ino == one.number:
        if not one.replaces and one.target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        _place(one.folder, one.target)
    if one.mode is not None and one.is_done:
        one.target.chmod(one.mode)


def undo(one: Replacement) -> None:
    """Take the name back, if it was given."""
    if one.is_done:
        _place(one.target, one.folder)


def _place(source: Path, target: Path) -> None:
    if not target.exists():
        source.rename(target)
    elif not _exchanged(source, target):
        aside = source.with_name(f"{source.name}-{os.urandom(4).hex()}")
        target.rename(aside)
        source.rename(target)
        aside.rename(source)


def _exchanged(one: Path, other: Path) -> bool:
    """Let two names change places at once; False where the system or the file system cannot."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        paths = os.fsencode(one), os.fsencode(other)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*paths, ctypes.c_uint(_EXCHANGE)) == 0)
        return bool(library.renameat2(_HERE, paths[0], _HERE, paths[1], ctypes.c_uint(_EXCHANGE)) == 0)
    except (OSError, AttributeError):
        return False
