"""Runs the trials of a comparison on all cores, and picks up where it was left."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from math import isfinite
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from shoal.compare.figures import Figures, figures
from shoal.compare.grid import Trial
from shoal.files.owner_only import keep_for_owner, owners_file
from shoal.plan.plan import Plan
from shoal.progress import Progress

DONE = "trials.jsonl"
"""One line per trial that is done; what is in it is not run again."""

_MEANING = "missing values have no share of a group; people found count changed columns"
"""Changes with what figures mean, so that those of an earlier version are measured again."""


def run(
    plan_path: Path,
    some: Sequence[Trial],
    folder: Path,
    progress: Progress,
    *,
    target: str | None,
    learner: str,
    jobs: int | None = None,
) -> list[Figures]:
    """The figures of all trials, in their order; each is written down as soon as it is known."""
    settings = {"target": target, "learner": learner, "plan": _fingerprint(plan_path)}
    done = dict(_done(folder / DONE, settings))
    todo = [trial for trial in some if trial.key not in done]
    workers = min(jobs or os.cpu_count() or 1, max(len(todo), 1))
    if not (folder / DONE).exists():
        owners_file(folder / DONE)
    keep_for_owner(folder / DONE)  # an earlier version may have left it open
    with (folder / DONE).open("a", encoding="utf-8") as notes:
        for number, (trial, row) in enumerate(_results(plan_path, todo, workers, target, learner), start=1):
            done[trial.key] = written = _finite(row)
            note = {"trial": trial.key, **settings, "figures": written}
            notes.write(json.dumps(note, ensure_ascii=False) + "\n")
            notes.flush()
            progress("comparing", number / len(todo))
    return [done[trial.key] for trial in some]


def _results(
    plan_path: Path, todo: Sequence[Trial], workers: int, target: str | None, learner: str
) -> Iterator[tuple[Trial, Figures]]:
    if workers <= 1 or len(todo) <= 1:
        plan = Plan.load(plan_path)
        for trial in todo:
            yield trial, figures(plan, trial, target, learner)
        return
    # Fresh processes: threads of the table engine do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting: dict[Future[Figures], Trial] = {
            pool.submit(_one, plan_path, trial, target, learner): trial for trial in todo
        }
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _fingerprint(plan_path: Path) -> str:
    """Changes with the release file and with the table it names, so that old figures are not taken for new ones."""
    data = Plan.load(plan_path).data.path
    if not isinstance(data, Path):  # nobody knows whether the table of a database is as it was
        return secrets.token_hex(8)
    state = data.stat() if data.exists() else None
    inputs = (_MEANING, plan_path.read_bytes(), None if state is None else (state.st_size, state.st_mtime_ns))
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]


def _one(plan_path: Path, trial: Trial, target: str | None, learner: str) -> Figures:
    return figures(Plan.load(plan_path), trial, target, learner)


def _done(path: Path, settings: Mapping[str, Any]) -> Iterator[tuple[str, Figures]]:
    """Trials of an earlier run with the same settings; a line that was cut off is run again."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            note = json.loads(line)
        except ValueError:
            continue
        if all(note.get(key) == value for key, value in settings.items()):
            yield note["trial"], note["figures"]


def _finite(row: Figures) -> Figures:
    """Figures as JSON can say them: what is no number is not there, in this run as in one that goes on later."""
    return {key: None if isinstance(value, float) and not isfinite(value) else value for key, value in row.items()}
