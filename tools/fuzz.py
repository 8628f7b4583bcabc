"""`make fuzz`: damage what Shoal reads, run the command on it, and say what no run may do.

    python tools/fuzz.py [--runs 2000] [--seconds 600] [--seed 0] [--only KIND] [--keep FOLDER]

Each run has a process of its own with 30 seconds of processor time. What fails is kept with its number; the same seed
damages the same bytes again.
"""

import argparse
import collections
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(TESTS / "fuzz"), str(TESTS / "adversary")]


def main() -> None:
    """Fuzz, and print what came of it."""
    from bases import bases
    from judging import one_run
    from mutating import mutated
    from observing import Server

    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path, default=None)
    asked = parser.parse_args()
    server, started = Server(), time.monotonic()
    tally, codes, wrong = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        known = [base for base in bases(Path(scratch) / "bases", server) if asked.only in base.kind]
        assert known, "there is no such kind"
        for base in known:  # what is sound goes through
            found, code = one_run(server, base, base.content, Path(scratch) / "run")
            if found or code:
                said = (Path(scratch) / "run" / "stderr").read_text()
                sys.exit(f"{base.folder.name} {base.damaged} is not sound: {code} {found} {said}")
            shutil.rmtree(Path(scratch) / "run")
        for number in range(asked.runs):
            if time.monotonic() - started > asked.seconds:
                break
            rng = random.Random(f"{asked.seed}-{number}")
            base = rng.choice(known)
            folder = Path(scratch) / "run"
            content = mutated(base.content, rng, is_text=base.damaged.endswith((".toml", ".json")))
            found, code = one_run(server, base, content, folder)
            tally[base.kind] += 1
            codes[base.kind, "fine" if code == 0 else "refused" if code in (1, 2) else "broken"] += 1
            if found:
                wrong.append((number, base, found))
                print(f"{number} {base.folder.name} {base.damaged}: {'; '.join(found)}", flush=True)
                if asked.keep:
                    asked.keep.mkdir(parents=True, exist_ok=True)
                    (asked.keep / f"{number}-{base.folder.name}-{Path(base.damaged).name}").write_bytes(content)
            shutil.rmtree(folder)
    server.close()
    print(f"\n{'what was damaged':20s} {'runs':>7s} {'fine':>7s} {'refused':>8s} {'faults':>7s}")
    for kind in sorted(tally):
        bad = sum(base.kind == kind for _, base, _ in wrong)
        print(f"{kind:20s} {tally[kind]:7,d} {codes[kind, 'fine']:7,d} {codes[kind, 'refused']:8,d} {bad:7,d}")
    print(f"{'all':20s} {tally.total():7,d} runs, {len(wrong):,d} faults, seed {asked.seed}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
