"""What was computed from original records is for its owner alone, whatever the umask, also while a command runs.

Every command runs in a process of its own under umask 0. At every audited step (a file opened, made, renamed, removed)
and at the end, everything there is is judged by one rule: what may be published or is an input may be open to others,
everything else may not.
"""

import json
import os
import subprocess
import sys

import pytest
import typer
from desk import NAMES, people

from shoal.cli.main import app

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permission bits")

PRIVATE = """[method]
name = "safepub"
epsilon = 2.0
delta = 1e-3
schemes = [{ age = 3, town = 1, day = 3 }]

[budget]
ledger = "books/deep"
"""

WATCHED = """
import json, os, stat, sys
from pathlib import Path

BASE, SEEN, busy = Path(os.environ["BASE"]), {}, False


def look(event, arguments):
    global busy
    if busy or event not in KINDS:
        return
    if event == "open" and not (isinstance(arguments[0], (str, Path)) and str(arguments[0]).startswith(str(BASE))):
        return
    busy = True
    try:
        for folder, folders, files in os.walk(BASE):
            for name in folders + files:
                path = os.path.join(folder, name)
                try:
                    mode = os.lstat(path).st_mode
                except FileNotFoundError:
                    continue
                SEEN.setdefault(os.path.relpath(path, BASE), set()).add(oct(stat.S_IMODE(mode)))
    finally:
        busy = False


KINDS = {"open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "shutil.rmtree", "os.chmod", "sqlite3.connect"}
os.umask(int(os.environ["UMASK"], 8))
sys.addaudithook(look)
import shoal.engines.writing.scatter as scatter
import shoal.engines.reading.csv_source as csv_source
from shoal.cli.main import app

scatter.BUCKET_ROWS, csv_source._BLOCK = 500, 4096
try:
    app(sys.argv[1:])
finally:
    look("os.rename", ())
    Path(os.environ["FOUND"]).write_text(json.dumps({name: sorted(modes) for name, modes in SEEN.items()}))
"""


def watched(desk, *arguments, umask="0", code=0):
    """Run a command; every path there ever was, with every mode it ever had."""
    found = desk.folder.parent / "found.json"
    environment = {**os.environ, "BASE": str(desk.folder.parent), "FOUND": str(found), "UMASK": umask}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *map(str, arguments)],
        cwd=desk.folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    seen = {name: {int(mode, 8) for mode in modes} for name, modes in json.loads(found.read_text()).items()}
    found.unlink()
    return seen


INPUTS = {"desk", "scratch", "ready", "found.json", *(f"desk/{n}" for n in ("people.csv", "release.toml", "town.csv"))}


def is_open_by_right(name, outputs):
    """Inputs, what may be published once it has its name, and the folders on the way to it."""
    return name in INPUTS or any(name == f"desk/{o}" or name.startswith(f"desk/{o}/") for o in outputs)


def judged(seen, outputs=()):
    """Whatever is closed must have been so at every look; by path, what was not."""
    wrong = {}
    for name, modes in seen.items():
        opened = {oct(mode) for mode in modes if mode & 0o077}
        inside_staged = any(part.startswith(".") for part in name.split("/")[:-1])  # closed by the folder around it
        if opened and not inside_staged and not is_open_by_right(name, outputs):
            wrong[name] = opened
    return wrong


@pytest.fixture
def crowd(desk):
    desk.write("people.csv", "\n".join([NAMES, *people(2000)]))
    return desk


def owners(seen, folder):
    return {name: modes for name, modes in seen.items() if name == folder or name.startswith(f"{folder}/")}


def test_a_run_leaves_the_release_open_and_the_owners_folder_closed(crowd):
    seen = watched(crowd, "run", "release.toml")
    assert judged(seen, ["release"]) == {}
    assert any(name.endswith(".arrow") for name in seen), "rows went through temporary files"
    assert all(modes == {0o600} for name, modes in seen.items() if name.endswith(".arrow"))
    assert owners(seen, "desk/release-owner") == {
        "desk/release-owner": {0o700},
        "desk/release-owner/report.html": {0o600},
        "desk/release-owner/release.toml": {0o600},
    }
    staged = {name for name in seen if name.startswith("desk/.release-") and name.count("/") == 1}
    assert len(staged) == 2
    assert all(seen[name] == {0o700} for name in staged)
    final = {path.name: path.stat().st_mode & 0o777 for path in (crowd.folder / "release").iterdir()}
    assert set(final.values()) == {0o666}
    assert (crowd.folder / "release").stat().st_mode & 0o777 == 0o777


@pytest.mark.parametrize(("umask", "folder", "file"), [("022", 0o755, 0o644), ("077", 0o700, 0o600)])
def test_what_is_published_has_the_modes_that_the_umask_gives(crowd, umask, folder, file):
    watched(crowd, "run", "release.toml", umask=umask)
    release, owner = crowd.folder / "release", crowd.folder / "release-owner"
    assert release.stat().st_mode & 0o777 == folder
    assert {path.stat().st_mode & 0o777 for path in release.iterdir()} == {file}
    assert owner.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in owner.iterdir()} == {0o600}


def test_a_private_run_closes_its_ledger_key_and_journal(crowd):
    crowd.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    crowd.change('[method]\nname = "optimal-lattice"\nk = 3\n', PRIVATE)
    seen = watched(crowd, "run", "release.toml")
    assert judged(seen, ["release"]) == {}
    books = owners(seen, "desk/books")
    assert books["desk/books"] == books["desk/books/deep"] == {0o700}
    assert {name.rsplit("/", 1)[1].split(".key.")[0] for name in books} >= {"ledger.sqlite3", "ledger.sqlite3-journal"}
    assert all(modes == {0o600} for name, modes in books.items() if "ledger." in name)
    assert judged(watched(crowd, "ledger", "people.csv", "--store", "books/deep"), ["release"]) == {}


@pytest.mark.slow
def test_comparisons_and_attacks_are_closed_also_where_an_older_one_was_open(crowd):
    watched(crowd, "run", "release.toml", umask="022")
    assert judged(watched(crowd, "compare", "release.toml", "--grid", "k=3,5", "--jobs", 1), ["release"]) == {}
    where = crowd.folder / "release-comparison-owner"
    where.chmod(0o777)
    for path in where.iterdir():
        path.chmod(0o666)
    watched(crowd, "compare", "release.toml", "--grid", "k=3,5,7", "--jobs", 1, "--resume")
    assert {path.stat().st_mode & 0o777 for path in where.iterdir()} == {0o600}
    assert where.stat().st_mode & 0o777 == 0o700
    attacked = watched(crowd, "attack", "release", "--original", "people.csv", "--seconds", 0, "--targets", 20)
    assert judged(attacked, ["release"]) == {}
    assert len(owners(attacked, "desk/release-attack-owner")) == 3


@pytest.mark.slow
def test_the_other_commands_write_nothing_that_is_not_meant_to_be_read(crowd):
    """A release file and its hierarchies are meant for version control: they are ordinary files, and init says so."""
    seen = watched(crowd, "init", "people.csv", "-o", "other/release.toml")
    assert judged(seen, ["other"]) == {}
    assert judged(watched(crowd, "declare", "other/release.toml", "--yes"), ["other"]) == {}
    seen = watched(crowd, "demo", "-o", "show")
    assert judged(seen, ["other", "show"]) == {}
    assert {seen[n] == {0o700} for n in seen if n.endswith("show/release-owner")} == {True}
    assert judged(watched(crowd, "check", "show/release"), ["other", "show"]) == {}
    assert judged(watched(crowd, "schema"), ["other", "show"]) == {}
    assert judged(watched(crowd, "help", "mondrian"), ["other", "show"]) == {}
    asked = ("--need", "records", "--recipients", "inside", "--releases", 1)
    assert judged(watched(crowd, "advise", *asked), ["other", "show"]) == {}
    assert judged(watched(crowd, "measure", "people.csv"), ["other", "show"]) == {}
    exported = watched(crowd, "hierarchies", "us-state", "--csv", "-o", "other/state.csv")
    assert judged(exported, ["other", "show"]) == {}


def test_a_new_key_is_closed_and_its_public_half_open(crowd):
    seen = watched(crowd, "key", "new", "office.key")
    assert judged(seen, ["office.key.pub"]) == {}
    assert seen["desk/office.key"] == {0o600}


def test_no_command_is_left_out():
    known = {
        "demo",
        "init",
        "run",
        "check",
        "compare",
        "attack",
        "ledger",
        "measure",
        "key",
        "declare",
        "schema",
        "help",
        "hierarchies",
        "advise",
        "serve",
    }
    assert set(typer.main.get_command(app).commands) == known, "a new command belongs into a test above"


def test_a_run_that_fails_shows_nothing_either(crowd):
    crowd.change("k = 3", "k = 3000")
    assert judged(watched(crowd, "run", "release.toml", code=1)) == {}


def test_the_rule_finds_what_is_open():
    assert judged({"desk/release-owner/report.html": {0o644}}, ["release"]) == {
        "desk/release-owner/report.html": {"0o644"}
    }
    assert judged({"scratch/shoal-x/0.arrow": {0o666}}) != {}
    assert judged({"desk/release/data.csv": {0o644}}, ["release"]) == {}
