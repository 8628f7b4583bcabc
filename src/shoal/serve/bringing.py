"""A release file that is brought to go on with, alone or in an archive with its hierarchies: read with care.

It may come from somebody else, so it names nothing outside of its own folder, and an archive gives nothing but the
release file and hierarchies, and not more than fits.
"""

from __future__ import annotations

import tomllib
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from shoal.errors import PlanError
from shoal.serve.safety.names import safe_name

RELEASE_FILE = "release.toml"
_LARGEST = 64 << 20
"""Bytes of a release file with its hierarchies."""
_PATHS = ("hierarchy", "edges", "population", "ledger")
"""Keys of a release file whose texts are paths; those of [data] and [output] are not followed here."""


def brought(arrived: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """What a release file says, and the hierarchy files beside it by their paths; refuses in one sentence."""
    name = arrived.name.removeprefix("incoming-")
    try:
        files = _unpacked(arrived) if arrived.suffix.lower() == ".zip" else {RELEASE_FILE: _read(arrived)}
        content = tomllib.loads(files.pop(RELEASE_FILE).decode("utf-8-sig"))
        texts = {path: text.decode("utf-8-sig") for path, text in files.items()}
    except (KeyError, OSError, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise PlanError(f"{name} is no release file that can be read ({type(error).__name__}).") from None
    _require_beside(content, name)
    return content, texts


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError("too large")
    return content


def _unpacked(archive: Path) -> dict[str, bytes]:
    """The release file of an archive and the hierarchies beside it."""
    found: dict[str, bytes] = {}
    room = _LARGEST
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            parts = PurePosixPath(entry.filename).parts
            is_hierarchy = len(parts) > 1 and parts[-2] == "hierarchies" and parts[-1].endswith(".csv")
            if entry.is_dir() or not parts or not (is_hierarchy or parts[-1] == RELEASE_FILE):
                continue
            with opened.open(entry) as file:
                content = file.read(room + 1)
            room -= len(content)
            if room < 0:
                raise ValueError("too large")
            found[f"hierarchies/{safe_name(parts[-1])}" if is_hierarchy else RELEASE_FILE] = content
    return found


def _require_beside(content: Any, name: str) -> None:
    """Refuse a file that points out of its folder."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            if key in _PATHS and isinstance(value, str):
                path = PurePosixPath(value.replace("\\", "/"))
                if path.is_absolute() or ".." in path.parts or ":" in value:
                    raise PlanError(
                        f"{name}: {key} points out of the folder of the release file, which is not followed here; put "
                        "the file beside it, or use `shoal run`."
                    )
            _require_beside(value, name)
    elif isinstance(content, list):
        for value in content:
            _require_beside(value, name)
