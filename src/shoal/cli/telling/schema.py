"""shoal schema."""

from __future__ import annotations

from shoal.cli.console import emit, errors_as_exit_codes


def schema() -> None:
    """Print the JSON Schema of release files, by which editors complete, explain and check them.

    Editors for TOML, such as Even Better TOML and Taplo, use it where a release file begins with the line
    #:schema release.schema.json

    Example: shoal schema > release.schema.json
    """
    with errors_as_exit_codes():
        from shoal.plan.json_schema import release_schema

        emit(release_schema())
