"""What all experiments share: where the reference data is, a small or a whole run, and numbers kept for another day."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

_HERE = Path(__file__).resolve()
DATA = next(
    (up / "shared" / "data" for up in _HERE.parents if (up / "shared" / "data").is_dir()),
    _HERE.parents[2] / "shared" / "data",
)
"""The reference data: in a folder `shared/data` beside the project, or beside a folder above it."""
RESULTS = Path(os.environ.get("SHOAL_RESULTS", _HERE.parent / "results"))
"""Where `run.py` and long experiments keep what they found; git knows nothing of it."""


def settings(about: str | None, **usual: tuple[int, int]) -> argparse.Namespace:
    """Numbers an experiment can be run with: each its default, and what it is with `--full`, as in the paper."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="datasets or columns, if not all of them")
    parser.add_argument("--full", action="store_true", help="as often as in the paper")
    for name, (small, full) in usual.items():
        parser.add_argument(f"--{name}", type=int, help=f"{small}; with --full {full}")
    said = parser.parse_args()
    for name, (small, full) in usual.items():
        if getattr(said, name) is None:
            setattr(said, name, full if said.full else small)
    return said


def machine() -> str:
    """Where it ran."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}"


class Kept:
    """Numbers that took long, by what they are: found once, read ever after, whenever the work was interrupted."""

    def __init__(self, name: str) -> None:
        self._path = RESULTS / f"{name}.jsonl"
        self._known: dict[str, Any] = {}
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        for line in lines:
            try:
                key, value = json.loads(line)
            except ValueError:  # the last line of a run that was killed
                continue
            self._known[key] = value

    def get(self, key: tuple[Any, ...], find: Callable[[], Any]) -> Any:
        """What is known, or else what `find` finds, written down."""
        name = json.dumps(key)
        if name not in self._known:
            self._known[name] = find()
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n" + json.dumps([name, self._known[name]]))
        return self._known[name]
