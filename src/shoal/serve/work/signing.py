"""A release signed with a key of its owner, as `shoal run --sign` does; and a key made for that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.progress import Progress
from shoal.promises.certificate import CERTIFICATE
from shoal.promises.folder import SIGNATURE
from shoal.promises.signing import fingerprint, new_key, private_key, public_half


def sign(output: str, key_file: str, passphrase: str, *, progress: Progress) -> dict[str, Any]:
    """Sign the certificate of a release; who has signed it, and the files that it has now."""
    del progress
    where = Path(output)
    key = private_key(_absolute(key_file), lambda: passphrase or None)
    signature = where / SIGNATURE
    signature.unlink(missing_ok=True)  # a release that is kept may share the file
    signature.write_bytes(key.sign((where / CERTIFICATE).read_bytes()))
    return {"fingerprint": fingerprint(key.public_key()), "files": sorted(path.name for path in where.iterdir())}


def make_key(key_file: str, passphrase: str, *, progress: Progress) -> dict[str, Any]:
    """Make a key where its owner says; its fingerprint, and where its public half is."""
    del progress
    path = _absolute(key_file)
    return {"fingerprint": new_key(path, passphrase or None), "public": str(public_half(path))}


def _absolute(text: str) -> Path:
    path = Path(text.strip()).expanduser()
    if not text.strip() or not path.is_absolute():
        raise ParameterError("a key is named by its whole path, such as ~/office.key.")
    return path
