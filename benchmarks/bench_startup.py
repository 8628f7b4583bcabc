"""CPU seconds to import Shoal and to print its help, each in a fresh process; NumPy alone for comparison."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from common import machine


def children_cpu(command: list[str]) -> float:
    import resource

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    best = float("inf")
    for _ in range(5):
        before = spent()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, spent() - before)
        time.sleep(0.1)
    return best


def main() -> None:
    shoal = str(Path(sys.executable).with_name("shoal"))
    print(machine())
    for name, command in (
        ("python -c pass", [sys.executable, "-c", "pass"]),
        ("import numpy", [sys.executable, "-c", "import numpy"]),
        ("import shoal", [sys.executable, "-c", "import shoal"]),
        ("shoal --help", [shoal, "--help"]),
    ):
        print(f"{name:<16} {children_cpu(command):>6.2f} s")


if __name__ == "__main__":
    main()
