"""shoal declare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes

if TYPE_CHECKING:
    from shoal.plan.declaring import Taken


def declare(
    path: Annotated[
        Path, typer.Argument(metavar="RELEASE.TOML", help="A release file, or one of its hierarchy files.")
    ],
    columns: Annotated[
        list[str] | None, typer.Option("--column", help="Confirm the values of this column. May be repeated.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Confirm them all without being asked.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Confirm that values which `shoal init` took from the data are public knowledge.

    A differentially private method takes no values from the data: which ones occur tells of single records. Lists what
    was taken, asks, and writes the answer into the files; the certificate of a release repeats it. Where others are
    possible than those that occur, put them into the file instead.

    Example: shoal declare release.toml --column age --column zip
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.plan.declaring import MEANING, declare, named, taken_from_data

        taken = taken_from_data(path)
        chosen = named(taken, columns, path) if columns else taken if yes else None
        if not as_json:
            typer.echo(_listed(path, taken))
            typer.echo(f"\n{MEANING}\n" if taken else "", nl=bool(taken))
        if chosen is None:
            chosen = _asked(taken, path) if taken else []
        changed = declare(path, chosen) if chosen else []
        if as_json:
            left = [one.name for one in taken if one not in chosen]
            emit({"confirmed": [c.name for c in chosen], "left": left, "files": [str(file) for file in changed]})
        elif taken:
            names = ", ".join(one.name for one in chosen)
            files = "1 file" if len(changed) == 1 else f"{len(changed)} files"
            typer.echo(f"Confirmed, and noted in {files}: {names}." if chosen else "Nothing was confirmed or changed.")


def _listed(path: Path, taken: list[Taken]) -> str:
    if not taken:
        return f"Nothing in {path} is marked as taken from the data."
    return "\n".join(["Taken from the data:", *(f"  {one.name}: {one.what}" for one in taken)])


def _asked(taken: list[Taken], path: Path) -> list[Taken]:
    """Those that the owner says yes to."""
    from shoal.errors import ParameterError

    if not _is_terminal():
        raise ParameterError(
            f"{path}: nobody is there to be asked; name what is confirmed with --column, or say --yes for all of it."
        )
    return [one for one in taken if typer.confirm(f"Are the values of {one.name} public knowledge?", default=False)]


def _is_terminal() -> bool:
    return sys.stdin.isatty()
