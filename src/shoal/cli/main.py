"""The shoal command."""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

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
from shoal.cli.serve import serve
from shoal.cli.telling.help import help_
from shoal.cli.telling.measure import measure
from shoal.cli.telling.schema import schema
from shoal.errors import SmallBudgetWarning
from shoal.files.remains import clear_away

COMMANDS = (
    demo,
    init,
    declare,
    run,
    check,
    compare,
    attack,
    measure,
    ledger,
    advise,
    hierarchies,
    help_,
    schema,
    serve,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"shoal {version('shoal')}")
        raise typer.Exit


def _shoal(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish tables about people so that nobody in them can be pointed at."""
    del version


def _called(command: Callable[..., None]) -> str:
    """What a command is called; one that Python has already called so ends in `_`."""
    return command.__name__.rstrip("_")


def app_of(commands: Iterable[Callable[..., None]], *, completes: bool = False) -> typer.Typer:
    """The command with these below it; whether it also tells shells how to complete it."""
    made = typer.Typer(
        name="shoal",
        no_args_is_help=True,
        add_completion=completes,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help="Publish tables about people so that nobody in them can be pointed at.",
    )
    made.callback()(_shoal)
    for command in commands:
        made.command(_called(command))(command)
    return made


app = app_of(COMMANDS, completes=True)
app.add_typer(key)


def end_quietly() -> None:
    """All has been said: what DuckDB prints about its own memory while the process ends is nothing for a custodian."""
    if "duckdb" in sys.modules:
        sys.stderr.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def leave(code: int) -> None:
    """End the process as Python does, but for taking down the interpreter.

    Arrow reads ahead in threads of its own, also when a table has been refused. One that comes back to an interpreter
    that is being taken down (to decode text, say) aborts the process, or waits for it forever.
    """
    atexit._run_exitfuncs()  # noqa: SLF001  nothing else runs them
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def asked_for(arguments: list[str]) -> typer.Typer:
    """The command with the one below it that is asked for: what typer makes of the options of all takes longer."""
    one = [command for command in COMMANDS if arguments and _called(command) == arguments[0]]
    return app_of(one) if one else app


def read_plain_options_plainly() -> None:
    """Spare a command the tenth of its time that typer takes to load pydantic: texts and paths need none of it.

    This leans on the insides of typer; one that has others reads options as it always does.
    """
    try:
        core: Any = import_module("typer.core")
        from typer._coercion import RuntimeParam
        from typer._param_types import coerce_cli_path

        build = core.build_runtime_param
    except (ImportError, AttributeError):
        return

    class Plain(RuntimeParam):
        """An option that is a text or a path; any other is left to typer."""

        def _coerce_value(self, value: Any, param: Any, ctx: Any) -> Any:
            if isinstance(value, str) and self.parameter_info.parser is None:
                if self.annotation is str:
                    return value
                if self.annotation is Path:
                    return coerce_cli_path(Path(value), self.parameter_info, path_type=Path, param=param, ctx=ctx)
            return build(param.type_descriptor).coerce(value, param, ctx)

    def plain(descriptor: Any) -> Any:
        if descriptor.file_annotation is not None:
            return build(descriptor)
        return Plain(parameter_info=descriptor.parameter_info, annotation=descriptor.annotation)

    core.build_runtime_param = plain


_SELDOM = 100_000
"""Objects between two looks for cycles that can be freed: modules are all objects and no cycles, and with Python's
default of 700 a command spends a sixth of its time looking through them."""


def main() -> None:
    """Entry point. A polite kill is an interruption like Ctrl-C: what was staged is removed.

    Products of matrices are small here, and a second thread for them spends more time on waiting than it saves.
    """
    gc.set_threshold(_SELDOM)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    atexit.register(end_quietly)
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"
    warnings.simplefilter("ignore", SmallBudgetWarning)  # what to expect is told before a run
    signal.signal(signal.SIGTERM, interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ℓ is no reason to fail
    clear_away()
    read_plain_options_plainly()
    try:
        sys.exit(asked_for(sys.argv[1:])())
    except SystemExit as ended:
        if "pyarrow._csv" in sys.modules and isinstance(ended.code, int | None):
            leave(ended.code or 0)
        raise
