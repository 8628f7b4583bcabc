"""Signatures: who has made a certificate, and that nobody has changed it since.

Ed25519 (RFC 8032) over the bytes of `certificate.json`; the certificate holds the digests of all other files. Keys are
PEM files as OpenSSL reads and writes them, the signature is the 64 bytes of the standard, so nobody needs Shoal to
check it: `openssl pkeyutl -verify -pubin -inkey key.pub -rawin -in certificate.json -sigfile certificate.sig`.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import DataError, OutputError, ParameterError
from shoal.files.folders import explained

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PASSPHRASE = "SHOAL_KEY_PASSPHRASE"  # noqa: S105  the name of an environment variable
"""The environment variable with the passphrase of a private key that has one."""


def new_key(path: Path, passphrase: str | None = None) -> str:
    """Write a new private key to `path`, for the owner alone, and its public half beside it; its fingerprint."""
    require_library()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    public_path = public_half(path)
    for there in (path, public_path):
        if there.exists() or there.is_symlink():
            raise OutputError(f"{there} exists already, and a key is never overwritten; choose another name.")
    key = ed25519.Ed25519PrivateKey.generate()
    closed = serialization.BestAvailableEncryption(passphrase.encode()) if passphrase else serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, closed)
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    written: list[Path] = []
    try:
        for target, content, mode in ((path, private, 0o600), (public_path, public, 0o644)):
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                written.append(target)
                file.write(content)
    except OSError as error:
        for target in written:
            target.unlink(missing_ok=True)
        raise explained(error, path) from None
    return fingerprint(key.public_key())


def public_half(path: Path) -> Path:
    """Where the public half of a private key goes."""
    return path.with_name(f"{path.name}.pub")


def private_key(path: Path, ask: Callable[[], str | None] = lambda: None) -> Ed25519PrivateKey:
    """The private key in a file; `ask` gives a passphrase if it has one and the environment does not."""
    require_library()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    content = _content(path)
    if b"PRIVATE KEY" not in content:
        raise ParameterError(f"{path} is not a private key in PEM; expected one that `shoal key new` has made.")
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ParameterError(
            f"{path} can be read or written by others, so a signature with it proves nothing; say `chmod 600 {path}`, "
            "and make a new key if somebody may have read it."
        )
    try:
        try:
            key = serialization.load_pem_private_key(content, None)
        except TypeError:  # it has a passphrase
            passphrase = os.environ.get(PASSPHRASE) or ask()
            if not passphrase:
                raise ParameterError(f"{path} has a passphrase; give it as {PASSPHRASE} in the environment.") from None
            key = serialization.load_pem_private_key(content, passphrase.encode())
    except ParameterError:
        raise
    except Exception:  # noqa: BLE001  the library raises what it likes, and its text may quote the file
        raise ParameterError(
            f"{path} is not a private key of Ed25519 in PEM, or its passphrase is another; `shoal key new` makes one."
        ) from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise ParameterError(f"{path} holds a key of another kind; expected Ed25519, as `shoal key new` makes it.")
    return key


def public_key(path: Path) -> Ed25519PublicKey:
    """The public key in a file."""
    require_library()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    content = _content(path)
    if b"PRIVATE KEY" in content:
        raise ParameterError(
            f"{path} is a private key, which nobody but its owner may have; give the public one, which "
            "`shoal key new` writes beside it with the ending .pub."
        )
    try:
        key = serialization.load_pem_public_key(content)
    except Exception:  # noqa: BLE001  as above
        raise _no_public_key(path) from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise _no_public_key(path)
    return key


def _no_public_key(path: Path) -> ParameterError:
    return ParameterError(
        f"{path} is not a public key of Ed25519 in PEM; expected what `shoal key new` writes with the ending .pub."
    )


def require_signed(content: bytes, signature: bytes, key: Ed25519PublicKey, where: Path) -> None:
    """Refuse a signature that the owner of the key has not made for this content."""
    from cryptography.exceptions import InvalidSignature

    try:
        key.verify(signature, content)
    except InvalidSignature:
        raise DataError(
            f"{where} is not signed with this key, or was changed since; ask its publisher for the release and for the "
            "public key."
        ) from None


def fingerprint(key: Ed25519PublicKey) -> str:
    """A short name of a public key, to compare over the telephone."""
    from cryptography.hazmat.primitives import serialization

    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return f"SHA256:{hashlib.sha256(raw).hexdigest()[:32]}"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ParameterError(
            f"{path} cannot be read ({reason}); expected the file of a key: `shoal key new FILE` makes one."
        ) from None


def require_library() -> None:
    """Say so if the cryptographic library is not there; Shoal needs it for signatures alone."""
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError:
        raise ParameterError("signatures need the package cryptography; `pip install 'shoal[sign]'`.") from None
