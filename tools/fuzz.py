"""`make fuzz`: damage what Shoal reads, run the command on it, and say what no run may do.

    python tools/fuzz.py [--runs 2000] [--seconds 600] [--seed 0] [--first 0] [--only KIND] [--keep FOLDER]

Everything that a run needs is loaded once, and processes that have it make forty runs each, with 30 seconds of
processor time for every run; what one does not survive is told, and the next one is made by another process. A fault
is looked for again in a process of its own. One run in ten also makes the owner's report. What fails is kept with its
number; the same seed damages the same bytes again, and `--first` goes on where an earlier time ended.
"""

import argparse
import collections
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(TESTS / "fuzz"), str(TESTS / "adversary")]
TEXTS = (".toml", ".json", ".xml")


def main() -> None:
    """Fuzz, and print what came of it."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path, default=None)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        for variable, name in (("XDG_DATA_HOME", "home"), ("TMPDIR", "temporary")):
            (here / name).mkdir()
            os.environ[variable] = str(here / name)
        wrong = fuzz(here, asked)
    sys.exit(1 if wrong else 0)


def fuzz(here: Path, asked: argparse.Namespace) -> int:
    """Make the runs that are asked for; how many faults there were."""
    from bases import bases
    from judging import load, one_run
    from mutating import mutated
    from observing import Server

    server, started, folder = Server(), time.monotonic(), here / "run"
    known = [base for base in bases(here / "bases", server) if asked.only in base.kind]
    assert known, "there is no such kind"
    for base in known:  # what is sound goes through, and all runs find it loaded
        load(server, base, folder, report=base is known[0])
        shutil.rmtree(folder)
        found, code, _ = one_run(server, base, base.content, folder)
        if found or code:
            sys.exit(
                f"{base.folder.name} {base.damaged} is not sound: {code} {found} {(folder / 'stderr').read_text()}"
            )
        shutil.rmtree(folder)
    tally: collections.Counter[str] = collections.Counter()
    ends: collections.Counter[tuple[str, str]] = collections.Counter()
    faults: collections.Counter[str] = collections.Counter()
    longest, taken, number = 0.0, 0.0, asked.first
    for number in range(asked.first, asked.first + asked.runs):
        if time.monotonic() - started > asked.seconds:
            break
        rng = random.Random(f"{asked.seed}-{number}")
        base = rng.choice(known)
        content = mutated(base.content, rng, is_text=base.damaged.endswith(TEXTS))
        report = rng.random() < 0.1
        found, code, seconds = one_run(server, base, content, folder, report=report, among_others=True)
        shutil.rmtree(folder)
        tally[base.kind] += 1
        ends[base.kind, "fine" if code == 0 else "refused" if code in (1, 2) else "broken"] += 1
        longest, taken = max(longest, seconds), taken + seconds
        if found:
            faults[base.kind] += 1
            again, _, _ = one_run(server, base, content, folder, report=report)
            shutil.rmtree(folder)
            alone = "" if again else ", not by itself"
            print(f"{number} {base.folder.name} {base.damaged}: {'; '.join(found)}{alone}", flush=True)
            if asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                kept = f"{asked.seed}-{number}-{base.folder.name}-{Path(base.damaged).name}"
                (asked.keep / kept).write_bytes(content)
        if tally.total() % 1000 == 0:
            print(f"{tally.total():,} runs, {taken:,.0f} s of the processor, {faults.total():,} faults", flush=True)
    server.close()
    print(f"\n{'what was damaged':20s} {'runs':>7s} {'fine':>7s} {'refused':>8s} {'faults':>7s}")
    for kind in sorted(tally):
        print(f"{kind:20s} {tally[kind]:7,d} {ends[kind, 'fine']:7,d} {ends[kind, 'refused']:8,d} {faults[kind]:7,d}")
    print(
        f"{'all':20s} {tally.total():7,d} runs, {faults.total():,d} faults, seed {asked.seed}; "
        f"{taken:,.0f} s of the processor, {longest:.1f} s for the longest"
    )
    return faults.total()


if __name__ == "__main__":
    main()
