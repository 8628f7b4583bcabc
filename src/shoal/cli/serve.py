"""shoal serve."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.console import errors_as_exit_codes


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 finds a free one.")] = 0,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    language: Annotated[str, typer.Option(metavar="en|de", help="The language of the page.")] = "en",
    largest: Annotated[int, typer.Option(min=1, metavar="GB", help="The largest file that may be uploaded.")] = 8,
) -> None:
    """Serve a page to click through, on this machine only; needs shoal[page].

    Everything that the other commands do with a release file, in a browser. Uploads are kept in a private folder and
    removed at the end. Stop it with Ctrl-C.

    Example: shoal serve
    """
    with errors_as_exit_codes():
        import webbrowser

        from shoal.errors import ParameterError
        from shoal.serve.server import require_page

        require_page()
        from shoal.serve.server import serve as serve_page
        from shoal.serve.texts import LANGUAGES

        if language not in LANGUAGES:
            raise ParameterError(f"--language is one of {', '.join(LANGUAGES)}; got {language!r}.")
        is_first = True

        def opened(address: str) -> None:
            nonlocal is_first
            said = "The page is at" if is_first else "Opened. That address is used up; to open the page again:"
            typer.echo(f"{said} {address}")
            if is_first:
                typer.echo("On this machine only. Stop it with Ctrl-C.")
                if opens:
                    webbrowser.open(address)
            is_first = False

        serve_page(port=port, largest_upload=largest << 30, language=language, opened=opened)
        typer.echo("Stopped; uploads were removed.")
