"""The folder of uploads and results: only its owner can enter it, and it is gone when the page is.

A page that is killed cannot tidy up. Its folder stays locked as long as it lives, and what nobody holds a lock on any
more is removed when the page is started next.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import OutputError
from shoal.files.folders import explained
from shoal.files.owner_only import keep_for_owner, open_to_others, owners_folder

_LOCK = "lock"


def default_base() -> Path:
    """`$XDG_CACHE_HOME/shoal/serve`, or `~/.cache/shoal/serve`."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "shoal" / "serve"


@contextmanager
def private_folder(base: Path | None = None) -> Iterator[Path]:
    """A new folder for one page, removed at the end; what earlier ones left behind is removed now.

    Temporary files of the process go there, too.
    """
    base = default_base() if base is None else base
    try:
        base.mkdir(parents=True, exist_ok=True)
        keep_for_owner(base)
        found = open_to_others(base)
    except OSError as error:
        raise explained(error, base) from None
    if found is not None:
        raise OutputError(f"{base}: {found}.")
    with _locked(base / _LOCK, waits=True):  # nobody removes a folder that is not locked yet
        remove_abandoned(base)
        folder = owners_folder(base / secrets.token_hex(8))
        held = _take(folder / _LOCK, waits=False)
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def remove_abandoned(base: Path) -> int:
    """Remove the folders of pages that no longer run; how many there were."""
    removed = 0
    for folder in base.iterdir():
        if not folder.is_dir() or folder.is_symlink():
            continue
        held = _take(folder / _LOCK, waits=False)
        if held is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(held)
            removed += 1
    return removed


@contextmanager
def _locked(path: Path, *, waits: bool) -> Iterator[None]:
    held = _take(path, waits=waits)
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


def _take(path: Path, *, waits: bool) -> int | None:
    """Lock a file for as long as it stays open; None if somebody else holds it."""
    import fcntl

    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        return None
    return handle
