"""Where a command spends its CPU seconds: `shoal run`, or any other, under Python's profiler.

Seconds of the processor and not of the clock, so that other work on the machine counts little. The profiler makes
whatever calls many functions, such as loading modules, seem two to three times as long: compare what is alike.

Run: python tools/profile_run.py [--by tottime] [--lines 60] run release.toml --force
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import time

from shoal.cli.main import asked_for


def profiled(arguments: list[str]) -> cProfile.Profile:
    """One command, to its end."""
    profile = cProfile.Profile(time.process_time)
    sys.argv = ["shoal", *arguments]
    try:
        profile.runcall(asked_for(arguments))  # and not main, which ends the process
    except SystemExit as end:
        if end.code:
            sys.exit(end.code)
    return profile


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--by", default="cumtime", help="cumtime: with what it calls; tottime: without")
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    pstats.Stats(profiled(asked.command)).sort_stats(asked.by).print_stats(asked.lines)
