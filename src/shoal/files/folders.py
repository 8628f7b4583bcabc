"""Folders that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import OutputError, listed
from shoal.files import remains
from shoal.files.exchanging import Replacement, finish, undo
from shoal.files.owner_only import ordinary_mode, owners_folder


def named_folder(path: Path) -> Path:
    """The same folder with its name as the last part of the path: no trailing slash, no dots."""
    path = path if path.name not in ("", "..") else path.resolve()
    if not path.name:
        raise OutputError(f"{path} is no place for a result; choose a folder with -o.")
    return path.parent / path.name


def refuse_existing(targets: Mapping[Path, Collection[str]], *, force: bool) -> None:
    """Stop before any work if a result would be overwritten or has nowhere to go.

    Args:
        targets: The folders to be, each with the names of what may stand in it. With `force` a folder that holds only
            such names is replaced; one that holds anything else is somebody's, and never is.
        force: Whether to replace.
    """
    for path, names in targets.items():
        try:
            if not (path.exists() or path.is_symlink()):
                continue
            if path.is_symlink() or not path.is_dir():
                what = "a link" if path.is_symlink() else "a file"
                raise OutputError(
                    f"{path} is {what}; expected a folder or nothing there. Choose another place with -o."
                )
            if not force:
                raise OutputError(
                    f"{path} exists already and is not overwritten; choose another place with -o, or say --force "
                    "(force=True in Python)."
                )
            foreign = sorted(entry.name for entry in path.iterdir() if entry.name not in names)
        except OSError as error:
            raise explained(error, path) from None
        if foreign:
            raise OutputError(
                f"{path} holds what Shoal did not write there ({listed(foreign)}) and is not replaced, even with "
                "--force; choose another place with -o."
            )


@contextmanager
def all_or_nothing(
    targets: Mapping[Path, Collection[str]], *, force: bool = False, owners: Collection[Path] = ()
) -> Iterator[list[Path]]:
    """New folders beside `targets` to write into; they take their names when the block ends well, and vanish if not.

    Until then nobody but the owner can enter them, for nothing of them is published yet. Then `owners` stay closed, and
    the others get the mode that any new folder has.
    """
    refuse_existing(targets, force=force)
    created: list[Path] = []
    staged: list[Path] = []
    replacements: list[Replacement] = []
    try:
        for target in targets:
            for folder in (folder for folder in reversed(target.parents) if not folder.exists()):
                folder.mkdir()
                created.append(folder)
            staged.append(_beside(target))
            remains.note(staged[-1])
            owners_folder(staged[-1])
        ordinary = [ordinary_mode(folder) for folder in staged]
        yield list(staged)
        for folder in staged:
            flush(folder)
        replacements = [
            Replacement.of(folder, target, None if target in owners else mode, replaces=force)
            for folder, target, mode in zip(staged, targets, ordinary, strict=True)
        ]
        remains.promise(replacements)
        for one in replacements:
            finish(one)
    except BaseException as error:
        remains.promise(())
        for one in reversed(replacements):
            undo(one)
        if isinstance(error, OSError):
            raise explained(error, next(iter(targets))) from None
        raise
    else:
        created.clear()
    finally:
        for folder in staged:
            shutil.rmtree(folder, ignore_errors=True)
        for folder in reversed(created):
            with suppress(OSError):  # somebody else may have put something there
                folder.rmdir()
        remains.settle()


class _OnlyTrying(Exception):  # noqa: N818  nothing went wrong
    """Ends a rehearsal."""


def require_writable(targets: Mapping[Path, Collection[str]], *, force: bool = False, size: int = 0) -> None:
    """Try what writing the targets will take, and leave no trace: before something is paid that could be lost.

    Every folder is staged and every name written and synced, so that a read-only or full disk, a name or path too
    long, or a folder that is not ours to replace says so now.

    Args:
        targets: The folders to be, each with the names of what may stand in it.
        force: Whether to replace.
        size: About how many bytes will be written.
    """
    with suppress(_OnlyTrying), all_or_nothing(targets, force=force) as staged:
        for folder, (target, names) in zip(staged, targets.items(), strict=True):
            for name in names:
                (folder / name).write_bytes(_TRIED)
            flush(folder)
            if target.exists():
                _require_movable(target)
        free = shutil.disk_usage(staged[0]).free
        if free < size:
            raise OutputError(
                f"there may not be enough space to write {next(iter(targets))}: about {size:,} bytes are needed, and "
                f"{free:,} are free; nothing was written. Free some space, or choose another place with -o."
            )
        raise _OnlyTrying


_TRIED = bytes(1 << 12)


def _require_movable(target: Path) -> None:
    """Refuse to replace a folder that cannot be renamed though its parent can be written."""
    if target.is_mount():
        raise OutputError(
            f"{target} is where a disk is mounted and cannot be replaced; choose a folder on that disk with -o."
        )
    above = target.parent.stat()
    is_sticky = os.name == "posix" and above.st_mode & stat.S_ISVTX
    if is_sticky and os.geteuid() not in (0, above.st_uid, target.stat().st_uid):
        raise OutputError(
            f"{target} belongs to another user and cannot be replaced in {target.parent}; choose another place with -o."
        )


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}-{secrets.token_hex(4)}")


def give_names(targets: Mapping[Path, Path], owners: Collection[Path] = ()) -> None:
    """Have folders take their names that were staged by a run that has ended since; some may have theirs already."""
    for target, folder in targets.items():
        if folder.exists():
            if target.exists():
                remove(target)
            folder.rename(target)
        if target not in owners:
            target.chmod(ordinary_mode(target))


def remove(folder: Path) -> None:
    """Remove a folder by a name that nobody takes for a release."""
    if folder.exists():
        aside = _beside(folder)
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)


def flush(folder: Path) -> None:
    """Have every file of a folder, or one, on the disk before it takes its name: a full disk may say so only now."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_file():
            with path.open("r+b") as file:
                os.fsync(file.fileno())


def explained(error: OSError, target: Path) -> OutputError:
    """One sentence for a result that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return OutputError(
            f"there is no space left to write {target}; nothing was written. Free some space and try again."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return OutputError(f"{target} cannot be written: permission denied. Choose another place with -o.")
    if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
        return OutputError(
            f"{target} has come into being while this run was at work, and is not overwritten; nothing was written. "
            "Choose another place with -o, or say --force (force=True in Python)."
        )
    reason = (error.strerror or type(error).__name__).lower()
    return OutputError(f"{target} cannot be written ({reason}); nothing was written. Choose another place with -o.")
