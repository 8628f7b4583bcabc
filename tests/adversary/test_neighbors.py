"""Neighboring tables through the command line: nothing that an observer sees differs beyond the law of the release."""

import shutil
import subprocess
import sys

import pytest
from observing import differences, environment, look
from tables import METHODS, pair, person_pair

PAIRS = 5
"""Of each method, in the default suite."""
FEW = 2
"""Of each method, with persons who have several records, in the default suite."""
MANY = 400
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


DAMAGED = [b"\xff\xfe,30", b"a,\xe4\xe4", b"\0,\0", b"a", b"a,30,\xff,", b"\xc3"]
"""Records that are no text, or have another number of cells."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("damaged", DAMAGED[:2], ids=["bytes", "bytes in a number"])
def test_a_record_that_is_no_text_decides_nothing(server, tmp_path, method, damaged):
    _compare_damaged(server, tmp_path / "run", method, damaged)


@pytest.mark.parametrize("damaged", DAMAGED[2:], ids=["nul", "short", "long", "half a letter"])
def test_a_record_that_is_no_record_decides_nothing(server, tmp_path, damaged):
    _compare_damaged(server, tmp_path / "run", "safepub", damaged)


def test_a_method_that_protects_no_record_refuses_one_that_is_no_text(server, tmp_path):
    (tmp_path / "release.toml").write_text(DAMAGED_PLAN.replace("METHOD", 'name = "mondrian"\nk = 2'))
    (tmp_path / "people.csv").write_bytes(b"town,age\na,30\na,30\n\xff,30\n")
    server.start(tmp_path, "run", "release.toml", report=False)
    seen = look(tmp_path, server.code())
    assert seen.code == 1
    assert "is not written in utf-8" in seen.errors


def _compare_damaged(server, folder, method, damaged):
    """One record is damaged, or not there; of k-epsilon only what is perturbed may be."""
    good = [b"a,30", b"b,40", b"a,41"] * 12
    if method == "k-epsilon":
        damaged = b"a," + damaged.split(b",")[1]
    replaced = [good[0]] if method in ("k-epsilon", "microaggregation-dp") else []
    found = []
    for rows in ([*replaced, *good], [damaged, *good]):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "release.toml").write_text(
            DAMAGED_PLAN.replace("METHOD", PARAMETERS[method] + '\n[budget]\nledger = "books"')
        )
        (folder / "people.csv").write_bytes(b"\n".join([b"town,age", *rows]))
        server.start(folder, "run", "release.toml", report=False)
        found.append(look(folder, server.code()))
    assert not differences(*found)
    assert [seen.code for seen in found] == [0, 0], found[0].errors


DAMAGED_PLAN = """
[data]
path = "people.csv"
person = "row"
[columns.town]
role = "quasi-identifier"
domain = ["a", "b"]
[columns.age]
role = "quasi-identifier"
domain = { from = 0, to = 99 }
[method]
METHOD
"""
PARAMETERS = {
    "safepub": 'name = "safepub"\nepsilon = 2\ndelta = 0.2\nsampling_rate = 0.4',
    "diffgen": 'name = "diffgen"\nepsilon = 2\ntarget = "town"\nspecializations = 1',
    "marginals": 'name = "marginals"\nepsilon = 2\ntarget = "town"',
    "k-epsilon": 'name = "k-epsilon"\nepsilon = 2\nperturbed = ["age"]\nanonymizer = { name = "ola", k = 2 }',
    "microaggregation-dp": 'name = "microaggregation-dp"\nepsilon = 2\nk = 1',
}


@pytest.mark.slow
@pytest.mark.parametrize("make", [pair, person_pair])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("part", range(PARTS))
def test_thousands_of_neighbors_look_alike(server, tmp_path, method, part, make):
    many = MANY if make is pair else MANY // 4
    for seed in range(1000 + part * many // PARTS, 1000 + (part + 1) * many // PARTS):
        compare(server, seed, method, tmp_path / "run", report=seed % 25 == 0, make=make)


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
