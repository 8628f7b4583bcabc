"""A custodian's first hour: `shoal init`, `shoal run`, `shoal check`, on twenty public tables, without a single edit.

Each table is taken as it comes (see tables.py) through the command line alone. Printed are the commands that failed,
with the first words of the reason, the method that `init` proposed, the loss of the release, the share of records left
out, what `check` says, and the CPU seconds of the three commands together. A release is good when its loss is below 0.3
and nothing is refuted. Of one that is not it is noted whether `init` had said so: how much the quasi-identifiers tell
people apart, how much groups of five leave room for, and which columns to give up first.

Guesses and defaults were chosen with these tables in view. `--untouched` takes ten others, at which nobody looked.

Run: python experiments/newcomer/first_hour.py [--untouched] [--source FOLDER] [TABLE ...]
     (--source: the folder `src` of another version of Shoal, to compare)
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tables import TABLES, UNTOUCHED, Public

GOOD = 0.3
LIMIT = 600  # seconds that somebody would wait


@dataclass
class Hour:
    """What happened to one table."""

    failed: int = 0
    is_warned: bool = False
    loss: float | None = None
    left_out: float | None = None
    method: str = ""
    checked: str = ""
    reasons: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """A release that somebody can use, without a run that failed before."""
        return self.loss is not None and self.loss < GOOD and self.checked == "holds" and self.failed == 0


def shoal(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shoal", *arguments]
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"ended after {LIMIT} s")


def first_hour(public: Public, environment: dict[str, str]) -> Hour:
    hour = Hour()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = public.write(folder)
        begun = shoal(folder, environment, "init", table.name)
        if begun.returncode:
            hour.failed += 1
            hour.reasons.append(_reason("init", begun))
            return hour
        hour.is_warned = "leave room for" in " ".join(begun.stdout.split())
        _run(folder, environment, hour)
        if hour.loss is not None:
            checked = shoal(folder, environment, "check", "release")
            hour.checked = "holds" if checked.returncode == 0 else "refuted"
    return hour


def _run(folder: Path, environment: dict[str, str], hour: Hour) -> None:
    ran = shoal(folder, environment, "run", "release.toml", "--force")
    if ran.returncode:
        hour.failed += 1
        hour.reasons.append(_reason("run", ran))
        return
    loss = re.search(r"loss ([0-9.]+\d)", ran.stdout)
    left_out = re.search(r"\(([0-9.]+)%\)", ran.stdout)
    method = re.search(r"anonymized with ([a-z-]+)", ran.stdout)
    hour.loss = float(loss[1]) if loss else None
    hour.left_out = float(left_out[1]) if left_out else 0.0
    hour.method = method[1] if method else ""


def _reason(command: str, ended: subprocess.CompletedProcess[str]) -> str:
    words = " ".join(ended.stderr.split()) or " ".join(ended.stdout.split())
    return f"{command}: {words[:200]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", help="names of tables; all of them if none is given")
    parser.add_argument("--untouched", action="store_true", help="ten tables that nothing was chosen by")
    parser.add_argument("--source", type=Path, help="the folder `src` of another version")
    said = parser.parse_args()
    environment = dict(os.environ)
    if said.source:
        environment["PYTHONPATH"] = str(said.source.resolve())
    print(f"{'table':24s} {'file':20s} {'method':16s} {'failed':>6s} {'loss':>6s} {'left out':>8s} check    CPU s")
    good = warned = 0
    tables = UNTOUCHED if said.untouched else TABLES
    chosen = [public for public in tables if not said.tables or public.name in said.tables]
    for public in chosen:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        hour = first_hour(public, environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        loss = "-" if hour.loss is None else f"{hour.loss:.3f}"
        left_out = "-" if hour.left_out is None else f"{hour.left_out:.1f}%"
        good += hour.good
        warned += hour.is_warned and not hour.good and not hour.failed
        print(
            f"{public.name:24s} {public.file:20s} {hour.method:16s} {hour.failed:6d} {loss:>6s} "
            f"{left_out:>8s} {hour.checked or '-':8s} {seconds:5.1f}",
            flush=True,
        )
        for reason in hour.reasons:
            print(f"    {reason}")
    print(f"{good} of {len(chosen)} good: loss below {GOOD}, nothing refuted, no failed run")
    print(f"of {warned} others init had said that groups leave room for less than their columns tell")


if __name__ == "__main__":
    main()
