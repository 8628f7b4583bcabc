"""Runs the command line again and again, each time in a process of its own, without starting Python anew.

    python server.py    and then, line by line on standard input, one run as JSON:
    {"folder": "…", "arguments": ["run", "release.toml"], "report": true,
     "set": {"shoal.search.blocks.refinement._CELLS": 1}}

The exit code is answered, as the system reports it; what a run prints is in `stdout` and `stderr` of its folder. `set`
puts other numbers into modules before the run, so that small tables are on the other side of a threshold; `kill_after`
kills it, as `kill -9` does, so many seconds after it has reserved its budget, and `kill_at` so many after it has begun;
`cpu_seconds` lets it have so much of the processor, and no more. `"job": "check"` does what the page does instead of
what the command line does, with the folder and the arguments. `"here": true` makes the run in the server itself, so
that all later ones find loaded what it needs, and `"load"` names modules for that; `"among_others": true` makes it in a
process that makes others, too, which is several times faster. A run that this process does not survive is answered like
any other.
"""

import gc
import importlib
import json
import math
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from types import SimpleNamespace

import typer.main

import shoal
import shoal.attacks
import shoal.cli.main
import shoal.cli.run
import shoal.cluster.taking_kernel
import shoal.dp.ledger.store
import shoal.engines.reading.foreign.child
import shoal.engines.reading.foreign.process
import shoal.engines.writing.publishing
import shoal.pages.report.page
import shoal.pipeline
import shoal.search.blocks.node_blocks
import shoal.search.blocks.refining_compiled
import shoal.search.top_down.purity_kernel


def child(asked):
    """Become one run of the command line; never returns."""
    code = run_of(asked)
    os._exit(code)


def run_of(asked):
    """One run of the command line, with what it prints in files of its folder; its exit code."""
    os.chdir(asked["folder"])
    for name, number in (("stdout", 1), ("stderr", 2)):
        opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    for name, value in asked.get("set", {}).items():
        module, constant = name.rsplit(".", 1)
        assert hasattr(importlib.import_module(module), constant), name
        setattr(importlib.import_module(module), constant, value)
    os.fsync = lambda _: None  # nobody pulls the plug here
    if "cpu_seconds" in asked:
        until = math.ceil(time.process_time()) + asked["cpu_seconds"]
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    if "kill_after" in asked:
        kill_after_reserving(asked["kill_after"])
    if "kill_at" in asked:
        kill_later(asked["kill_at"])
    reader = SimpleNamespace(run=forked_reader, PIPE=None, DEVNULL=None, TimeoutExpired=subprocess.TimeoutExpired)
    shoal.engines.reading.foreign.process.subprocess = reader
    make_report(asked.get("report", True))
    shoal.cli.main.leave = lambda _: None  # this process goes on
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
    return code


HTML = shoal.pages.report.page.Report.html
SUMMARY = shoal.cli.run._owner_summary


def make_report(is_made):
    """Whether from now on a run makes the owner's report, and tells of it."""
    left_out = "left out: the report takes longer than all the rest"
    shoal.pages.report.page.Report.html = HTML if is_made else lambda _: left_out
    shoal.cli.run._owner_summary = SUMMARY if is_made else lambda _: left_out


class Worker:
    """A process that makes many runs one after the other; one that it does not survive is told like any other."""

    def __init__(self):
        asks, self._asked = os.pipe()
        self._answered, answers = os.pipe()
        self.runs, self._number = 0, os.fork()
        if self._number == 0:
            os.close(self._asked)
            os.close(self._answered)
            work(asks, answers)
        os.close(asks)
        os.close(answers)

    def run(self, asked):
        """Its exit code and the seconds it took; whether the worker is there still."""
        self.runs += 1
        os.write(self._asked, json.dumps(asked).encode() + b"\n")
        if not select.select([self._answered], [], [], HANGS)[0]:
            os.kill(self._number, signal.SIGKILL)
        said = os.read(self._answered, 1 << 12)
        if said:
            return json.loads(said), True
        return self.end(), False

    def end(self):
        """How it ended."""
        os.close(self._asked)
        os.close(self._answered)
        _, status, used = os.wait4(self._number, 0)
        return {"code": os.waitstatus_to_exitcode(status), "seconds": used.ru_utime + used.ru_stime}


HANGS = 900
"""Seconds after which a run that takes no processor time is one that waits for what never comes."""
RUNS_OF_A_WORKER = 40


def work(asks, answers):
    """Be a worker until nothing more is asked."""
    with os.fdopen(asks) as lines:
        for line in lines:
            before = time.process_time()
            code = run_of(json.loads(line))
            os.write(answers, json.dumps({"code": code, "seconds": time.process_time() - before}).encode())
    os._exit(0)


class Nobody:
    """Who hears how far a job has come."""

    def send(self, said):
        """Nothing comes of it."""


def page_does(name, arguments):
    """One job of the page, as its process does it."""
    from shoal.serve.work.process import _answer

    return _answer(Nobody(), name, (str(Path.cwd()), *arguments))


def do_job(name, arguments):
    """One job of the page as a command: a refusal is a sentence."""
    warnings.simplefilter("ignore")  # as there
    what, answer = page_does(name, arguments)
    if what == "refused":
        sys.stderr.write(f"{answer}\n")
    sys.exit(int(what == "refused"))


def kill_later(seconds):
    """Have somebody else kill this process so many seconds from now, unless it has ended."""
    me = os.getpid()
    if os.fork() == 0:
        time.sleep(seconds)
        if os.getppid() == me:
            os.kill(me, signal.SIGKILL)
        os._exit(0)


def kill_after_reserving(seconds):
    """Have somebody else kill this process so many seconds after it has reserved its budget; write down when it has."""
    reserve = shoal.dp.ledger.store.LedgerStore.reserve

    def reserved(*given, **named):
        reservation = reserve(*given, **named)
        Path("reserved").touch()
        if seconds is not None:
            kill_later(seconds)
        return reservation

    shoal.dp.ledger.store.LedgerStore.reserve = reserved


def forked_reader(command, *, input, timeout, env, **_):  # noqa: A002  as `subprocess.run` calls it
    """What reads a file of another program, in a process of its own as ever, but without starting Python anew."""
    del command, env
    asks, asked = os.pipe()
    answered, answers = os.pipe()
    number = os.fork()
    if number == 0:
        for handle, place in ((asks, 0), (answers, 1), (os.open(os.devnull, os.O_WRONLY), 2)):
            os.dup2(handle, place)
        os.closerange(3, 256)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        code = 1
        try:
            shoal.engines.reading.foreign.child.main()
            code = 0
        finally:
            os._exit(code)
    os.close(asks)
    os.close(answers)
    with os.fdopen(asked, "wb") as request:
        request.write(input)
    parts, ends = [], time.monotonic() + timeout
    with os.fdopen(answered, "rb", buffering=0) as answer:
        while select.select([answer], [], [], max(ends - time.monotonic(), 0))[0]:
            if not (part := answer.read(1 << 20)):
                break
            parts.append(part)
        else:
            os.kill(number, signal.SIGKILL)
    _, status = os.waitpid(number, 0)
    if time.monotonic() > ends:
        raise subprocess.TimeoutExpired("the reader", timeout)
    return subprocess.CompletedProcess([], os.waitstatus_to_exitcode(status), b"".join(parts))


def run_here(asked):
    """One run in this process; its exit code."""
    from typer.testing import CliRunner

    here = Path.cwd()
    for name in asked.get("load", ()):
        importlib.import_module(name)
    os.chdir(asked["folder"])
    make_report(asked.get("report", True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "job" in asked:
            page_does(asked["job"], asked["arguments"])
            code = 0
        else:
            code = CliRunner().invoke(shoal.cli.main.app, asked["arguments"]).exit_code
    os.chdir(here)
    shoal.engines.reading.foreign.process.forget()
    gc.collect()
    gc.freeze()  # so that children share what is loaded
    return code


def warm():
    """Load what every run needs, compiled kernels among it, by running every method once."""
    from tables import METHODS, pair

    for method in METHODS:
        with tempfile.TemporaryDirectory() as folder:
            pair(3, method).write(0, Path(folder))
            run_here({"folder": folder, "arguments": ["run", "release.toml"]})
    built = {  # once for all children
        command.__name__: typer.main.get_command(shoal.cli.main.asked_for([command.__name__]))
        for command in shoal.cli.main.COMMANDS
    }
    shoal.cli.main.asked_for = lambda arguments: built[arguments[0]]


def answer(said):
    """One line of JSON."""
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def serve():
    """Answer until the input ends."""
    warm()
    answer("ready")
    worker = None
    for line in sys.stdin:
        asked = json.loads(line)
        if asked.get("here"):
            answer({"code": run_here(asked), "seconds": 0})
            continue
        if asked.get("among_others"):
            worker = worker or Worker()
            said, is_there = worker.run(asked)
            if is_there and worker.runs == RUNS_OF_A_WORKER:
                worker.end()
            worker = worker if is_there and worker.runs < RUNS_OF_A_WORKER else None
            answer(said)
            continue
        number = os.fork()
        if number == 0:
            child(asked)
        _, status, used = os.wait4(number, 0)
        answer({"code": os.waitstatus_to_exitcode(status), "seconds": used.ru_utime + used.ru_stime})


if __name__ == "__main__":
    serve()
