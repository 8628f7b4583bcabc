"""Which dataset is this? Digests of its bytes and its values, and the name that its owner gives it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a dataset is known by: its bytes, its values and, if given, its owner's name for it.

    Any of them is enough to recognize it: the same bytes however they are read, the same values in another format or
    order, a corrected table under the same name. Only keyed fingerprints of them are ever stored.

    `shoal.engines.reading.recognizing.dataset_at` makes it from a file, values and all.
    """

    content: bytes
    name: str | None = None
    values: tuple[bytes, ...] = ()
    """Digests of its values: one, or one for each way to read them."""

    @classmethod
    def of(cls, source: Path, name: str | None = None) -> Dataset:
        """The dataset in a file, or in a folder of parts, by its bytes and name alone."""
        return cls(content_digest(source), name)


def content_digest(source: Path) -> bytes:
    """The digest of a file, or of a folder of parts; read in blocks, never held in memory.

    SHA-256 over the sorted SHA-256 digests of the files: renaming or moving parts changes nothing, and a folder with
    one part is that part. Files whose names begin with a dot or an underscore are not data, as in Hadoop and Spark.
    """
    try:
        files = [source] if source.is_file() else [path for path in source.rglob("*") if _is_part(path, source)]
        digests = sorted(_file_digest(path) for path in files)
    except OSError as error:
        raise DataError(
            f"dataset {str(source)!r}: cannot be read ({error.strerror}). Check the path and the permissions."
        ) from error
    if not digests:
        raise DataError(f"dataset {str(source)!r}: no such file, and no folder with files. Check the path.")
    return hashlib.sha256(b"shoal dataset\0" + b"".join(digests)).digest()


def _file_digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _is_part(path: Path, folder: Path) -> bool:
    return path.is_file() and not any(name.startswith((".", "_")) for name in path.relative_to(folder).parts)
