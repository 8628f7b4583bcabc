"""Run the experiments that have no result yet, one after the other; stop it whenever you like, and go on another day.

    python experiments/run.py                     # all, at settings that take about two minutes each
    python experiments/run.py safepub/ figure_2   # those whose path has one of these words
    python experiments/run.py --full              # as often as in the papers: a day or two
    python experiments/run.py --list              # what there is, what is done, how long the rest takes

What a script prints is kept as JSON in `experiments/results` (or `--results`, or `SHOAL_RESULTS`), with its arguments,
seconds and the fingerprint of its source: a script that has changed since is run again, and so are all with `--again`.
A script that finds no data, or lacks a package, says why; it is tried again next time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench import RESULTS, machine

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Script:
    """An experiment, and what is known of it before it is run."""

    path: str
    seconds: float
    """Of CPU, with its defaults."""
    full: tuple[str, ...] = ("--full",)
    """Arguments for the paper's number of repetitions."""
    full_seconds: float | None = None

    def arguments(self, is_full: bool) -> tuple[str, ...]:
        """What it is run with."""
        return self.full if is_full else ()

    def expected(self, is_full: bool) -> float:
        """Seconds it should take."""
        return (self.full_seconds or 10 * self.seconds) if is_full and self.full else self.seconds

    def fingerprint(self) -> str:
        """Of the script, and of what its folder shares."""
        found = hashlib.sha256()
        for file in (HERE / self.path, (HERE / self.path).with_name("common.py")):
            found.update(file.read_bytes() if file.exists() else b"")
        return found.hexdigest()[:16]


def scripts() -> tuple[Script, ...]:
    """What `scripts.toml` lists."""
    listed = tomllib.loads((HERE / "scripts.toml").read_text(encoding="utf-8"))
    return tuple(
        Script(path, **{**said, "full": tuple(said.get("full", ("--full",)))}) for path, said in listed.items()
    )


class Results:
    """What was found so far: a file for each script and setting."""

    def __init__(self, folder: Path, is_full: bool) -> None:
        self.folder, self.is_full = folder, is_full

    def path(self, script: Script) -> Path:
        """Where the result of a script is."""
        name = script.path.removesuffix(".py").replace("/", ".")
        return self.folder / f"{name}{'.full' if self.is_full else ''}.json"

    def has(self, script: Script) -> bool:
        """Is there one, of the script as it is?"""
        try:
            found = json.loads(self.path(script).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(found["fingerprint"] == script.fingerprint())

    def keep(self, script: Script, found: dict[str, Any]) -> None:
        """Whole or not at all: a result that is there is complete."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(script)
        draft = path.with_suffix(f".{os.getpid()}.draft")
        draft.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(path)


class Clock:
    """How long the rest will take: what was expected of it, times how wrong expectations have been so far."""

    def __init__(self, todo: Sequence[Script], is_full: bool) -> None:
        self._left = {script: script.expected(is_full) for script in todo}
        self._expected = self._took = 0.0

    def done(self, script: Script, seconds: float) -> None:
        """One less."""
        self._expected += self._left.pop(script)
        self._took += seconds

    @property
    def remaining(self) -> float:
        """Seconds for the rest."""
        slower = self._took / self._expected if self._expected else 1.0
        return slower * sum(self._left.values())


def run(script: Script, results: Results) -> Iterator[str]:
    """Run one; yields its lines, and keeps them if it came to its end."""
    arguments = script.arguments(results.is_full)
    started, cpu = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    fingerprint = script.fingerprint()
    lines = []
    with subprocess.Popen(
        [sys.executable, "-u", str(HERE / script.path), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"SHOAL_RESULTS": str(results.folder)},
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line.rstrip("\n"))
                yield lines[-1]
        except BaseException:
            process.terminate()
            raise
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode == 0:
        found = {
            "script": script.path,
            "arguments": arguments,
            "fingerprint": fingerprint,
            "machine": machine(),
            "seconds": round(time.time() - started, 1),
            "cpu_seconds": round(after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime, 1),
            "output": lines,
        }
        results.keep(script, found)


def shown(seconds: float) -> str:
    """Seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def asked() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="run only scripts whose path has one of these words")
    parser.add_argument("--full", action="store_true", help="the papers' number of repetitions")
    parser.add_argument("--again", action="store_true", help="also those that have a result")
    parser.add_argument("--list", action="store_true", help="say what would be run")
    parser.add_argument("--quiet", action="store_true", help="progress alone, not what the scripts print")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are kept")
    return parser.parse_args()


def main() -> int:
    """Run what is left."""
    said = asked()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever stops it so takes the script along
    results = Results(said.results, said.full)
    chosen = [one for one in scripts() if not said.words or any(word in one.path for word in said.words)]
    if not chosen:
        print(f"run.py: no script has {' or '.join(said.words)} in its path; run.py --list names them all")
        return 2
    todo = [one for one in chosen if said.again or not results.has(one)]
    clock = Clock(todo, said.full)
    print(f"{len(chosen)} scripts, {len(chosen) - len(todo)} done, about {shown(clock.remaining)} left", flush=True)
    if said.list:
        for one in chosen:
            print(f"{'to do' if one in todo else 'done':<6} {shown(one.expected(said.full)):>7}  {one.path}")
        return 0
    failed = []
    for number, one in enumerate(todo, len(chosen) - len(todo) + 1):
        print(f"\n[{number}/{len(chosen)}] {one.path}, about {shown(one.expected(said.full))}", flush=True)
        started, last = time.time(), ""
        try:
            for line in run(one, results):
                last = line or last
                if not said.quiet:
                    print(f"    {line}", flush=True)
        except KeyboardInterrupt:
            print(f"\nstopped; {one.path} will be run again, what is before it is kept in {results.folder}")
            return 130
        clock.done(one, time.time() - started)
        if not results.has(one):
            failed.append((one, last))
            print(f"  no result: {last}")
        print(f"  {shown(time.time() - started)}; about {shown(clock.remaining)} left", flush=True)
    for one, why in failed:
        print(f"no result of {one.path}: {why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
