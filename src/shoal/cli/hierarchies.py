"""shoal hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes

if TYPE_CHECKING:
    from shoal.data.hierarchies.standards.standard import Standard


def _names(incomplete: str) -> list[str]:
    """What a shell completes."""
    from shoal.data.hierarchies.standards.catalog import catalog

    return [name for name in catalog() if name.startswith(incomplete)]


def hierarchies(
    name: Annotated[
        str | None,
        typer.Argument(help="One of them, to be drawn; or a release file, with --arx.", autocompletion=_names),
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="Begin where the column does: category of diagnoses, division of industries.")
    ] = None,
    without_dots: Annotated[bool, typer.Option("--without-dots", help="Codes as E119 and not as E11.9.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print it as a hierarchy file, a row per value.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="With --csv or --arx: write it to this file, or folder, instead."),
    ] = None,
    as_arx: Annotated[
        bool,
        typer.Option("--arx", help="As ARX reads it: semicolons, no header. Of a release file, a file per column."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file of the same name.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list for machines.")] = False,
) -> None:
    """List the ready-made hierarchies, draw one, or write one to a file.

    They are public knowledge and serve differentially private methods too: in a release file
    hierarchy = { standard = "icd10cm" } declares the values of a column and how they become coarser.

    Example: shoal hierarchies icd10cm --level category --csv -o hierarchies/diagnosis.csv

    Example: shoal hierarchies release.toml --arx -o arx/
    """
    with errors_as_exit_codes(as_json=as_json):
        from dataclasses import asdict

        from shoal.data.hierarchies.standards.catalog import catalog
        from shoal.data.hierarchies.standards.standard import Standard
        from shoal.errors import HierarchyError, ParameterError

        if name is None:
            if as_csv or as_arx or output is not None or level is not None or without_dots:
                raise ParameterError("say which hierarchy: shoal hierarchies NAME; without a name all are listed.")
            if as_json:
                emit({"hierarchies": [asdict(entry) for entry in catalog().values()]})
            else:
                typer.echo(_listed())
            return
        if output is not None and not (as_csv or as_arx):
            raise ParameterError("-o goes with --csv or --arx: it says where hierarchy files are written.")
        if as_csv and as_arx:
            raise ParameterError("--csv and --arx are two ways to write a file; choose one.")
        if name.endswith(".toml"):
            if not as_arx or output is None:
                raise ParameterError("the hierarchies of a release file go to a folder: --arx -o FOLDER.")
            _export_all(Path(name), output, force=force)
            return
        try:
            standard = Standard(name, level, not without_dots)
        except HierarchyError as error:  # asked for here, and not by a release file
            raise ParameterError(str(error)) from None
        if as_csv or as_arx:
            _export(standard, output, for_arx=as_arx, force=force)
        elif as_json:
            emit(asdict(standard.entry))
        else:
            typer.echo(_drawn(standard))


def _listed() -> str:
    from textwrap import wrap

    from shoal.data.hierarchies.standards.catalog import catalog

    lines: list[str] = []
    for entry in catalog().values():
        codes = "your codes" if entry.codes is None else f"{entry.codes:,}"
        lines += [f"{entry.name:<16}{entry.title}", f"{codes:>14}  {' > '.join(entry.levels)} > *"]
        lines += wrap(f"{entry.source}; {entry.license}", 100, initial_indent=" " * 16, subsequent_indent=" " * 16)
    return "\n".join(
        [
            *lines,
            "",
            'In a release file: hierarchy = { standard = "country-alpha2" }. A column with a coarser level names it:',
            'hierarchy = { standard = "nace2", level = "division" }. Codes without dots: dots = false.',
            "Draw one: shoal hierarchies icd10cm",
        ]
    )


def _drawn(standard: Standard) -> str:
    from shoal.data.hierarchies.standards.showing import drawn

    entry = standard.entry
    written = [f'standard = "{standard.standard}"']
    written += [f'level = "{standard.level}"'] * (standard.level is not None) + ["dots = false"] * (not standard.dots)
    return "\n".join(
        [
            f"{entry.name}: {entry.title}",
            f"levels: {' > '.join(entry.levels)} > *",
            f"source: {entry.source}",
            f"license: {entry.license}",
            "",
            *drawn(standard),
            "",
            f"hierarchy = {{ {', '.join(written)} }}",
        ]
    )


def _export(standard: Standard, output: Path | None, *, for_arx: bool, force: bool) -> None:
    import csv
    import io

    from shoal.data.hierarchies.standards.showing import hierarchy_rows
    from shoal.files.together import place_files
    from shoal.plan.arx_hierarchies import arx_text

    rows = hierarchy_rows(standard)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([f"level{i}" for i in range(len(rows[0]))])
    writer.writerows(rows)
    text = arx_text(rows) if for_arx else file.getvalue()
    if output is None:
        typer.echo(text, nl=False)
        return
    place_files(output.parent, {output.name: text}, force=force)
    typer.echo(f"Wrote {len(rows):,} values to {output}.")


def _export_all(release_file: Path, folder: Path, *, force: bool) -> None:
    from shoal.files.together import place_files
    from shoal.plan.arx_hierarchies import arx_hierarchies
    from shoal.plan.plan import Plan

    files, left_out = arx_hierarchies(Plan.load(release_file).schema)
    place_files(folder, files, force=force)
    typer.echo(f"Wrote {len(files)} hierarch{'y' if len(files) == 1 else 'ies'} to {folder}: {', '.join(files)}.")
    for name, reason in left_out.items():
        typer.echo(f"Left out: {name}, {reason}.")
