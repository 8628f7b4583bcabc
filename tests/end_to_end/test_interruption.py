"""A run that is stopped, politely or by Ctrl-C, leaves nothing behind: no output, no temporary file, no new folder."""

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

import shoal.engines.scatter as scatter
import shoal.engines.source as source
import shoal.engines.csv_source as csv_source
import shoal.pipeline as pipeline
from shoal.cli.main import main

scatter.BUCKET_ROWS, csv_source._BLOCK = 500, 4096
publish = pipeline.publish


def slow(task, done):
    if task == STAGE:
        Path(READY).touch()
        while True:
            time.sleep(0.01)


def slowly(plan, progress, *rest):
    release = publish(plan, slow, *rest)
    write = release.writer
    object.__setattr__(release, "writer", lambda path, _progress: write(path, slow))
    return release


pipeline.publish = slowly
sys.argv = ["shoal", "run", "release.toml", "-o", "new/deep/release"]
main()
"""


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_run_that_is_stopped_leaves_nothing(desk, stage, number):
    desk.write("people.csv", "\n".join([NAMES, *people(2000)]))
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
        if stage != "reading and counting":
            assert listing(desk.folder) != before  # there is something to clean up
        process.send_signal(number)
        printed, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (printed, errors) == ("", "error: stopped; nothing was written.\n")
    assert process.returncode == 130
    assert listing(desk.folder) == before
    assert listing(desk.scratch) == {}
