"""Runs the command line again and again, each time in a process of its own, without starting Python anew.

    python server.py    and then, line by line on standard input, one run as JSON:
    {"folder": "…", "arguments": ["run", "release.toml"], "set": {"shoal.search.refinement._CELLS": 1}, "report": true}

The exit code is answered, as the system reports it; what a run prints is in `stdout` and `stderr` of its folder.
`set` puts other numbers into modules before the run, so that small tables are on the other side of a threshold.
"""

import importlib
import json
import os
import sys
from pathlib import Path

import shoal
import shoal.attacks
import shoal.cli.main
import shoal.dp.ledger_store
import shoal.engines.publishing
import shoal.kernels.purity
import shoal.kernels.refining_compiled
import shoal.kernels.taking
import shoal.pipeline
import shoal.report.page
import shoal.search.node_blocks


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
    if not asked.get("report", True):
        shoal.report.page.Report.html = lambda _: "left out: the report takes longer than all the rest"
    sys.argv = ["shoal", *asked["arguments"]]
    code = 99
    try:
        shoal.cli.main.main()
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0 if done.code is None else 1
    except BaseException:  # noqa: BLE001  as Python itself would
        import traceback

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def warm():
    """Load what every run needs, compiled kernels among it."""
    import tempfile

    import pyarrow as pa

    from shoal.dp.coins import SeededCoins

    schema = shoal.Schema(person="row").with_column("a", role="quasi-identifier", domain=(0, 200))
    schema = schema.with_column("c", role="quasi-identifier", domain=["x", "y"])
    table = pa.table({"a": list(range(50)) * 4, "c": ["x", "y"] * 100})
    methods = (
        shoal.SafePub(epsilon=4, delta=0.1),
        shoal.DiffGen(epsilon=2, target="c"),
        shoal.MicroaggregationDP(epsilon=2, k=3),
        shoal.KEpsilon(epsilon=2, perturbed=("a",), anonymizer=shoal.OLA(k=2)),
    )
    with tempfile.TemporaryDirectory() as folder:
        for method in methods:
            release = method.anonymize(table, schema, coins=SeededCoins(1))
            release.write_data(Path(folder) / "data.csv")
            release.write_data(Path(folder) / "data.parquet")
            release.report().html()


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
