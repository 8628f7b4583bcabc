"""shoal schema."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes


def schema(
    what: Annotated[str, typer.Argument(metavar="release|certificate", help="Of which files.")] = "release",
) -> None:
    """Print the JSON Schema of release files, by which editors complete, explain and check them; or of certificates.

    Editors for TOML, such as Even Better TOML and Taplo, use it where a release file begins with the line
    #:schema release.schema.json

    Example: shoal schema > release.schema.json

    Example: shoal schema certificate > certificate.schema.json
    """
    with errors_as_exit_codes():
        from shoal.errors import ParameterError, nearest
        from shoal.plan.json_schema import release_schema
        from shoal.promises.describing.certificate_schema import certificate_schema

        schemas = {"release": release_schema, "certificate": certificate_schema}
        if what not in schemas:
            raise ParameterError(
                f"there are schemas of release files and of certificates (release, certificate); got {what!r}."
                f"{nearest(what, list(schemas))}"
            )
        emit(schemas[what]())
