"""shoal advise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes

_NEED = """What do recipients need?
  1 records     true records, if coarser: nothing made up, nothing with noise
  2 statistics  counts, averages, models: single records may be changed"""
_RECIPIENTS = """Who receives it?
  1 public      anybody, for good
  2 partners    named others who have signed what they may do with it
  3 inside      people of the same organization"""
_RELEASES = "How many releases about the same people will there be, this one included?"


def advise(
    path: Annotated[
        Path | None, typer.Argument(metavar="RELEASE.TOML", help="What is declared about columns, if there is such.")
    ] = None,
    need: Annotated[str | None, typer.Option(metavar="records|statistics|counts", help="What recipients need.")] = None,
    recipients: Annotated[
        str | None, typer.Option(metavar="public|partners|inside", help="Who receives the release.")
    ] = None,
    releases: Annotated[
        int | None, typer.Option(help="How many about the same people there will be, this one included.")
    ] = None,
    records: Annotated[int | None, typer.Option(help="About how many records there are, if that is public.")] = None,
    target: Annotated[str | None, typer.Option(help="The column that recipients want to predict.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the advice for machines.")] = False,
) -> None:
    """Three questions lead to a method, k or ε with what it means in words, and the reason.

    Looks at no data. Prints the lines for a release file; asks what the options do not say.

    Example: shoal advise --need records --recipients partners --releases 1
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.plan.advising import Need, Recipients, advise, word_of
        from shoal.plan.plan import Plan

        schema = None if path is None else Plan.load(path).schema
        advice = advise(
            word_of(Need, need or _asked(_NEED, "--need", "1")),
            word_of(Recipients, recipients or _asked(_RECIPIENTS, "--recipients", "2")),
            int(_asked(_RELEASES, "--releases", "1", whole=True)) if releases is None else releases,
            records=records,
            schema=schema,
            target=target,
        )
        if as_json:
            emit(
                {
                    "method": advice.method,
                    "parameters": dict(advice.parameters),
                    "limit": advice.limit,
                    "means": advice.means,
                    "because": advice.because,
                    "mind": advice.mind,
                    "expect": advice.expectation.said,
                    "warnings": advice.expectation.warnings,
                    "better": advice.expectation.better,
                    "toml": advice.toml,
                }
            )
        else:
            typer.echo(str(advice))


def _asked(question: str, option: str, usual: str, *, whole: bool = False) -> str:
    """The answer that somebody types."""
    from shoal.errors import ParameterError

    if not _is_terminal():
        raise ParameterError(
            f"nobody is there to be asked; say {option}. With --need, --recipients and --releases nothing is asked."
        )
    answer: object = typer.prompt(f"{question}\n", default=usual, prompt_suffix="> ", type=int if whole else str)
    return str(answer)


def _is_terminal() -> bool:
    return sys.stdin.isatty()
