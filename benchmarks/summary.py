"""`make bench`: one table of what users wait for, whole calls in new processes beside the search alone and the peers.

CPU seconds (user and system, all threads), least of a few runs. Peers are measured in the same run where they are
installed (`pip install "shoal[peers]"`), on as many records as they can take. The other scripts of this folder look
closer, one at a time, and take longer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_run import METHODS, adult_file, large_file, plan_for, timed
from common import CACHE, machine

PEER_RECORDS = 5_000
"""Of Adult: what takes the peers some seconds."""

SECONDS = 120
"""After so many a job is given up."""

START = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import pandas as pd
import shoal
from common import adult_csv, adult_schema
from pathlib import Path
"""
CALL = """
def timed(work, runs=3):
    took = []
    for _ in range(runs):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return min(took)
"""
SCHEMA = 'schema = adult_schema().with_column("occupation", role="sensitive")\n'
SEARCH = """
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
from shoal.pipeline import encoded
from shoal.plan.plan import Plan
plan = Plan.load(Path({plan!r}))
method, schema = plan.method, plan.schema
table = encoded(plan.data.engine(), schema, method)
method.run(table)
print(json.dumps(timed(lambda: method.run(table), {runs})))
"""
FRAME = """
import numpy as np
rng = np.random.default_rng(0)
wide = pd.DataFrame({f"c{i}": rng.integers(0, 3 + 2 * i, 50_000).astype(str if i % 2 else int) for i in range(20)})
roles = shoal.Schema()
for i in range(20):
    roles = roles.with_column(f"c{i}", role="quasi-identifier" if i < 6 else "insensitive", unlinkable=i >= 6)
"""


def main() -> None:
    print(f"{machine()}\n")
    print(f"{'CPU seconds':<58} {'whole':>8} {'search':>8} {'peer':>9} {'times':>7}  which")
    started = time.perf_counter()
    _commands()
    _calls()
    print(f"\n{time.perf_counter() - started:.0f} seconds by the clock")


def _commands() -> None:
    """`shoal run`, CSV to CSV with the owner's report, as a user would time it."""
    _row("import shoal", lambda: _program("import shoal"))
    _row(
        "shoal --help",
        lambda: _program("import sys; sys.argv[1:] = ['--help']; from shoal.cli.main import main; main()"),
    )
    with tempfile.TemporaryDirectory() as folder:
        for table, data, runs in (("Adult", adult_file(), 3), ("1.2 million rows", large_file(), 1)):
            for name, method in METHODS.items():
                plan = plan_for(Path(folder), data, method)
                search = None if "safepub" in name else SEARCH.format(plan=str(plan), runs=runs)
                _row(
                    f"shoal run, {name}, {table}",
                    lambda plan=plan, runs=runs: min(timed(plan)[0] for _ in range(runs + 1)),
                    None if search is None else lambda search=search: _inside(search),
                )
        plan = plan_for(Path(folder), adult_file(), METHODS["mondrian, k = 5"])
        with tempfile.TemporaryDirectory() as cache:
            _row("shoal run, mondrian, Adult, the first on a machine", lambda: timed(plan, NUMBA_CACHE_DIR=cache)[0])


def _calls() -> None:
    """Calls in Python, a data frame to a data frame, beside packages that do the same."""
    some = f"frame = pd.read_csv(adult_csv()).head({PEER_RECORDS})\nnames = [c for c in frame if c != 'occupation']\n"
    ours = "method = shoal.Mondrian(k=5)\nwork = lambda: method.anonymize(frame, schema).data\nwork()\n"
    kinds = "for c in frame:\n    frame[c] = frame[c] if c == 'age' else frame[c].astype('category')\n"
    anonypy = (
        "import anonypy\nwork = lambda: anonypy.Preserver(frame, names, 'occupation').anonymize_k_anonymity(k=5)\n"
    )
    anonypyx = "import anonypyx\nwork = lambda: anonypyx.Anonymiser(frame, k=5, feature_columns=names).anonymise()\n"
    told = "print(json.dumps(timed(work, {runs})))\n"
    mondrian = lambda: _inside(some + SCHEMA + ours + told.format(runs=3))  # noqa: E731
    for peer, theirs in (("anonypy", anonypy), ("anonypyx", anonypyx)):
        _row(
            f"Mondrian, k = 5, {PEER_RECORDS:,} records",
            mondrian,
            peer=(peer, lambda theirs=theirs: _inside(some + kinds + theirs + told.format(runs=1))),
        )
    coarse = SCHEMA + (
        "frame = shoal.OptimalLattice(k=5, suppression_limit=0.04).anonymize(pd.read_csv(adult_csv()), schema).data\n"
        "names = [c for c in frame if c != 'occupation']\n"
    )
    measure = "work = lambda: shoal.measure(frame, schema)\nwork()\n"
    pycanon = (
        "from pycanon import anonymity as a\nframe = frame.reset_index(drop=True).astype(str)\n"
        "def work():\n    a.k_anonymity(frame, names)\n"
        "    fs = a.l_diversity, a.entropy_l_diversity, a.t_closeness, a.basic_beta_likeness, a.delta_disclosure\n"
        "    for f in fs:\n"
        "        f(frame, names, ['occupation'])\n"
    )
    _row(
        "k, diversity, closeness, likeness, disclosure of a release",
        lambda: _inside(coarse + measure + told.format(runs=3)),
        peer=("pycanon", lambda: _inside(coarse + pycanon + told.format(runs=1))),
    )
    wide = "work = lambda: shoal.{method}.anonymize(wide, roles).data\nwork()\n"
    for method in ("OptimalLattice(k=5, suppression_limit=0.05)", "Mondrian(k=5)"):
        _row(
            f"{method.split('(')[0]}, a frame of 50,000 x 20",
            lambda method=method: _inside(FRAME + wide.format(method=method) + told.format(runs=3)),
        )


def _row(
    what: str,
    whole: Callable[[], float],
    search: Callable[[], float] | None = None,
    peer: tuple[str, Callable[[], float]] | None = None,
) -> None:
    ours, alone = _tried(whole), None if search is None else _tried(search)
    theirs = None if peer is None else _tried(peer[1])
    ratio = "" if theirs is None or isinstance(theirs, str) or isinstance(ours, str) else f"{theirs / ours:,.0f}"
    cells = [f"{each:.2f}" if isinstance(each, float) else each or "" for each in (ours, alone, theirs)]
    print(f"{what:<58} {cells[0]:>8} {cells[1]:>8} {cells[2]:>9} {ratio:>7}  {peer[0] if peer else ''}", flush=True)


def _tried(work: Callable[[], float]) -> float | str:
    """Seconds, or why there are none: no benchmark stops the others."""
    try:
        return float(work())
    except subprocess.TimeoutExpired:
        return f">{SECONDS}"
    except subprocess.CalledProcessError as error:
        return "absent" if b"ModuleNotFoundError" in (error.stderr or b"") else "failed"
    except SystemExit:
        return "failed"


def _program(text: str) -> float:
    """CPU seconds of a new process that runs this, the least of three."""
    took = []
    for _ in range(3):
        before = os.times()
        subprocess.run(
            [sys.executable, "-c", text], check=True, capture_output=True, timeout=SECONDS, env=_environment()
        )
        after = os.times()
        took.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(took)


def _inside(text: str) -> float:
    """CPU seconds that a new process tells of what it repeats."""
    done = subprocess.run(
        [sys.executable, "-c", START + CALL + text],
        check=True,
        capture_output=True,
        timeout=SECONDS,
        cwd=Path(__file__).parent,
        env=_environment(),
    )
    return float(json.loads(done.stdout.splitlines()[-1]))


def _environment() -> dict[str, str]:
    own = {"PYTHONPYCACHEPREFIX": str(CACHE / "bytecode")}
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own


if __name__ == "__main__":
    main()
