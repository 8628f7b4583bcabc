"""What runs in the process of a tab: jobs by name, their progress, and one sentence if something goes wrong."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError
from shoal.progress import told_of_compiling

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_SELDOM = 0.1
"""Seconds between two words about progress."""


def serve_jobs(pipe: Connection, folder: str) -> None:
    """Do jobs until the page is gone."""
    for number in (signal.SIGINT, signal.SIGHUP):  # meant for the page, which ends its processes itself
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    tempfile.tempdir = folder
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    warnings.simplefilter("ignore")  # a warning may quote a value
    try:
        while True:
            name, arguments = pipe.recv()
            pipe.send(_answer(pipe, name, arguments))
    except (EOFError, OSError, KeyboardInterrupt):
        return


def _answer(pipe: Connection, name: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    from shoal.serve.work.jobs import JOBS

    last = 0.0

    def progress(task: str, done: float) -> None:
        nonlocal last
        if time.monotonic() - last >= _SELDOM:
            last = time.monotonic()
            pipe.send(("progress", task, float(done)))

    try:
        with told_of_compiling(progress):
            return "done", JOBS[name](*arguments, progress=progress)
    except ShoalError as error:
        return "refused", str(error).replace(f"{tempfile.gettempdir()}/", "")
    except MemoryError:
        return "refused", "not enough memory for the distinct records of this table."
    except Exception as error:  # noqa: BLE001  its text may quote a record
        from shoal.promises.containment import described

        return "refused", (
            f"Shoal failed where it should not ({described(error)}); please report this. Nothing is known to be wrong "
            "with your table."
        )


def _end_with(parent: int) -> None:
    """End when the page has: also if it was killed and could tell nobody."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
