"""A release that is signed, and what becomes of it on the way."""

import json
import stat

import pytest
from release_folders import told_again, with_certificate


@pytest.fixture
def office(desk):
    """The desk with a key."""
    desk.done("key", "new", "office.key")
    return desk


def test_a_key_is_made_once_and_never_shown(desk):
    printed = desk.done("key", "new", "office.key")
    private = (desk.folder / "office.key").read_text()
    assert stat.S_IMODE((desk.folder / "office.key").stat().st_mode) == 0o600
    assert not any(line in printed for line in private.splitlines())
    assert "office.key exists already, and a key is never overwritten" in desk.refused("key", "new", "office.key")
    told = json.loads(desk.done("key", "new", "other.key", "--json"))
    assert told["public"] == "other.key.pub"
    assert told["fingerprint"].startswith("SHA256:")


def test_a_signed_release_is_found_signed(office):
    told = json.loads(office.done("run", "release.toml", "--sign", "office.key", "--json"))
    assert set(told["certificate"]["files"]) == {"data.csv", "README.md"}
    printed = office.done("check", "release", "--key", "office.key.pub")
    assert "  the certificate is signed with the key SHA256:" in printed
    assert "note:" not in printed
    assert "certificate.sig is there; only the public key" in office.done("check", "release")


def test_a_release_that_was_edited_with_care_is_refused_with_the_key_alone(office):
    office.done("run", "release.toml", "--sign", "office.key")
    with_certificate(office.folder / "release", lambda said: said["findings"].append("all is well"))
    told_again(office.folder / "release")
    assert "cannot be told from the original" in office.done("check", "release")
    sentence = office.refused("check", "release", "--key", "office.key.pub")
    assert "is not signed with this key, or was changed since" in sentence


def test_a_release_without_a_signature_does_not_pass_with_a_key(office):
    office.done("run", "release.toml")
    assert "is not signed: there is no certificate.sig" in office.refused("check", "release", "--key", "office.key.pub")


def test_what_is_no_key_is_refused_before_anything_is_done(office):
    office.write("text", "no key")
    for name in ("nothing", "text", "office.key.pub"):
        assert "key" in office.refused("run", "release.toml", "--sign", name, code=2)
    office.done("run", "release.toml")
    for name in ("nothing", "text", "office.key"):
        assert "key" in office.refused("check", "release", "--key", name, code=2)


def test_a_passphrase_is_taken_from_the_environment(desk, monkeypatch):
    monkeypatch.setenv("SHOAL_KEY_PASSPHRASE", "open sesame")
    desk.done("key", "new", "office.key")
    desk.done("run", "release.toml", "--sign", "office.key")
    desk.done("check", "release", "--key", "office.key.pub")
    monkeypatch.delenv("SHOAL_KEY_PASSPHRASE")
    assert "has a passphrase; give it as" in desk.refused("run", "release.toml", "--sign", "office.key", code=2)


def test_a_signed_release_is_replaced_as_a_whole(office):
    office.done("run", "release.toml", "--sign", "office.key")
    office.done("run", "release.toml", "--force")
    assert not (office.folder / "release" / "certificate.sig").exists()


def test_nothing_that_a_certificate_says_moves_the_cursor(desk):
    desk.done("run", "release.toml")
    with_certificate(desk.folder / "release", lambda said: said["findings"].append("fine\n  holds  all\x1b[2J"))
    told_again(desk.folder / "release")
    printed = desk.done("check", "release")
    assert "\x1b" not in printed
    assert "\n  holds  all" not in printed
    assert "fine\\n  holds  all\\x1b[2J" in printed
