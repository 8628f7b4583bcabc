"""shoal init."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar

_K = 5
"""The size of groups for which room is told: that of the method which `init` proposes."""

if TYPE_CHECKING:
    from shoal.engines.lazy.addresses import Address
    from shoal.survey.looks import Look, Survey


def init(  # noqa: PLR0917  typer reads options from the signature
    data: Annotated[
        str,
        typer.Argument(
            help="The table: CSV (also .gz), Excel, Stata, SPSS, SAS, Parquet, Arrow, JSON lines, or a folder of "
            "parts; or the URL of a database, with "
            "--table or --query, or of Parquet files where Spark reads them, with --engine spark."
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The release file; hierarchies/ goes beside it.")
    ] = Path("release.toml"),
    table: Annotated[str | None, typer.Option(help="Of a database.")] = None,
    query: Annotated[str | None, typer.Option(help="What to ask a database instead of a table.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Of a CSV file, if it is not found out rightly.")] = None,
    encoding: Annotated[str, typer.Option(help="Of a CSV file, if it is not found out rightly.")] = "utf-8",
    sheet: Annotated[str | None, typer.Option(help="Of a workbook, if not its first one.")] = None,
    engine: Annotated[str, typer.Option(metavar="local|duckdb|spark", help="What reads the files.")] = "local",
    memory: Annotated[
        str | None, typer.Option(metavar="2GB", help="With --engine duckdb: the most it may take.")
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="With --engine spark: the cluster, if Spark is not set up for one."),
    ] = None,
    roles: Annotated[
        Path | None,
        typer.Option(metavar="ROLES.CSV", help="Roles of columns, or of patterns such as q_*, instead of guesses."),
    ] = None,
    save_roles: Annotated[
        Path | None,
        typer.Option(metavar="ROLES.CSV", help="Write the roles there too, to be changed in a spreadsheet."),
    ] = None,
    metadata: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A description of the table that was not made from it (Frictionless, CSVW, DDI): what it lists is "
            "taken as declared.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files of the same names.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the guesses for machines.")] = False,
) -> None:
    """Look at a table and write a release file with guesses to correct.

    Writes release.toml and a folder hierarchies/ beside it. The table is read and not changed.

    Example: shoal init people.csv -o plans/people.toml

    Example: shoal init people.csv --metadata datapackage.json

    Example: shoal init postgresql://host/database --table people

    Example: shoal init survey.csv --save-roles roles.csv, then with what you changed: --roles roles.csv --force
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.engines.lazy.addresses import Address, is_url
        from shoal.engines.lazy.files import Computing
        from shoal.engines.opening import engine_at
        from shoal.engines.reading.layout import Layout
        from shoal.errors import DataError, ParameterError
        from shoal.files.together import place_files, refuse_existing_files
        from shoal.survey.looks import MISSING_TOKENS, survey
        from shoal.survey.many.given_roles import read_roles, roles_text, with_roles
        from shoal.survey.metadata.applying import with_description
        from shoal.survey.metadata.described import Described
        from shoal.survey.metadata.reading import read_description
        from shoal.survey.propose import propose
        from shoal.survey.writing import Writing, writing_of

        where = Address(data, table, query) if is_url(data) else Path(data)
        if isinstance(where, Path) and (table, query) != (None, None):
            raise ParameterError("--table and --query are asked of a database, and this is a file; give its URL.")
        if isinstance(where, Path) and not where.exists():
            raise DataError(f"{data} does not exist; give the path of a table.")
        computing = Computing.named(engine, memory, master)
        target = output / "release.toml" if output.is_dir() else output
        refuse_existing_files(target.parent, [target.name], force=force)
        given = [] if roles is None else read_roles(roles)
        if save_roles is not None:
            refuse_existing_files(save_roles.parent, [save_roles.name], force=force)
        said = Described() if metadata is None else read_description(metadata, Path(data).name)
        missing = MISSING_TOKENS if said.missing is None else tuple(dict.fromkeys(("", *said.missing)))
        encoding = said.encoding if said.encoding is not None and encoding == "utf-8" else encoding
        with progress_bar() as progress:
            told = Layout(delimiter or said.delimiter, encoding, sheet)
            writing = writing_of(where, told, missing) if isinstance(where, Path) else Writing(told)
            seen = survey(engine_at(where, layout=writing.layout, computing=computing), progress, missing=missing)
        seen = seen if metadata is None else with_description(seen, said, metadata.name)
        seen = with_roles(seen, given, str(roles)) if given else seen
        files = propose(
            seen,
            _from(target, where) if isinstance(where, Path) else _url_from(target, where),
            target.name,
            writing,
            table=table,
            query=query,
        )
        place_files(target.parent, files, force=force)
        if save_roles is not None:
            place_files(save_roles.parent, {save_roles.name: roles_text(seen.columns)}, force=force)
        if as_json:
            emit(
                {"release_file": str(target), "files": list(files), "records": seen.records, "columns": _as_rows(seen)}
            )
        else:
            _show(seen, target, len(files) - 1)


def _from(release_file: Path, data: Path) -> str:
    """The path of the data seen from the folder of the release file."""
    import os

    table = data.parent.resolve() / data.name if data.name else data.resolve()
    try:
        return Path(os.path.relpath(table, release_file.parent.resolve())).as_posix()
    except ValueError:  # another drive
        return table.as_posix()


def _url_from(release_file: Path, address: Address) -> str:
    """The URL of a table; that of a database in a file, seen from the folder of the release file."""
    return address.url if address.file is None else f"{address.scheme}://{_from(release_file, address.file)}"


def _as_rows(seen: Survey) -> list[dict[str, Any]]:
    return [
        {
            "name": look.name,
            "kind": look.kind.value,
            "role": look.role.value,
            "reason": look.reason,
            "distinct": look.distinct,
            "all_distinct_counted": look.is_complete,
            "missing_share": look.missing_share,
            **({"repeated": look.repeated} if look.role.value in ("identifier", "person", "household") else {}),
            **_range(look),
        }
        for look in seen.columns
    ]


def _range(look: Look) -> dict[str, str]:
    from shoal.data.domain import Dates, Grid

    match look.domain:
        case Grid() as grid:
            low, high = grid.labels([0, grid.steps])
            return {"from": low, "to": high, "step": grid.number(grid.step)}
        case Dates() as dates:
            return {"from": dates.first.isoformat(), "to": dates.last.isoformat()}
        case _:
            return {}


def _called(looks: Sequence[Look]) -> str:
    """A column, or how many like it there are."""
    name = looks[0].name if looks[0].name.isprintable() and looks[0].name.strip() else repr(looks[0].name)
    return name if len(looks) == 1 else f"{name} to {looks[-1].name} ({len(looks)})"


def _show(seen: Survey, target: Path, hierarchies: int) -> None:
    from rich.console import Console
    from rich.table import Table

    from shoal.data.schema import Role
    from shoal.survey.many.costs import summary_lines
    from shoal.survey.many.together import grouped
    from shoal.survey.people import repeats
    from shoal.survey.propose import described

    console = Console(markup=False, emoji=False, highlight=False)
    console.print("\n".join(summary_lines(seen, _K)))
    table = Table("column", "kind", "role", "why")
    for looks in grouped(seen.columns):
        table.add_row(_called(looks), described(looks[0]), looks[0].role.value, looks[0].reason)
    console.print(table)
    person = next((look for look in seen.columns if look.role is Role.PERSON), None)
    if person is not None:
        console.print(f"Persons have several records: {person.name} {person.reason}.\n")
    for look in seen.columns:
        if person is None and look.role is Role.IDENTIFIER and look.repeated:
            console.print(
                f"Take care: {repeats(look)}. If it tells persons apart, name it as person in [data], so that persons "
                "are counted and not records.\n"
            )
    files = f" and {hierarchies} hierarch{'y' if hierarchies == 1 else 'ies'} in {target.parent / 'hierarchies'}"
    console.print(
        f"Wrote {target}{files if hierarchies else ''}.\n\n"
        "These are guesses from the names and from the data. Domains are marked observed: k-anonymity can work with "
        "that, a differentially private method will ask you to declare them, or to confirm that they are public "
        f"knowledge: shoal declare {target}\n\n"
        "Values found in the data stand in these files, which have the usual permissions: keep them where the data are "
        "kept until you have looked at them.\n\n"
        f"Next: correct the roles in {target}{', group values in the hierarchies' * bool(hierarchies)}, then run: "
        f"shoal run {target}"
    )
