"""kill -9 two hundred times: a fifth each of five kinds of runs, at moments spread evenly over all that a run does.

Run: python experiments/reliability/killed.py [--kills 200] [--seed 1]

After every kill a release is whole or not there, and what replaced it belongs to the report beside it; the ledger has
forgotten nothing; and when the next command has begun, nothing is left in the folder of the release, in the temporary
folder or beside the ledger that is not to stay.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import sys
import tempfile
import time
import tomllib
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
sys.path += [str(TESTS / "adversary"), str(TESTS / "fuzz")]

KINDS = (
    ("safepub", ()),
    ("safepub", ("--force",)),
    ("diffgen", ("--force", "--engine", "duckdb", "--memory", "500MB")),
    ("mondrian", ("--force",)),
    ("marginals", ("--force",)),
)


def plan(method: str, number: int) -> str:
    """A release file that names its run, with a price that two hundred runs can pay."""
    from bases import release_file

    text = release_file(method).replace("delta = 0.1", "delta = 0.001")
    return f'[release]\ntitle = "run {number}"\n\n{text}'


def trouble(folder: Path, temporary: Path, spent: int) -> str:
    """What is wrong after a kill and the beginning of the next command; nothing if all is as it should be."""
    from shoal.dp.ledger.fingerprint import Dataset
    from shoal.dp.ledger.store import LedgerStore
    from shoal.files.remains import clear_away
    from shoal.promises.checking import check_release

    release, owner = folder / "release", folder / "release-owner"
    if release.exists():
        check_release(release)  # also before anybody has tidied up
    clear_away()
    hidden = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if hidden or list(temporary.glob("shoal-*")):
        return f"something was left: {hidden} {list(temporary.iterdir())}"
    if release.exists() != owner.exists():
        return "a release without a report, or a report without a release"
    if release.exists():
        check_release(release)
        title = json.loads((release / "certificate.json").read_text(encoding="utf-8"))["release"]["title"]
        if tomllib.loads((owner / "release.toml").read_text(encoding="utf-8"))["release"]["title"] != title:
            return "a release beside the report of another"
    if (folder / "books").exists():
        store = LedgerStore(folder / "books")
        history = store.history(Dataset.of(folder / "people.csv"))  # every seal is checked
        if len(history) < spent:
            return f"the ledger has {len(history)} rows, and had {spent}"
        drafts = list((folder / "books").glob("ledger.key.*"))
        if len(drafts) > 1:  # that of the last one, which the next writing removes
            return f"drafts of the key were left: {drafts}"
    return ""


def kill(server: object, here: Path, kind: int, kills: int, rng: random.Random) -> tuple[int, int, int]:
    """Kill so many runs of a kind; how many were killed, how many had ended before, and how many left a release."""
    from bases import _folder, _written

    from shoal.dp.ledger.fingerprint import Dataset
    from shoal.dp.ledger.store import LedgerStore

    method, words = KINDS[kind]
    folder = _folder(here / f"{kind}-{method}", method)
    _written(folder, "csv")
    command = ("run", "release.toml", "-o", "release", *words)
    longest, killed, ended, written, spent = 0.0, 0, 0, 0, 0
    for number in itertools.count(-2):
        if killed == kills:
            break
        (folder / "release.toml").write_text(plan(method, number), encoding="utf-8")
        if "--force" not in words:
            for path in (folder / "release", folder / "release-owner"):
                for file in path.iterdir() if path.exists() else ():
                    file.unlink()
                if path.exists():
                    path.rmdir()
        began, more = time.monotonic(), {}
        if number >= 0:  # the first two tell how long it takes
            more = {"kill_at": longest * (killed + rng.random()) / kills}
        server.start(folder, *command, report=False, **more)  # type: ignore[attr-defined]
        code = server.code()  # type: ignore[attr-defined]
        if code == 0:  # as long as the last one that was left alone, for the machine may have become faster
            longest = time.monotonic() - began
        assert code in ((-9, 0) if number >= 0 else (0,)), (code, (folder / "stderr").read_text(encoding="utf-8"))
        killed, ended = killed + (code == -9), ended + (code == 0 and number >= 0)
        wrong = trouble(folder, Path(os.environ["TMPDIR"]), spent)
        assert not wrong, (method, words, number, wrong)
        written += code == -9 and (folder / "release").exists()
        if (folder / "books").exists():
            spent = len(LedgerStore(folder / "books").history(Dataset.of(folder / "people.csv")))
    return killed, ended, written


def main() -> None:
    """Kill, and print what came of it."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        for variable, name in (("XDG_DATA_HOME", "home"), ("TMPDIR", "temporary")):
            (here / name).mkdir()
            os.environ[variable] = str(here / name)
        tempfile.tempdir = os.environ["TMPDIR"]
        from observing import Server

        server, rng = Server(), random.Random(asked.seed)
        for kind, (method, words) in enumerate(KINDS):
            killed, ended, written = kill(server, here, kind, asked.kills // len(KINDS), rng)
            print(
                f"{method} {' '.join(words)}: {killed} killed, {ended} had ended before; {written} of those killed had "
                "a release, whole and with its own report",
                flush=True,
            )
        server.close()
    print("nothing partial, nothing left, nothing regained")


if __name__ == "__main__":
    main()
