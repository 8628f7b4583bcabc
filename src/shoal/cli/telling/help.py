"""shoal help."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes


def _names(incomplete: str) -> list[str]:
    """What a shell completes: names of methods, quality models and criteria."""
    from shoal.plan.parameter_help import KINDS

    return [name for registry in KINDS.values() for name in registry if name.startswith(incomplete)]


def help_(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A method, a quality model or a criterion, as a release file calls it.", autocompletion=_names
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it for machines.")] = False,
) -> None:
    """Say what a method does, which parameters it takes, and what it promises; without a name, list all.

    The parameters are those that the code declares, with their defaults. Options of a command are told by the command:
    shoal run --help

    Example: shoal help safepub
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.plan.parameter_help import KINDS, helped, overview
        from shoal.plan.parameter_help import as_json as for_machines

        if name is None:
            if as_json:
                emit({f"{what}": list(registry) for what, registry in KINDS.items()})
            else:
                typer.echo("\n".join([*overview(), "", "More about one of them: shoal help NAME"]))
        elif as_json:
            emit(for_machines(name))
        else:
            typer.echo("\n".join(helped(name)))
