"""Folders that appear whole or not at all."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import OutputError


def refuse_existing(paths: Sequence[Path], *, force: bool) -> None:
    """Stop before any work if a result would be overwritten or has nowhere to go."""
    for path in paths:
        if path.exists() and not force:
            raise OutputError(f"{path} exists already and is not overwritten; choose another place, or say --force.")
        if path.exists() and not path.is_dir():
            raise OutputError(f"{path} is a file; expected a folder or nothing there.")


@contextmanager
def all_or_nothing(targets: Sequence[Path], *, force: bool = False) -> Iterator[list[Path]]:
    """New folders beside `targets` to write into; they take their names when the block ends well, and vanish if not."""
    refuse_existing(targets, force=force)
    staged: list[Path] = []
    try:
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.append(Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent)))
        yield staged
        for folder, target in zip(staged, targets, strict=True):
            folder.chmod(0o755)
            if target.exists():
                retired = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
                target.rename(retired / "old")
                folder.rename(target)
                shutil.rmtree(retired, ignore_errors=True)
            else:
                folder.rename(target)
    except OSError as error:
        raise explained(error, targets[0]) from None
    finally:
        for folder in staged:
            shutil.rmtree(folder, ignore_errors=True)


def explained(error: OSError, target: Path) -> OutputError:
    """One sentence for what the file system said."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return OutputError(
            f"there is no space left to write {target}; nothing was written. Free some space and try again."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return OutputError(
            f"{target} cannot be written: permission denied. Choose another place with [output] path or -o."
        )
    return OutputError(f"{target} cannot be written ({error.strerror or type(error).__name__}); nothing was written.")
