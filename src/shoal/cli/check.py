"""shoal check."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar


def check(
    release: Annotated[Path, typer.Argument(metavar="RELEASE/", help="The folder of a release.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Check again, from the published files alone, what a release promises.

    Exit code 0 when every promise that can be verified holds, 1 when one does not.

    Example: shoal check release/
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.checking import check_release
        from shoal.criteria.registry import to_dict
        from shoal.dp.guarantee import Basis

        with progress_bar() as progress:
            certificate, verdicts = check_release(release, progress)
        if as_json:
            emit(
                {
                    "release": str(release),
                    "holds": all(verdict.holds for verdict in verdicts),
                    "criteria": [
                        {
                            **to_dict(v.criterion),
                            "reached": v.reached if isfinite(v.reached) else None,
                            "holds": v.holds,
                        }
                        for v in verdicts
                    ],
                }
            )
        else:
            promises = "1 promise" if len(verdicts) == 1 else f"{len(verdicts) or 'no'} promises"
            typer.echo(f"{release}: {certificate.records:,} records, {promises} to verify")
            for verdict in verdicts:
                word = "holds" if verdict.holds else "BROKEN"
                typer.echo(f"  {word}  {verdict.criterion.statement}; reached {verdict.reached:.6g}")
            for guarantee in certificate.guarantees:
                if guarantee.basis is not Basis.VERIFIED:  # it is about how the table was made, not about the table
                    typer.echo(f"  cannot be checked from the files: {guarantee}")
            for finding in certificate.findings:
                typer.echo(f"  found out about it: {finding}")
        if not all(verdict.holds for verdict in verdicts):
            raise typer.Exit(1)
