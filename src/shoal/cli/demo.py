"""shoal demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import errors_as_exit_codes

_WRITTEN = ("patients.csv", "release.toml", "release.schema.json", "hierarchies", "release", "release-owner")


def demo(
    folder: Annotated[
        Path, typer.Option("-o", "--output", help="A new folder for the example and its release.")
    ] = Path("demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Run the whole flow on bundled example data: 5,000 patients who never lived.

    Example: shoal demo
    """
    with errors_as_exit_codes():
        from shoal.cli.run import summary
        from shoal.examples import write_example
        from shoal.files.folders import all_or_nothing, named_folder
        from shoal.running.publishing import publish_to

        folder = named_folder(folder)
        with all_or_nothing({folder: _WRITTEN}, force=force) as (staged,):
            release, output = publish_to(write_example(staged), None, force=False)
        where = folder / output.name
        typer.echo(f"Wrote {folder}/patients.csv and {folder}/release.toml, and ran: shoal run {folder}/release.toml\n")
        typer.echo(summary(release, where))
        typer.echo(f"\nNext: shoal check {where}")
