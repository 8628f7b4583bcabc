"""kill -9 at any moment after the reservation: no budget comes back, and nothing partial has the name of a release."""

import random
import time
from dataclasses import replace

import pytest
from tables import METHODS, pair

from shoal.dp.ledger.fingerprint import Dataset
from shoal.dp.ledger.store import LedgerStore
from shoal.promises.checking import check_release

COMPLETE = {"README.md", "certificate.json"}


def runs_killed(server, folder, method, kills, seed, words=()):
    """Run again and again on one dataset, each time killed at another moment; how many had ended before."""
    rng = random.Random(seed)
    made = pair(3, method)
    made = replace(made, plan=made.plan.replace("delta = 0.2", "delta = 0.001"))  # all of them together stay below 1
    made.write(0, folder)
    store, people = LedgerStore(folder / "books"), Dataset.of(folder / made.data)
    started = time.monotonic()
    server.start(folder, "run", "release.toml", *words, "-o", "release-0", report=False, kill_after=None)
    assert server.code() == 0
    longest = time.monotonic() - started
    ended = 0
    for number in range(1, kills + 1):
        (folder / "reserved").unlink()
        output = folder / f"release-{number}"
        moment = rng.random() * longest
        server.start(folder, "run", "release.toml", *words, "-o", output.name, report=False, kill_after=moment)
        code = server.code()
        assert code in (-9, 0)
        assert (folder / "reserved").exists()
        history = store.history(people)  # also checks every seal
        assert len(history) == number + 1  # what was reserved is spent, whatever came of it
        if code == 0:
            ended += 1
            assert output.exists()
        if output.exists():  # whole, or not there
            assert {path.name for path in output.iterdir()} >= COMPLETE
            check_release(output)
    return ended


@pytest.mark.parametrize("method", ["safepub"])
def test_a_run_that_is_killed_regains_nothing_and_leaves_no_part_of_a_release(server, tmp_path, method):
    runs_killed(server, tmp_path, method, 6, seed=1)


@pytest.mark.slow
def test_nor_does_one_that_is_killed_while_duckdb_counts(server, tmp_path):
    pytest.importorskip("duckdb")
    runs_killed(server, tmp_path, "diffgen", 12, seed=3, words=("--engine", "duckdb", "--memory", "500MB"))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_two_hundred_runs_that_are_killed(server, tmp_path, method):
    assert runs_killed(server, tmp_path, method, 40, seed=2) < 40  # else nobody was killed
