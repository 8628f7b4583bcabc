"""shoal key: keys to sign certificates with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes

key = typer.Typer(name="key", no_args_is_help=True, rich_markup_mode=None, help="Keys to sign releases with.")


@key.callback()
def _key() -> None:
    """Keys to sign releases with."""


@key.command()
def new(
    path: Annotated[Path, typer.Argument(metavar="KEYFILE", help="Where the private key goes.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Make a key: KEYFILE is for you alone, KEYFILE.pub is for everybody who checks your releases.

    With SHOAL_KEY_PASSPHRASE in the environment the private key is kept under that passphrase.

    Example: shoal key new office.key && shoal run release.toml --sign office.key
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.promises.signing import PASSPHRASE, new_key, public_half

        name = new_key(path, os.environ.get(PASSPHRASE))
        if as_json:
            emit({"private": str(path), "public": str(public_half(path)), "fingerprint": name})
        else:
            typer.echo(f"private key (keep it to yourself): {path}")
            typer.echo(f"public key (for everybody):        {public_half(path)}")
            typer.echo(f"fingerprint:                       {name}")


def asked_passphrase() -> str | None:
    """The passphrase of a key, asked for where somebody can answer."""
    if not sys.stdin.isatty():
        return None
    return str(typer.prompt("Passphrase of the key", hide_input=True, err=True))
