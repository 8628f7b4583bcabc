"""Files and folders for the owner's eyes alone: 600 and 700, whatever the umask.

A umask says what an account usually shares; what was computed from original records is never shared by habit. Where a
system knows no permission bits (`os.name` is not "posix") nothing is promised.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def owners_folder(path: Path) -> Path:
    """Make a folder that only its owner can enter; the folders above it must exist."""
    path.mkdir(mode=0o700)
    keep_for_owner(path)
    return path


def owners_file(path: Path) -> Path:
    """Make an empty file that only its owner can read; whatever then writes to that path leaves it so.

    A file that is there is emptied first and then closed to others, so nothing is ever written to an open one.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), 0o600)
    os.close(handle)
    keep_for_owner(path)
    return path


def write_for_owner(path: Path, text: str) -> None:
    """Write a text that only the owner may read."""
    owners_file(path).write_text(text, encoding="utf-8")


def keep_for_owner(path: Path) -> None:
    """Close a file or folder to everybody else; a device such as /dev/stdout stays what it is."""
    if os.name != "posix":
        return
    mode = path.stat().st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        wanted = stat.S_IMODE(mode) & ~_OTHERS | (stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR | stat.S_IWUSR)
        if wanted != stat.S_IMODE(mode):
            path.chmod(wanted)


def ordinary_mode(folder: Path) -> int:
    """The mode that a new folder in `folder` would usually have.

    The file system is asked, because asking for the umask changes it for a moment, for all threads.
    """
    probe = folder / "mode"
    probe.mkdir()
    try:
        return stat.S_IMODE(probe.stat().st_mode)
    finally:
        probe.rmdir()


def open_to_others(path: Path) -> str | None:
    """How others can write to a file or folder, in words with what to do about it; None if they cannot.

    The superuser always can and is not meant.
    """
    if os.name != "posix":
        return None
    found = path.stat()
    if found.st_uid != os.geteuid():
        return (
            f"it belongs to another user (number {found.st_uid}; you are {os.geteuid()}), who can change it at any "
            "time. Make it yours with chown, or work as that user"
        )
    if found.st_mode & _OTHERS_WRITE:
        kind, wanted = ("folder", "700") if stat.S_ISDIR(found.st_mode) else ("file", "600")
        return (
            f"others on this machine may write to it (mode {stat.S_IMODE(found.st_mode):o}, expected {wanted}). Check "
            f"that nobody has, then run chmod {wanted} on this {kind}"
        )
    return None
