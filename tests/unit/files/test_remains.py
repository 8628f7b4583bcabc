"""What a killed process leaves is cleared away by the next one: finished if it was decided, removed if not."""

import errno
import itertools
import os
import signal
import tempfile
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.files import exchanging, remains
from shoal.files.exchanging import Replacement, finish, undo
from shoal.files.folders import all_or_nothing
from shoal.files.remains import claimed, clear_away, data_folder, leave, note, scratch_folder


def killed(work):
    """Do some work in a process that is then killed; what `work` gives ends up nowhere."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL


def notes():
    return list((data_folder() / "running").glob("*.notes"))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_that_was_being_written_is_gone_after_the_next_command(tmp_path):
    def die_while_writing():
        with all_or_nothing({tmp_path / "release": ()}) as (staged,):
            (staged / "data.csv").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)

    killed(die_while_writing)
    assert len(names(tmp_path)) == 1
    assert clear_away() == 1
    assert names(tmp_path) == []
    assert notes() == []


def test_temporary_folders_are_gone_too(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def die_while_spilling():
        with scratch_folder() as folder:
            (folder / "rows.arrow").write_text("row values")
            os.kill(os.getpid(), signal.SIGKILL)

    killed(die_while_spilling)
    assert len(names(tmp_path)) == 1
    clear_away()
    assert names(tmp_path) == []


def test_what_a_living_process_made_stays():
    with scratch_folder() as folder:
        assert clear_away() == 0
        assert folder.is_dir()
    assert not folder.exists()


def steps_of_replacing(tmp_path, monkeypatch, last):
    """Replace two folders, and be killed before the file system is asked for the `last` change of a name."""
    count = itertools.count()
    place = exchanging._place

    def counted(source, target):
        if next(count) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        place(source, target)

    monkeypatch.setattr(exchanging, "_place", counted)
    targets = {tmp_path / "release": ("data.csv",), tmp_path / "release-owner": ("data.csv",)}
    with all_or_nothing(targets, force=True) as staged:
        for folder in staged:
            (folder / "data.csv").write_text("new")


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_replacement_that_was_decided_is_finished(tmp_path, monkeypatch, can_exchange, last, is_there):
    if not can_exchange:
        monkeypatch.setattr(exchanging, "_exchanged", lambda *_: False)
    for name in ("release", "release-owner") if is_there else ():
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.csv").write_text("old")
    killed(lambda: steps_of_replacing(tmp_path, monkeypatch, last))
    seen = [(tmp_path / name / "data.csv").read_text() for name in ("release", "release-owner") if is_there]
    assert seen == (["new", "old"] if last else ["old", "old"])[: len(seen)]  # each is whole at any time
    clear_away()
    assert names(tmp_path) == ["release", "release-owner"]
    assert [(tmp_path / name / "data.csv").read_text() for name in names(tmp_path)] == ["new", "new"]


def test_a_folder_changes_places_with_another_and_back(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    swap = Replacement.of(one, other)
    finish(swap)
    finish(swap)  # once is enough
    assert (other / "name").read_text() == "one"
    undo(swap)
    undo(swap)
    assert (other / "name").read_text() == "other"
    assert Replacement.of_json(swap.as_json()) == swap


def test_what_somebody_else_answers_for_is_left_alone(tmp_path):
    left = tmp_path / ".release-0123abcd"

    def die():
        note(left)
        left.mkdir()
        leave([left])

    killed(die)
    clear_away()
    assert left.is_dir()


def test_only_names_that_are_not_to_stay_are_removed(tmp_path):
    mine = tmp_path / "thesis"

    def die():
        note(mine)
        mine.mkdir()

    killed(die)
    clear_away()
    assert mine.is_dir()


def test_notes_that_others_could_have_written_are_not_believed(tmp_path):
    there = tmp_path / ".release-0123abcd"
    there.mkdir()
    killed(lambda: note(there))
    running = data_folder() / "running"
    running.chmod(0o777)
    assert clear_away() == 0
    assert there.is_dir()
    running.chmod(0o700)
    assert clear_away() == 1
    assert not there.exists()


def test_a_note_that_was_cut_off_is_obeyed_as_far_as_it_goes(tmp_path):
    there = tmp_path / ".release-0123abcd"
    there.mkdir()
    killed(lambda: note(there))
    with notes()[0].open("a") as file:
        file.write('{"made": "/some')
    clear_away()
    assert not there.exists()


def test_a_thousand_runs_of_one_process_leave_one_short_note(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(remains, "_MINE", [])  # other tests of this process may have made what is still there
    for number in range(1000):
        with all_or_nothing({tmp_path / str(number % 2): ()}, force=True):
            pass
    assert len(remains._MINE) == 1
    assert remains._MINE[0].path.stat().st_size == 0


def test_nothing_fails_where_no_note_can_be_kept(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with all_or_nothing({tmp_path / "release": ()}) as (staged,):
        (staged / "data.csv").write_text("whole")
    assert (tmp_path / "release" / "data.csv").read_text() == "whole"
    assert clear_away() == 0


def test_a_full_temporary_folder_is_named():
    def spill():
        with scratch_folder():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OutputError, match=f"no space left in the temporary folder {Path(tempfile.gettempdir())}"):
        spill()


def test_a_name_is_claimed_by_one_run_at_a_time(tmp_path):
    def claim(number):
        with claimed(tmp_path / "release"):
            (tmp_path / str(number)).touch()

    with claimed(tmp_path / "release"):
        child = os.fork()
        if child == 0:
            try:
                claim(1)
            except OutputError as error:
                (tmp_path / "refused").write_text(str(error))
            os._exit(0)
        os.waitpid(child, 0)
        with claimed(tmp_path / "other"):  # of this process or another
            pass
    assert "is being written by another run" in (tmp_path / "refused").read_text()
    claim(2)
    assert names(tmp_path) == ["2", "refused"]
    assert not list((data_folder() / "running").glob("*.claim"))


def test_a_name_that_was_taken_meanwhile_is_not_overwritten(tmp_path):
    target = tmp_path / "release"

    def be_second():
        with all_or_nothing({target: ("data.csv",)}) as (staged,):
            (staged / "data.csv").write_text("second")
            target.mkdir()
            (target / "data.csv").write_text("first")

    with pytest.raises(OutputError, match="has come into being while this run was at work"):
        be_second()
    assert (target / "data.csv").read_text() == "first"
    assert names(tmp_path) == ["release"]
