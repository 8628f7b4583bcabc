"""shoal measure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.base import Engine
    from shoal.progress import Progress


def measure(  # noqa: PLR0917  typer reads options from the signature
    data: Annotated[
        Path,
        typer.Argument(help="The table, anonymized or not, in any form that `shoal init` reads; or a release file."),
    ],
    release_file: Annotated[
        Path | None, typer.Option("--release-file", metavar="RELEASE.TOML", help="Whose roles of columns to take.")
    ] = None,
    quasi_identifier: Annotated[
        list[str] | None,
        typer.Option("-q", "--quasi-identifier", metavar="COLUMN", help="Several times, or names with commas between."),
    ] = None,
    sensitive: Annotated[
        list[str] | None, typer.Option("-s", "--sensitive", metavar="COLUMN", help="Likewise.")
    ] = None,
    roles: Annotated[
        Path | None,
        typer.Option(metavar="ROLES.CSV", help="Roles of columns, or of patterns such as q_*, instead of guesses."),
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="Of a CSV file, if it is not found out rightly.")] = None,
    encoding: Annotated[str, typer.Option(help="Of a CSV file, if it is not found out rightly.")] = "utf-8",
    sheet: Annotated[str | None, typer.Option(help="Of a workbook, if not its first one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Say how anonymous a table is as it stands: k, diversity, closeness, likeness, disclosure.

    Classes are the records that are equal in all quasi-identifiers; each number is that of the class that stands worst.
    Roles are those of a release file or of options, or are guessed as `shoal init` does. Nothing is written.

    Example: shoal measure people.csv -q age,zip,sex -s illness

    Example: shoal measure release/data.csv --release-file release.toml
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.engines.reading.layout import Layout
        from shoal.errors import DataError, ParameterError
        from shoal.plan.plan import Plan
        from shoal.survey.measuring import measured

        named = [*(quasi_identifier or ()), *(sensitive or ())]
        plan = data if data.suffix == ".toml" else release_file
        if plan is not None and (named or roles is not None or (data == plan and release_file is not None)):
            raise ParameterError("roles come from one place: give a release file, --roles, or -q and -s.")
        if named and roles is not None:
            raise ParameterError("roles come from one place: give --roles, or -q and -s.")
        if not data.exists():
            raise DataError(f"{data} does not exist; give the path of a table.")
        with progress_bar() as progress:
            guessed = False
            if plan is not None:
                loaded = Plan.load(plan)
                schema = loaded.schema
                engine = loaded.data.engine() if data == plan else _opened(data, Layout(delimiter, encoding, sheet))
            else:
                engine = _opened(data, Layout(delimiter, encoding, sheet))
                guessed = not named
                schema = (
                    _named(engine, quasi_identifier or (), sensitive or ())
                    if named
                    else _guessed(engine, roles, progress)
                )
            found = measured(engine, schema, progress)
        if as_json:
            emit({"data": str(data), "roles_guessed": guessed and roles is None, **found.to_dict()})
            return
        if guessed and roles is None:
            typer.echo("note: roles are guessed; name them with -q and -s, or give a release file.\n", err=True)
        typer.echo(str(found))


def _opened(data: Path, told: object) -> Engine:
    from shoal.engines.opening import engine_at
    from shoal.engines.reading.layout import Layout
    from shoal.survey.looks import MISSING_TOKENS
    from shoal.survey.writing import writing_of

    assert isinstance(told, Layout)
    return engine_at(data, layout=writing_of(data, told, MISSING_TOKENS).layout)


def _named(engine: Engine, quasi: Sequence[str], sensitive: Sequence[str]) -> Schema:
    """The columns that options name, and no others."""
    from shoal.data.schema import Schema
    from shoal.errors import ParameterError, nearest

    known, schema = list(engine.types()), Schema()
    for role, given in (("quasi-identifier", quasi), ("sensitive", sensitive)):
        for text in given:
            for name in [text] if text in known else [part.strip() for part in text.split(",")]:
                if name not in known:
                    raise ParameterError(f"there is no column {name!r} in {engine.where}.{nearest(name, known)}")
                schema = schema.with_column(name, role=role)
    return schema


def _guessed(engine: Engine, roles: Path | None, progress: Progress) -> Schema:
    """Every column in the role it seems to have, or that a list gives it."""
    from shoal.data.schema import Column, Schema
    from shoal.survey.looks import survey
    from shoal.survey.many.given_roles import read_roles, with_roles

    seen = survey(engine, progress)
    seen = seen if roles is None else with_roles(seen, read_roles(roles), str(roles))
    return Schema(tuple(Column(look.name, look.role) for look in seen.columns))
