"""Neighboring tables through the command line: nothing that an observer sees differs beyond the law of the release."""

import shutil
import subprocess
import sys

import pytest
from observing import Server, differences, environment, look
from tables import METHODS, pair, person_pair

PAIRS = 6
"""Of each method, in the default suite."""
FEW = 4
"""Of each method, with persons who have several records, in the default suite."""
MANY = 500
"""Of each method, in `make slow`."""
PARTS = 2
"""So that two processes share the work."""


def observed(server, made, folder, *, report):
    """Both runs, one after the other, in folders of the same name."""
    found = []
    for which in (0, 1):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        made.write(which, folder)
        server.start(folder, "run", "release.toml", settings=made.settings, report=report)
        found.append(look(folder, server.code()))
    return found


def compare(server, seed, method, folder, *, report=False, make=pair):
    made = make(seed, method)
    one, other = observed(server, made, folder, report=report)
    found = differences(one, other)
    assert not found, (seed, method, made.settings, made.plan, *found)
    assert one.code == 0, (seed, method, one.errors, made.plan)
    return one, other


@pytest.mark.parametrize("method", METHODS)
def test_neighbors_look_alike(server, tmp_path, method):
    for seed in range(PAIRS):
        compare(server, seed, method, tmp_path / "run", report=seed < 1)


@pytest.mark.parametrize("method", METHODS)
def test_tables_with_and_without_a_person_look_alike(server, tmp_path, method):
    for seed in range(FEW):
        compare(server, seed, method, tmp_path / "run", report=seed < 1, make=person_pair)


@pytest.mark.slow
@pytest.mark.parametrize("make", [pair, person_pair])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("part", range(PARTS))
def test_thousands_of_neighbors_look_alike(tmp_path, method, part, make):
    server = Server()
    many = MANY if make is pair else MANY // 4
    try:
        for seed in range(1000 + part * many // PARTS, 1000 + (part + 1) * many // PARTS):
            compare(server, seed, method, tmp_path / "run", report=seed % 25 == 0, make=make)
    finally:
        server.close()


@pytest.mark.parametrize("method", METHODS[::2])
def test_a_process_of_its_own_shows_the_same(server, tmp_path, method):
    """What the server makes is what `shoal run` makes when Python starts anew."""
    made = pair(3, method)
    folder = tmp_path / "run"
    served, _ = observed(server, made, folder, report=True)
    shutil.rmtree(folder)
    folder.mkdir()
    made.write(0, folder)
    with (folder / "stdout").open("w") as out, (folder / "stderr").open("w") as err:
        command = [sys.executable, "-m", "shoal", "run", "release.toml"]
        done = subprocess.run(command, cwd=folder, stdout=out, stderr=err, check=False, env=environment())
    assert not differences(served, look(folder, done.returncode))
