"""What the commands share: exit codes, progress, and where output goes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import typer

from shoal.errors import ShoalError
from shoal.progress import Progress, silent, told_of_compiling

_PATIENCE = 1.0
"""Seconds before a progress bar appears."""


@contextmanager
def errors_as_exit_codes(*, as_json: bool = False) -> Iterator[None]:
    """One sentence and exit code 1 or 2 for what Shoal refuses; never a traceback."""
    try:
        yield
    except ShoalError as error:
        _complain(str(error), type(error).__name__, as_json=as_json)
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        _complain("stopped; nothing was written.", "Interrupted", as_json=as_json)
        raise typer.Exit(130) from None
    except MemoryError:
        _complain("not enough memory for the distinct records of this table.", "MemoryError", as_json=as_json)
        raise typer.Exit(1) from None
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001  its text may quote a record, and a traceback helps no custodian
        _complain(_unforeseen(error), "Unforeseen", as_json=as_json)
        raise typer.Exit(1) from None


def _unforeseen(error: Exception) -> str:
    """What went wrong inside Shoal and where, for a report; not what the error itself says."""
    from shoal.promises.containment import described

    return (
        f"Shoal failed where it should not ({described(error)}); "
        "please report this. Nothing is known to be wrong with your table."
    )


def _complain(message: str, kind: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"error": {"kind": kind, "message": message}}, ensure_ascii=False))
    else:
        typer.echo(f"error: {message}", err=True)


def emit(result: dict[str, Any]) -> None:
    """A result for machines."""
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


def _said_once() -> Progress:
    """For logs: the first run on a machine takes seconds longer, and nobody should wonder why."""
    is_said = False

    def say(task: str, done: float) -> None:
        nonlocal is_said
        del task, done
        if not is_said:
            typer.echo("compiling for this machine, once; later runs do not wait for it", err=True)
        is_said = True

    return say


@contextmanager
def progress_bar(*, is_paid: bool = False) -> Iterator[Progress]:
    """A bar on the terminal for work that takes more than a second; elsewhere one line if kernels are compiled.

    A run that is paid for says nothing there: what is compiled may depend on the records (`docs/proofs/process.md`).
    """
    if not sys.stderr.isatty():
        with nullcontext() if is_paid else told_of_compiling(_said_once()):
            yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    started = time.monotonic()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(task: str, done: float) -> None:
            what = task.partition(":")[0]  # behind a colon stands how it goes
            if what in tasks:
                bar.update(tasks[what], completed=done, description=task)
            elif time.monotonic() - started > _PATIENCE:
                tasks[what] = bar.add_task(task, total=1.0)

        compiling, kernels = bar.add_task("", total=None, visible=False), list[str]()

        def compiles(task: str, done: float) -> None:  # seen at once, since it takes seconds; one may wait for others
            (kernels.remove if done else kernels.append)(task)
            bar.update(compiling, description=kernels[-1] if kernels else "", visible=bool(kernels))

        with told_of_compiling(compiles):
            yield show
