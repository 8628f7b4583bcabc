"""shoal check."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar

if TYPE_CHECKING:
    from shoal.promises.checking import Checked


def check(
    release: Annotated[Path, typer.Argument(metavar="RELEASE/", help="The folder of a release.")],
    key: Annotated[
        Path | None, typer.Option(metavar="PUBLIC", help="The publisher's public key; the release must be signed.")
    ] = None,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="With --table: the database that the records were published in.")
    ] = None,
    table: Annotated[str | None, typer.Option(help="The table that the records were published in.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Check again, from the published files alone, what a release promises.

    Exit code 0 when every promise that can be verified holds, 1 when one does not, when the files do not belong
    together, and for a test run, which protects nobody.

    Example: shoal check release/ --key office.key.pub
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.engines.lazy.addresses import Address
        from shoal.errors import ParameterError
        from shoal.promises.checking import check_release

        if (database is None) != (table is None):
            raise ParameterError("--database and --table go together: the URL of a database, and its table.")
        records = None if database is None else Address(database, table)
        with progress_bar() as progress:
            checked = check_release(release, progress, key=key, table=records)
        if as_json:
            emit(_as_json(release, checked))
        else:
            _print(release, checked)
        if not checked.holds:
            raise typer.Exit(1)


def _as_json(release: Path, checked: Checked) -> dict[str, Any]:
    from shoal.criteria.registry import to_dict

    return {
        "release": str(release),
        "holds": checked.holds,
        "records": checked.certificate.records,
        "method": checked.certificate.method,
        "quasi_identifiers": list(checked.quasi_identifiers),
        "sensitive": list(checked.sensitive),
        "noisy": list(checked.noisy),
        "keyed": list(checked.keyed),
        "insensitive": list(checked.passed),
        "test_run": checked.is_test_run,
        "signed_by": checked.signed_by,
        "digests": bool(checked.certificate.files),
        "criteria": [
            {**to_dict(v.criterion), "reached": v.reached if isfinite(v.reached) else None, "holds": v.holds}
            for v in checked.verdicts
        ],
        "unchecked": [str(guarantee) for guarantee in checked.unchecked],
        "findings": list(checked.certificate.findings),
        "notes": list(checked.notes),
    }


def _print(release: Path, checked: Checked) -> None:
    certificate, verdicts = checked.certificate, checked.verdicts
    promises = "1 promise" if len(verdicts) == 1 else f"{len(verdicts) or 'no'} promises"
    typer.echo(f"{release}: {certificate.records:,} records, {promises} to verify")
    judged = {
        "quasi-identifiers": checked.quasi_identifiers,
        "sensitive": checked.sensitive,
        "changed by chance": checked.noisy,
        "pseudonyms of identifiers": checked.keyed,
        "insensitive, not looked at": checked.passed,
    }
    for what, names in judged.items():
        if names or what == "quasi-identifiers":
            typer.echo(f"  {what}: {', '.join(map(printable, names)) or 'none'}")
    for verdict in verdicts:
        word = "holds" if verdict.holds else "BROKEN"
        typer.echo(f"  {word}  {printable(verdict.criterion.statement)}; reached {verdict.reached:.6g}")
    for guarantee in checked.unchecked:  # it is about how the table was made, not about the table
        typer.echo(f"  cannot be checked from the files: {printable(str(guarantee))}")
    for finding in certificate.findings:
        typer.echo(f"  found out about it: {printable(finding)}")
    if certificate.files:
        typer.echo("  every file has the digest that the certificate tells of")
    if checked.signed_by:
        typer.echo(f"  the certificate is signed with the key {checked.signed_by}")
    for note in checked.notes:
        typer.echo(f"  note: {printable(note)}")


def printable(text: str) -> str:
    """A text of somebody else's in one line: nothing in it moves the cursor or begins a line of its own."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
