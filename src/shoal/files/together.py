"""Text files that appear together or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from shoal.errors import OutputError, agreeing
from shoal.files.folders import explained
from shoal.files.owner_only import owners_folder
from shoal.files.remains import note, settle


def place_files(folder: Path, texts: Mapping[str, str], *, force: bool = False) -> None:
    """Write files, given by their paths in `folder`: beside first, then all renamed; on failure all is as it was.

    With `force` files of the same names are replaced; others in the folder stay.
    """
    refuse_existing_files(folder, list(texts), force=force)
    created: list[Path] = []
    moved: list[tuple[Path, Path]] = []
    staged: Path | None = None
    try:
        for new in _absent_folders(folder / name for name in texts):
            new.mkdir()
            created.append(new)
        staged = folder / f".shoal-{secrets.token_hex(8)}"
        note(staged)
        owners_folder(staged)
        for number, text in enumerate(texts.values()):
            with (staged / str(number)).open("w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        for number, name in enumerate(texts):
            target = folder / name
            if target.exists():
                _move(target, staged / f"old-{number}", moved)
            _move(staged / str(number), target, moved)
    except BaseException as error:
        for source, target in reversed(moved):
            target.replace(source)
        if staged is not None:
            shutil.rmtree(staged, ignore_errors=True)
        for new in reversed(created):
            new.rmdir()
        if isinstance(error, OSError):
            raise explained(error, folder) from None
        raise
    finally:
        settle()
    shutil.rmtree(staged, ignore_errors=True)


def refuse_existing_files(folder: Path, names: list[str], *, force: bool) -> None:
    """Stop before any work if a file would be overwritten or a folder is in the way."""
    there = [name for name in names if (folder / name).exists()]
    blocked = [name for name in there if (folder / name).is_dir()]
    if blocked:
        raise OutputError(f"{folder / blocked[0]} is a folder; expected a file or nothing there.")
    if there and not force:
        raise OutputError(
            f"{agreeing(there, 'exists', 'exist')} already in {folder} and nothing is overwritten; choose another "
            "place with -o, or say --force (force=True in Python)."
        )


def _move(source: Path, target: Path, moved: list[tuple[Path, Path]]) -> None:
    source.replace(target)
    moved.append((source, target))


def _absent_folders(files: Iterable[Path]) -> list[Path]:
    """The folders that must be made, outermost first."""
    absent: dict[Path, None] = {}
    for file in files:
        chain = []
        parent = file.parent
        while not parent.exists():
            chain.append(parent)
            parent = parent.parent
        absent.update(dict.fromkeys(reversed(chain)))
    return list(absent)
