"""A run that is stopped, politely or by Ctrl-C, leaves nothing behind: no output, no temporary file, no new folder."""

import json
import signal
import subprocess
import sys
import time

import pytest
from desk import NAMES, listing, people

STAGES = {
    "while it reads": "reading and counting",
    "while it reads again": "reading again",
    "while it writes": "writing the release",
}

PROGRAM = """
import sys, time
from pathlib import Path

import shoal.engines.writing.scatter as scatter
import shoal.engines.reading.source as source
import shoal.engines.reading.csv_source as csv_source
import shoal.pipeline as pipeline
from shoal.cli.main import main

scatter.BUCKET_ROWS, csv_source._BLOCK = 500, 4096
publish = pipeline.publish


def slow(task, done):
    if task == STAGE:
        Path(READY).touch()
        while True:
            time.sleep(0.01)


def slowly(plan, progress, *rest, **more):
    release = publish(plan, slow, *rest, **more)
    write = release.write_data
    object.__setattr__(release, "write_data", lambda path, _progress: write(path, slow))
    return release


pipeline.publish = slowly
sys.argv = ["shoal", "run", "release.toml", "-o", "new/deep/release"]
main()
"""


PRIVATE = """[method]
name = "safepub"
epsilon = 2.0
delta = 1e-3
mode = "MODE"

[budget]
limit = { epsilon = 3.0, delta = 1e-2 }
ledger = "books"
"""


def stop(desk, stage, number, something_to_clean_up=True):
    """Start a run, stop it by a signal at a stage, and see that all it says is that it was stopped."""
    before = listing(desk.folder)
    ready = desk.folder.parent / "ready"
    program = f"STAGE, READY = {stage!r}, {str(ready)!r}\n{PROGRAM}"
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=desk.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        while not ready.exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        assert (listing(desk.folder) != before) == something_to_clean_up
        process.send_signal(number)
        printed, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (printed, errors) == ("", "error: stopped; nothing was written.\n")
    assert process.returncode == 130
    assert listing(desk.scratch) == {}


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_run_that_is_stopped_leaves_nothing(desk, stage, number):
    desk.write("people.csv", "\n".join([NAMES, *people(2000)]))
    before = listing(desk.folder)
    stop(desk, stage, number, something_to_clean_up=stage != "reading and counting")
    assert listing(desk.folder) == before


@pytest.mark.parametrize(
    ("mode", "stage"), [("rigorous", "scoring schemes"), ("as_published", "searching the lattice")]
)
def test_a_search_for_a_private_scheme_that_is_stopped_leaves_nothing_but_what_it_paid(desk, mode, stage):
    desk.write("people.csv", "\n".join([NAMES, *people(2000)]))
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    desk.change('[method]\nname = "optimal-lattice"\nk = 3\n', PRIVATE.replace("MODE", mode))
    before = listing(desk.folder)
    stop(desk, stage, signal.SIGINT)
    after = {name: content for name, content in listing(desk.folder).items() if not name.startswith("books")}
    assert after == before
    booked = json.loads(desk.done("ledger", "people.csv", "--store", "books", "--json"))
    assert booked["spent"] == [{"epsilon": 2.0, "delta": 0.001, "neighbors": "add/remove one record"}]
    assert "limit" in desk.refused("run", "release.toml")  # what was paid is gone
