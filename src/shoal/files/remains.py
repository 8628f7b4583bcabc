"""What a run that is killed leaves behind, and how the next command clears it away.

Who is killed cannot tidy up. So a process notes whatever it makes under a name that is not to stay, before it makes it,
in a file of the user's data folder that it keeps locked for as long as it lives. A note that nobody holds is that of a
dead process: what it tells of is removed, and a replacement that had been decided is finished.
"""

from __future__ import annotations

import atexit
import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import OutputError
from shoal.files.exchanging import Replacement, finish
from shoal.files.owner_only import keep_for_owner, open_to_others, owners_folder

_OURS = re.compile(r"\.?.+-[0-9a-f]{8,}")
"""What a name looks like that is not to stay: nothing else is ever removed."""


def data_folder() -> Path:
    """`$XDG_DATA_HOME/shoal`, or `~/.local/share/shoal`."""
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local" / "share") / "shoal"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for what does not fit into memory: for the owner alone, gone at the end, also after a kill."""
    folder = Path(tempfile.gettempdir()) / f"shoal-{secrets.token_hex(8)}"
    note(folder)
    try:
        yield owners_folder(folder)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise OutputError(
            f"there is no space left in the temporary folder {folder.parent}; nothing was written. Free some space "
            "there, or set TMPDIR to another folder."
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        settle()


@contextmanager
def claimed(target: Path) -> Iterator[None]:
    """For a while nobody else writes there: a second run is refused before it has cost anything.

    Nothing is claimed where files cannot be locked.
    """
    path = _folder() / f"{hashlib.sha256(os.fsencode(target.resolve())).hexdigest()[:32]}.claim"
    try:
        held = None if _notes() is None else _claim(path)
    except BlockingIOError:
        raise OutputError(
            f"{target} is being written by another run; wait for it, or choose another place with -o."
        ) from None
    except OSError:
        held = None
    try:
        yield
    finally:
        if held is not None:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            os.close(held)


def _claim(path: Path) -> int:
    """The file of a claim, locked; BlockingIOError if another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | _CLOSED_IN_CHILDREN, 0o600)
        if not _locked(handle):
            os.close(handle)
            raise BlockingIOError
        with suppress(FileNotFoundError):
            if os.fstat(handle).st_ino == path.stat().st_ino:  # else the one before has removed it since
                return handle
        os.close(handle)


def note(path: Path) -> None:
    """Say that something is about to be made here that must not stay if this process dies."""
    if (notes := _notes()) is not None:
        notes.there.add(path.absolute())
        notes.write({"made": str(path.absolute())})


def promise(replacements: Iterable[Replacement]) -> None:
    """Say that these will be in place of what is there: from now on they are, whoever has to finish it."""
    if (notes := _notes()) is not None:
        notes.write({"replaced": [one.as_json() for one in replacements]})


def leave(paths: Iterable[Path]) -> None:
    """Say that these are no longer to be removed: somebody else answers for them."""
    if (notes := _notes()) is not None:
        notes.there.difference_update(path.absolute() for path in paths)
        notes.write({"left": [str(path.absolute()) for path in paths]})


def settle() -> None:
    """What is gone needs no note any more."""
    if _MINE and _MINE[0].process == os.getpid():
        _MINE[0].forget_what_is_gone()


def clear_away() -> int:
    """Finish and remove what dead processes of this user left; how many of them there were."""
    folder, dead = _folder(), 0
    try:
        if not folder.is_dir() or open_to_others(folder) is not None:  # then anybody could have written there
            return 0
        for path in [path for path in folder.iterdir() if path.suffix == ".notes"]:
            held = _taken(path)
            if held is not None:
                _clear(path)
                path.unlink(missing_ok=True)
                os.close(held)
                dead += 1
    except OSError:
        return dead
    return dead


@dataclass(slots=True)
class _Notes:
    """The notes of this process: a file that is locked as long as it is open."""

    path: Path
    handle: int
    process: int
    there: set[Path] = field(default_factory=set)

    def write(self, said: object) -> None:
        with suppress(OSError):  # a full disk is no reason to fail: nothing but tidiness is lost
            os.write(self.handle, json.dumps(said).encode() + b"\n")

    def forget_what_is_gone(self) -> None:
        self.there = {path for path in self.there if os.path.lexists(path)}
        if not self.there:
            with suppress(OSError):
                os.ftruncate(self.handle, 0)

    def close(self) -> None:
        if self.process != os.getpid():  # a child has its own
            return
        self.forget_what_is_gone()
        if not self.there:
            self.path.unlink(missing_ok=True)


_MINE: list[_Notes] = []


def _notes() -> _Notes | None:
    """The notes of this process, begun when they are first needed; None where they cannot be kept."""
    if _MINE and _MINE[0].process == os.getpid() and _MINE[0].path.exists():
        return _MINE[0]
    _MINE.clear()
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        keep_for_owner(folder)
        if open_to_others(folder) is not None:
            return None
        clear_away()
        draft = folder / f"{secrets.token_hex(8)}.new"
        handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | _CLOSED_IN_CHILDREN, 0o600)
        if not _locked(handle):
            draft.unlink()
            os.close(handle)
            return None
        path = draft.rename(draft.with_suffix(".notes"))  # nobody takes what is not locked yet
    except OSError:
        return None
    _MINE.append(_Notes(path, handle, os.getpid()))
    atexit.register(_MINE[0].close)
    return _MINE[0]


_CLOSED_IN_CHILDREN = getattr(os, "O_CLOEXEC", 0)


def _folder() -> Path:
    return data_folder() / "running"


def _taken(path: Path) -> int | None:
    """The file, locked; None if its process lives."""
    handle = os.open(path, os.O_RDWR | _CLOSED_IN_CHILDREN | getattr(os, "O_NOFOLLOW", 0))
    if _locked(handle):
        return handle
    os.close(handle)
    return None


def _locked(handle: int) -> bool:
    if os.name != "posix":
        return False  # no lock that ends with its process, so nothing is noted
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _clear(path: Path) -> None:
    """Do what the notes of a dead process ask for."""
    made: dict[Path, None] = {}
    promised: list[Replacement] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            said = json.loads(line)
            if "made" in said:
                made[Path(said["made"])] = None
            for left in said.get("left", ()):
                made.pop(Path(left), None)
            if "replaced" in said:
                promised = [Replacement.of_json(one) for one in said["replaced"]]
        except (ValueError, TypeError, KeyError, AttributeError):  # it was being written
            break
    for one in promised:
        with suppress(OSError):
            finish(one)
    for there in made:
        with suppress(OSError):
            found = there.lstat()
            if not _OURS.fullmatch(there.name) or (os.name == "posix" and found.st_uid != os.geteuid()):
                continue
            if there.is_dir() and not there.is_symlink():
                shutil.rmtree(there, ignore_errors=True)
            else:
                there.unlink()
