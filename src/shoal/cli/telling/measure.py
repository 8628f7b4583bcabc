"""shoal measure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.base import Engine
    from shoal.progress import Progress
    from shoal.promises.checking import PublishedFiles


def measure(  # noqa: PLR0917  typer reads options from the signature
    data: Annotated[
        Path,
        typer.Argument(
            help="The table, anonymized or not, in any form that `shoal init` reads; a release file; or the folder of "
            "a release."
        ),
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
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="What stands for a missing value beside an empty cell, such as NA."),
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="Of a CSV file, if it is not found out rightly.")] = None,
    encoding: Annotated[str, typer.Option(help="Of a CSV file, if it is not found out rightly.")] = "utf-8",
    sheet: Annotated[str | None, typer.Option(help="Of a workbook, if not its first one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Say how anonymous a table is as it stands: k, diversity, closeness, likeness, disclosure.

    Classes are the records that are equal in all quasi-identifiers; each number is that of the class that stands worst.
    Roles are those of a release file, of options or of a release's certificate, or are guessed as `shoal init` does.
    Columns that have none are left out. Nothing is written.

    Example: shoal measure people.csv -q age,zip,sex -s illness

    Example: shoal measure release/data.csv --release-file release.toml

    Example: shoal measure release/
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.engines.opening import engine_of_release
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
        if missing and data == plan:
            raise ParameterError(f"{data} says what stands for a missing value; leave out --missing.")
        notes: list[str] = []
        with progress_bar() as progress:
            guessed = False
            if plan is not None and data == plan:
                loaded = Plan.load(plan)
                engine, schema = loaded.data.engine(), loaded.schema
            else:
                given = None if plan is None else Plan.load(plan)
                tokens = ("", *(missing or (given.data.missing if given is not None else ())))
                released = _released(data)
                told = Layout(delimiter, encoding, sheet)
                engine = _opened(data, told, tokens) if released is None else engine_of_release(released.data, tokens)
                if given is not None:
                    schema = _in_the_data(given.schema, engine, str(plan), notes)
                elif named:
                    schema = _named(engine, quasi_identifier or (), sensitive or (), notes)
                elif released is not None and roles is None:
                    schema = _certified(released.certificate.columns, engine, notes)
                else:
                    guessed = roles is None
                    engine, schema = _guessed(engine, roles, progress)
            found = measured(engine, schema, progress)
        if guessed:
            notes.append("roles are guessed; name them with -q and -s, or give a release file.")
        if as_json:
            emit({"data": str(data), "roles_guessed": guessed, "notes": notes, **found.to_dict()})
            return
        if notes:
            typer.echo("".join(f"note: {note}\n" for note in notes), err=True)
        typer.echo(str(found))


def _released(data: Path) -> PublishedFiles | None:
    """The files of a release, if it is the folder of one."""
    from shoal.promises.certificate import CERTIFICATE
    from shoal.promises.checking import published_files

    return published_files(data) if (data / CERTIFICATE).is_file() else None


def _opened(data: Path, told: object, missing: Collection[str]) -> Engine:
    from shoal.engines.opening import engine_at
    from shoal.engines.reading.layout import Layout
    from shoal.survey.looks import MISSING_TOKENS
    from shoal.survey.writing import writing_of

    assert isinstance(told, Layout)
    return engine_at(data, layout=writing_of(data, told, MISSING_TOKENS).layout, missing=missing)


def _named(engine: Engine, quasi: Sequence[str], sensitive: Sequence[str], notes: list[str]) -> Schema:
    """The columns that options name; all others are left out."""
    from shoal.data.schema import Schema
    from shoal.errors import ParameterError, nearest

    known, schema = list(engine.types()), Schema()
    for role, given in (("quasi-identifier", quasi), ("sensitive", sensitive)):
        for text in given:
            for name in [text] if text in known else [part.strip() for part in text.split(",")]:
                if name not in known:
                    raise ParameterError(f"there is no column {name!r} in {engine.where}.{nearest(name, known)}")
                if name in [column.name for column in schema]:
                    raise ParameterError(f"column {name!r} is named twice; give each column one role, by -q or by -s.")
                schema = schema.with_column(name, role=role)
    return _without_others(schema, engine, "neither -q nor -s names them", notes)


def _in_the_data(schema: Schema, engine: Engine, where: str, notes: list[str]) -> Schema:
    """What a release file says of columns that are there: a release has no identifiers, and no persons."""
    from shoal.data.schema import ROW, Schema
    from shoal.errors import SchemaError, agreeing, listed, nearest

    present = list(engine.types())
    absent = [column for column in schema if column.name not in present]
    wanted = [column.name for column in absent if column.role.is_counted]
    if wanted:
        raise SchemaError(
            f"column {agreeing(wanted, 'is', 'are')} quasi-identifying or sensitive in {where} and not in "
            f"{engine.where}, which has {listed(present, 12)}.{nearest(wanted[0], present)}"
        )
    if not absent:
        return _without_others(schema, engine, f"{where} does not name them", notes)
    notes.append(f"not in {engine.where}, and passed over: {listed([column.name for column in absent], 12)}.")
    if schema.unit_column in [column.name for column in absent]:
        notes.append(f"nothing tells {schema.unit.plural} apart there, so that records are counted.")
    told = Schema(
        tuple(column for column in schema if column.name in present),
        person=schema.person if schema.person in (*present, ROW) else None,
        household=schema.household if schema.household in present else None,
        weight=schema.weight if schema.weight in present else None,
        protect=schema.protect if schema.household in present else None,
    )
    return _without_others(told, engine, f"{where} does not name them", notes)


def _certified(columns: Sequence[Mapping[str, Any]], engine: Engine, notes: list[str]) -> Schema:
    """The roles that a release says its columns have."""
    from shoal.data.schema import Column, Role, Schema

    counted = {role.value: role for role in Role if role.is_counted}
    roles = {str(column.get("name")): counted.get(str(column.get("role"))) for column in columns}
    schema = Schema(tuple(Column(name, role) for name, role in roles.items() if role is not None))
    notes.append("roles are those of the certificate; records are counted.")
    return _without_others(schema, engine, "they are neither quasi-identifiers nor sensitive", notes)


def _without_others(schema: Schema, engine: Engine, why: str, notes: list[str]) -> Schema:
    """The schema with every other column of the data left out, which is said."""
    from shoal.errors import listed

    others = [name for name in engine.types() if name not in [column.name for column in schema]]
    if others:
        notes.append(f"left out, for {why}: {listed(others, 12)}.")
    for name in others:
        schema = schema.with_column(name, role="dropped")
    return schema


def _guessed(engine: Engine, roles: Path | None, progress: Progress) -> tuple[Engine, Schema]:
    """Every column in the role it seems to have, or that a list gives it, with what seems to mean a missing value."""
    from shoal.data.schema import Column, Schema
    from shoal.engines.opening import with_missing
    from shoal.survey.looks import survey
    from shoal.survey.many.given_roles import read_roles, with_roles

    seen = survey(engine, progress)
    tokens = seen.missing_tokens
    seen = seen if roles is None else with_roles(seen, read_roles(roles), str(roles))
    return with_missing(engine, tokens), Schema(tuple(Column(look.name, look.role) for look in seen.columns))
