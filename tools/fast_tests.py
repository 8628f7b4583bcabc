"""Measure which test files are fast, and write them to tests/fast.txt, which `make check` runs.

Fast is a file whose tests take no more than a second of CPU time together, without compiling and collecting. A file is
left as soon as it is over that, so this takes a few minutes and not as long as all tests. Run it twice: the first time
kernels are compiled.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from types import FrameType

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "fast.txt"
SECONDS = 1.0
HEAD = "# Test files that take a second of CPU time or less: tools/fast_tests.py writes this, `make check` runs them.\n"


class Stopwatch:
    """How long the tests of each file take, up to the limit."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()

    def is_slow(self, file: str) -> bool:
        """Whether the file is over the limit."""
        return self.spent[file] > SECONDS

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Leave out what no longer matters."""
        if self.is_slow(_file(item)):
            pytest.skip("its file is slow")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Take the time of a test, and end it when it alone is over the limit."""
        before = sum(os.times()[:4])  # with what tests start
        signal.setitimer(signal.ITIMER_PROF, 0 if self.is_slow(_file(item)) else 1.5 * SECONDS)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.spent[_file(item)] += sum(os.times()[:4]) - before

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What fails is not for a selection that has to be green."""
        if report.failed:
            self.failed.add(report.nodeid.partition("::")[0])

    def fast(self) -> list[str]:
        """The files within the limit."""
        return sorted(file for file in self.spent if not self.is_slow(file) and file not in self.failed)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _stop(_signal: int, _frame: FrameType | None) -> None:
    pytest.skip("slow")


def main() -> None:
    """Measure and write."""
    watch = Stopwatch()
    signal.signal(signal.SIGPROF, _stop)
    pytest.main(["-o", "addopts=", "-q", "-m", "not slow", str(ROOT / "tests")], plugins=[watch])
    fast = watch.fast()
    if not fast:
        sys.exit("nothing was measured")
    LIST.write_text(HEAD + "".join(f"{file}\n" for file in fast), encoding="utf-8")
    total = sum(watch.spent[file] for file in fast)
    print(f"{len(fast)} of {len(watch.spent)} files are fast, {total:.0f} s of CPU time together: {LIST}")


if __name__ == "__main__":
    main()
