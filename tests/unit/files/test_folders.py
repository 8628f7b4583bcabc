"""Folders appear whole or not at all, replace only what Shoal wrote, and otherwise leave everything as it was."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.files import exchanging, folders
from shoal.files.folders import all_or_nothing, refuse_existing

NAMES = ("data.csv",)


def listing(folder):
    """Everything in a folder, hidden things too, with the content of files."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else None
        for path in sorted(Path(folder).rglob("*"))
    }


@pytest.fixture
def targets(tmp_path):
    return {tmp_path / "a" / "release": NAMES, tmp_path / "a" / "release-owner": NAMES}


def write(targets, text, **settings):
    with all_or_nothing(targets, **settings) as staged:
        for folder in staged:
            (folder / "data.csv").write_text(text)


def test_folders_and_their_parents_appear_when_the_block_ends(tmp_path, targets):
    with all_or_nothing(targets) as staged:
        for folder in staged:
            (folder / "data.csv").write_text("new")
        assert not any(target.exists() for target in targets)
    assert listing(tmp_path) == {
        "a": None,
        "a/release": None,
        "a/release/data.csv": "new",
        "a/release-owner": None,
        "a/release-owner/data.csv": "new",
    }


def test_folders_are_as_open_as_the_user_lets_them_be(targets):
    before = os.umask(0o077)
    try:
        write(targets, "new")
    finally:
        os.umask(before)
    assert [target.stat().st_mode & 0o777 for target in targets] == [0o700, 0o700]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
def test_nothing_is_left_when_the_block_fails_not_even_new_parents(tmp_path, targets, error):
    def fail():
        with all_or_nothing(targets) as staged:
            (staged[0] / "data.csv").write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert listing(tmp_path) == {}


def test_what_exists_is_not_overwritten_unless_forced(tmp_path, targets):
    write(targets, "old")
    before = listing(tmp_path)
    with pytest.raises(
        OutputError, match="release exists already and is not overwritten; choose another place with -o, or"
    ):
        write(targets, "new")
    assert listing(tmp_path) == before
    write(targets, "new", force=True)
    assert listing(tmp_path) == {name: text and "new" for name, text in before.items()}


def test_one_of_two_existing_is_enough_to_stop(tmp_path, targets):
    list(targets)[1].mkdir(parents=True)
    before = listing(tmp_path)
    with pytest.raises(OutputError, match="release-owner exists already"):
        write(targets, "new")
    assert listing(tmp_path) == before


def test_force_replaces_an_empty_folder_and_never_one_that_holds_anything_else(tmp_path, targets):
    first = next(iter(targets))
    first.mkdir(parents=True)
    write(targets, "new", force=True)
    (first / "thesis.docx").write_text("years of work")
    before = listing(tmp_path)
    with pytest.raises(
        OutputError, match=r"holds what Shoal did not write there \('thesis\.docx'\) and is not replaced, even"
    ):
        write(targets, "newer", force=True)
    assert listing(tmp_path) == before


@pytest.mark.parametrize("force", [True, False])
def test_a_file_in_the_place_of_a_folder_is_left_alone(tmp_path, force):
    (tmp_path / "release").write_text("mine")
    with pytest.raises(OutputError, match="release is a file; expected a folder or nothing there"):
        refuse_existing({tmp_path / "release": NAMES}, force=force)
    assert listing(tmp_path) == {"release": "mine"}


@pytest.mark.parametrize("goal", ["real", "nowhere"])
@pytest.mark.parametrize("force", [True, False])
def test_a_link_in_the_place_of_a_folder_is_left_alone(tmp_path, goal, force):
    (tmp_path / "real").mkdir()
    (tmp_path / "release").symlink_to(tmp_path / goal)
    with pytest.raises(OutputError, match="release is a link; expected a folder or nothing there"):
        write({tmp_path / "release": NAMES}, "new", force=force)
    assert (tmp_path / "release").is_symlink()
    assert listing(tmp_path / "real") == {}


def test_when_the_second_folder_cannot_take_its_name_the_first_gives_its_back(tmp_path, targets, monkeypatch):
    write(targets, "old")
    before = listing(tmp_path)
    place = exchanging._place

    def broken(source, target):
        if target.name == "release-owner":
            raise OSError(errno.EBUSY, "Device or resource busy")
        return place(source, target)

    monkeypatch.setattr(exchanging, "_place", broken)
    with pytest.raises(OutputError, match=r"cannot be written \(device or resource busy\); nothing was written"):
        write(targets, "new", force=True)
    assert listing(tmp_path) == before


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "there is no space left to write .*release; nothing was written. Free some space and try again"),
        (errno.EDQUOT, "there is no space left"),
        (errno.EACCES, "release cannot be written: permission denied. Choose another place with -o"),
        (errno.EROFS, "permission denied"),
        (errno.EIO, r"release cannot be written \(input/output error\); nothing was written"),
    ],
)
def test_what_the_file_system_says_becomes_one_sentence_and_nothing_is_left(tmp_path, targets, number, sentence):
    def fail():
        with all_or_nothing(targets) as staged:
            (staged[0] / "data.csv").write_text("half")
            raise OSError(number, os.strerror(number))

    with pytest.raises(OutputError, match=sentence):
        fail()
    assert listing(tmp_path) == {}


def test_a_disk_that_is_full_only_when_it_is_flushed_is_a_full_disk(tmp_path, targets, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folders.os, "fsync", full)
    with pytest.raises(OutputError, match="no space left"):
        write(targets, "new")
    assert listing(tmp_path) == {}


def test_a_parent_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "a").write_text("a file")
    with pytest.raises(OutputError, match="cannot be written"):
        write({tmp_path / "a" / "b" / "release": NAMES}, "new")
    assert listing(tmp_path) == {"a": "a file"}


def test_what_somebody_else_put_into_a_new_parent_meanwhile_stays(tmp_path, targets):
    def fail():
        with all_or_nothing(targets):
            (tmp_path / "a" / "other").write_text("not ours")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert listing(tmp_path) == {"a": None, "a/other": "not ours"}
    shutil.rmtree(tmp_path / "a")
