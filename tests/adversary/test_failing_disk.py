"""Whatever call to the file system fails: nothing partial is there, nothing is regained, and the next run works."""

import errno
import shutil
import tempfile
import warnings
from dataclasses import replace

import pytest
from failing import failing, listing
from tables import pair
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.dp.ledger.fingerprint import Dataset
from shoal.dp.ledger.store import LedgerStore
from shoal.errors import NotNotedWarning
from shoal.files import remains
from shoal.files.remains import clear_away
from shoal.promises.checking import check_release

WRITTEN = ("release", "release-owner")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table and a release file that costs something."""
    made = pair(3, "safepub")
    made = replace(made, plan=made.plan.replace("delta = 0.2", "delta = 0.0001"))
    here = tmp_path / "here"
    here.mkdir()
    made.write(0, here)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    monkeypatch.chdir(here)
    return here


def run(*words):
    """Run the command in this process."""
    from shoal.pages.report.page import Report

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Report, "html", lambda _: "left out: the report takes longer than all the rest")
        return CliRunner().invoke(app, ["run", "release.toml", *words])


def every_failure(folder, number, step, *words):
    """Fail the n-th call, then that after `step` more, until a run has fewer."""
    store, people = LedgerStore(folder / "books"), Dataset.of(next(folder.glob("people.*")))
    assert run("-o", "first").exit_code == 0
    while True:
        spent = len(store.history(people))
        before = {name: content for name, content in listing(folder).items() if not name.startswith("books")}
        with failing(number, errno.ENOSPC if number % 3 else errno.EIO) as failure, warnings.catch_warnings():
            warnings.simplefilter("ignore", NotNotedWarning)
            done = run(*words)
        assert "failed where it should not" not in done.output, (failure.failed, done.output)
        assert "Traceback" not in done.output
        assert done.exit_code in (0, 1), (failure.failed, done.output)
        clear_away()
        after = {name: content for name, content in listing(folder).items() if not name.startswith("books")}
        now = len(store.history(people))  # every seal is checked
        assert now >= spent  # nothing is regained
        if done.exit_code == 0:
            assert now > spent
            check_release(folder / "release")
            for name in () if "--force" in words else WRITTEN:
                shutil.rmtree(folder / name)
        else:
            assert after == before, (failure.failed, done.output, sorted(set(after) ^ set(before)))
        if failure.failed is None:
            break
        number += step
    hidden = {path.name for path in folder.iterdir() if path.name.startswith(".")}  # what could not be removed then
    assert hidden <= {path.name for path in remains._MINE[0].there}  # the next command removes it


@pytest.mark.parametrize("words", [(), ("--force",)])
def test_some_calls(folder, words):
    if words:
        assert run("-o", "release").exit_code == 0
    every_failure(folder, 2, 19, "-o", "release", *words)


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--force",)])
def test_every_call(folder, words):
    if words:
        assert run("-o", "release").exit_code == 0
    every_failure(folder, 1, 1, "-o", "release", *words)
