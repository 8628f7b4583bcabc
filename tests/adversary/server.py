"""Runs the command line again and again, each time in a process of its own, without starting Python anew.

    python server.py    and then, line by line on standard input, one run as JSON:
    {"folder": "…", "arguments": ["run", "release.toml"], "report": true,
     "set": {"shoal.search.blocks.refinement._CELLS": 1}}

The exit code is answered, as the system reports it; what a run prints is in `stdout` and `stderr` of its folder.
`set` puts other numbers into modules before the run, so that small tables are on the other side of a threshold;
`kill_after` kills it, as `kill -9` does, so many seconds after it has reserved its budget; `cpu_seconds` lets it have
so much of the processor, and no more. `"job": "check"` does what the page does instead of what the command line does,
with the folder and the arguments.
"""

import gc
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import typer.main

import shoal
import shoal.attacks
import shoal.cli.main
import shoal.cluster.taking_kernel
import shoal.dp.ledger.store
import shoal.engines.writing.publishing
import shoal.pages.report.page
import shoal.pipeline
import shoal.search.blocks.node_blocks
import shoal.search.blocks.refining_compiled
import shoal.search.top_down.purity_kernel


def child(asked):
    """Become one run of the command line; never returns."""
    os.chdir(asked["folder"])
    for name, number in (("stdout", 1), ("stderr", 2)):
        opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, number)
    for name, value in asked.get("set", {}).items():
        module, constant = name.rsplit(".", 1)
        assert hasattr(importlib.import_module(module), constant), name
        setattr(importlib.import_module(module), constant, value)
    os.fsync = lambda _: None  # nobody pulls the plug here
    if "cpu_seconds" in asked:
        resource.setrlimit(resource.RLIMIT_CPU, (asked["cpu_seconds"], asked["cpu_seconds"]))
    if "kill_after" in asked:
        kill_after_reserving(asked["kill_after"])
    if not asked.get("report", True):
        shoal.pages.report.page.Report.html = lambda _: "left out: the report takes longer than all the rest"
    sys.argv = ["shoal", *asked["arguments"]]
    code = 99
    try:
        if "job" in asked:
            do_job(asked["job"], asked["arguments"])
        shoal.cli.main.main()
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0 if done.code is None else 1
    except BaseException:  # noqa: BLE001  as Python itself would
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class Nobody:
    """Who hears how far a job has come."""

    def send(self, said):
        """Nothing comes of it."""


def do_job(name, arguments):
    """One job of the page, as its process does it: a refusal is a sentence."""
    from shoal.serve.work.process import _answer

    warnings.simplefilter("ignore")  # as there
    what, answer = _answer(Nobody(), name, (str(Path.cwd()), *arguments))
    if what == "refused":
        sys.stderr.write(f"{answer}\n")
    sys.exit(int(what == "refused"))


def kill_after_reserving(seconds):
    """Have somebody else kill this process so many seconds after it has reserved its budget; write down when it has."""
    reserve = shoal.dp.ledger.store.LedgerStore.reserve

    def reserved(*given, **named):
        reservation, me = reserve(*given, **named), os.getpid()
        Path("reserved").touch()
        if seconds is not None and os.fork() == 0:
            time.sleep(seconds)
            if os.getppid() == me:  # else it has ended already
                os.kill(me, signal.SIGKILL)
            os._exit(0)
        return reservation

    shoal.dp.ledger.store.LedgerStore.reserve = reserved


def warm():
    """Load what every run needs, compiled kernels among it, by running every method once."""
    from tables import METHODS, pair
    from typer.testing import CliRunner

    here = Path.cwd()
    for method in METHODS:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = pair(3, method)
            made.write(0, Path(folder))
            os.chdir(folder)
            CliRunner().invoke(shoal.cli.main.app, ["run", "release.toml"])
            os.chdir(here)
    built = {  # once for all children
        command.__name__: typer.main.get_command(shoal.cli.main.asked_for([command.__name__]))
        for command in shoal.cli.main.COMMANDS
    }
    shoal.cli.main.asked_for = lambda arguments: built[arguments[0]]
    gc.freeze()  # so that children share what is loaded


def answer(said):
    """One line of JSON."""
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def serve():
    """Answer until the input ends."""
    warm()
    answer("ready")
    for line in sys.stdin:
        asked = json.loads(line)
        number = os.fork()
        if number == 0:
            child(asked)
        _, status = os.waitpid(number, 0)
        answer({"code": os.waitstatus_to_exitcode(status)})


if __name__ == "__main__":
    serve()
