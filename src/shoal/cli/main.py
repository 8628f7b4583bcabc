"""The shoal command."""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
import warnings
from typing import Annotated

import typer

from shoal.cli.advise import advise
from shoal.cli.attack import attack
from shoal.cli.check import check
from shoal.cli.compare import compare
from shoal.cli.declare import declare
from shoal.cli.demo import demo
from shoal.cli.hierarchies import hierarchies
from shoal.cli.init import init
from shoal.cli.key import key
from shoal.cli.ledger import ledger
from shoal.cli.run import run
from shoal.cli.schema import schema
from shoal.cli.serve import serve
from shoal.files.remains import clear_away

app = typer.Typer(
    name="shoal",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Publish tables about people so that nobody in them can be pointed at.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"shoal {version('shoal')}")
        raise typer.Exit


@app.callback()
def _shoal(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish tables about people so that nobody in them can be pointed at."""
    del version


app.command()(demo)
app.command()(init)
app.command()(declare)
app.command()(run)
app.command()(check)
app.command()(compare)
app.command()(attack)
app.command()(ledger)
app.command()(advise)
app.command()(hierarchies)
app.command()(schema)
app.command()(serve)
app.add_typer(key)


def end_quietly() -> None:
    """All has been said: what DuckDB prints about its own memory while the process ends is nothing for a custodian."""
    if "duckdb" in sys.modules:
        sys.stderr.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def main() -> None:
    """Entry point. A polite kill is an interruption like Ctrl-C: what was staged is removed."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    atexit.register(end_quietly)
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"
    signal.signal(signal.SIGTERM, interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ℓ is no reason to fail
    clear_away()
    sys.exit(app())
