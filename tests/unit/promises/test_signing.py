"""Keys and signatures."""

import os
import shutil
import stat
import subprocess
import sys

import pytest

from shoal.errors import DataError, OutputError, ParameterError
from shoal.promises import signing


def test_a_key_is_for_its_owner_alone_and_its_public_half_for_everybody(tmp_path):
    before = os.umask(0)
    try:
        name = signing.new_key(tmp_path / "office.key")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "office.key").stat().st_mode) == 0o600
    assert b"PRIVATE" not in (tmp_path / "office.key.pub").read_bytes()
    assert signing.fingerprint(signing.public_key(tmp_path / "office.key.pub")) == name
    assert signing.fingerprint(signing.private_key(tmp_path / "office.key").public_key()) == name


def test_a_key_is_never_overwritten_and_none_is_left_half(tmp_path):
    signing.new_key(tmp_path / "a")
    before = (tmp_path / "a").read_bytes()
    with pytest.raises(OutputError, match="a exists already, and a key is never overwritten"):
        signing.new_key(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == before
    (tmp_path / "b.pub").write_text("mine")
    with pytest.raises(OutputError, match=r"b\.pub exists already"):
        signing.new_key(tmp_path / "b")
    assert not (tmp_path / "b").exists()
    with pytest.raises(OutputError):
        signing.new_key(tmp_path / "nowhere" / "c")


def test_what_was_signed_is_found_signed_and_nothing_else(tmp_path):
    signing.new_key(tmp_path / "a")
    signing.new_key(tmp_path / "b")
    signature = signing.private_key(tmp_path / "a").sign(b"content")
    public = signing.public_key(tmp_path / "a.pub")
    signing.require_signed(b"content", signature, public, tmp_path)
    for content, said, key in (
        (b"contenu", signature, "a"),
        (b"content", signature[:-1], "a"),
        (b"content", b"", "a"),
        (b"content", signature, "b"),
    ):
        with pytest.raises(DataError, match="is not signed with this key, or was changed since"):
            signing.require_signed(content, said, signing.public_key(tmp_path / f"{key}.pub"), tmp_path)


def test_a_passphrase_is_asked_for_where_there_is_one(tmp_path, monkeypatch):
    signing.new_key(tmp_path / "a", "open sesame")
    assert b"ENCRYPTED" in (tmp_path / "a").read_bytes()
    monkeypatch.delenv(signing.PASSPHRASE, raising=False)
    with pytest.raises(ParameterError, match="a has a passphrase; give it as SHOAL_KEY_PASSPHRASE in the environment"):
        signing.private_key(tmp_path / "a")
    assert signing.private_key(tmp_path / "a", lambda: "open sesame")
    monkeypatch.setenv(signing.PASSPHRASE, "open sesame")
    assert signing.private_key(tmp_path / "a")
    monkeypatch.setenv(signing.PASSPHRASE, "wrong")
    with pytest.raises(ParameterError, match="or its passphrase is another"):
        signing.private_key(tmp_path / "a")


def test_files_that_are_no_keys_are_refused_without_a_word_of_what_they_hold(tmp_path):
    (tmp_path / "text").write_text("SECRET")
    (tmp_path / "pem").write_text("-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n")
    for name in ("text", "pem"):
        (tmp_path / name).chmod(0o600)
    signing.new_key(tmp_path / "a")
    for name in ("text", "pem", "a.pub", "nothing", "."):
        with pytest.raises(ParameterError) as raised:
            signing.private_key(tmp_path / name)
        assert "SECRET" not in str(raised.value)
    for name in ("text", "pem", "nothing", "."):
        with pytest.raises(ParameterError) as raised:
            signing.public_key(tmp_path / name)
        assert "SECRET" not in str(raised.value)
    with pytest.raises(ParameterError, match="is a private key, which nobody but its owner may have"):
        signing.public_key(tmp_path / "a")


def test_keys_of_other_kinds_are_refused(tmp_path):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    pem, none = serialization.Encoding.PEM, serialization.NoEncryption()
    (tmp_path / "a").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, none))
    (tmp_path / "a").chmod(0o600)
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "a.pub").write_bytes(public)
    with pytest.raises(ParameterError, match="holds a key of another kind; expected Ed25519"):
        signing.private_key(tmp_path / "a")
    with pytest.raises(ParameterError, match="is not a public key of Ed25519"):
        signing.public_key(tmp_path / "a.pub")


@pytest.mark.skipif(os.name != "posix", reason="there are no modes")
def test_a_private_key_that_others_can_read_is_not_signed_with(tmp_path):
    signing.new_key(tmp_path / "a")
    (tmp_path / "a").chmod(0o640)
    with pytest.raises(ParameterError, match=r"can be read or written by others.*chmod 600"):
        signing.private_key(tmp_path / "a")


def test_without_the_library_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    signing.new_key(tmp_path / "a")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    for ask in (
        lambda: signing.new_key(tmp_path / "b"),
        lambda: signing.private_key(tmp_path / "a"),
        lambda: signing.public_key(tmp_path / "a.pub"),
    ):
        with pytest.raises(ParameterError, match=r"need the package cryptography; `pip install 'shoal\[sign\]'`"):
            ask()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not there")
def test_nobody_needs_shoal_to_check_a_signature(tmp_path):
    signing.new_key(tmp_path / "a")
    (tmp_path / "content").write_bytes(b"content")
    (tmp_path / "sig").write_bytes(signing.private_key(tmp_path / "a").sign(b"content"))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "a.pub", "-rawin"]
    command += ["-in", "content", "-sigfile", "sig"]

    def verified():
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0

    assert verified()
    (tmp_path / "content").write_bytes(b"contenu")
    assert not verified()
