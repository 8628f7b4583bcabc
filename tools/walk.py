"""How far a record walks: the modules of Shoal that one run enters, and how often it crosses from room to room.

A measure of how much of the house somebody must know to follow one record from a file to a release. A profile hook
notes every function of Shoal when it is first entered; a crossing is a function whose room at the top of the house
is not that of the one noted before it. The report is left out: it looks at the release, not at the way to it.

A comprehension, a generator or a lambda is a part of the function it stands in, whether Python calls it (3.11) or not
(from 3.12 on), and what runs because a module is imported is not on the way of a record: neither is counted. With
`--all` both are; Python 3.11 then counts more than 3.12 does.

Run: python tools/walk.py [--all] [--list]
"""

from __future__ import annotations

import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import shoal
from shoal.examples import write_example
from shoal.pipeline import publish
from shoal.plan.plan import Plan

HOME = Path(shoal.__file__).parent
METHODS = {
    "optimal-lattice": 'name = "optimal-lattice"\nk = 5',
    "safepub": 'name = "safepub"\nepsilon = 2.0\ndelta = 1e-4',
    "nsvdist": 'name = "nsvdist"\nk = 5\ndiversity = 2',
}


def is_imported(frame: FrameType | None) -> bool:
    """Whether it runs because a module of Shoal is being imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(str(HOME)):
            return True
        frame = frame.f_back
    return False


def walk(release_file: Path, *, everything: bool = False) -> list[str]:
    """The modules of the functions entered, in the order in which each function is entered for the first time."""
    seen: set[CodeType] = set()
    modules: list[str] = []

    def enter(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in seen or not code.co_filename.startswith(str(HOME)):
            return
        if everything or not (code.co_name.startswith("<") or is_imported(frame)):
            seen.add(code)
            modules.append(Path(code.co_filename).relative_to(HOME).with_suffix("").as_posix())

    sys.setprofile(enter)
    try:
        plan = Plan.load(release_file)
        publish(plan).write_data(release_file.with_name("data.csv"))
    finally:
        sys.setprofile(None)
    return modules


def main() -> None:
    print(f"{'method':16s} {'modules':>8s} {'crossings':>10s}")
    for name, said in METHODS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = write_example(Path(folder))
            before, _, after = path.read_text(encoding="utf-8").partition("[method]")
            rest = after[after.index("\n[") :] if "\n[" in after else ""
            rest = rest if name == "safepub" or "[budget]" not in rest else rest[: rest.index("[budget]")]
            before = before.replace('role = "insensitive"', 'role = "dropped"')  # no private method publishes it
            path.write_text(f"{before}[method]\n{said}\n{rest}", encoding="utf-8")
            modules = walk(path, everything="--all" in sys.argv)
        rooms = [module.split("/")[0] for module in modules]
        crossings = sum(here != there for here, there in pairwise(rooms))
        print(f"{name:16s} {len(set(modules)):8d} {crossings:10d}")
        if "--list" in sys.argv:
            print("\n".join(f"    {module}" for module in dict.fromkeys(modules)))


if __name__ == "__main__":
    main()
