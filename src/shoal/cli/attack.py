"""shoal attack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar

if TYPE_CHECKING:
    from shoal.attacks.release import Attacked, Options, Tried
    from shoal.progress import Progress

_WRITTEN = ("attack.html", "attack.json")


def attack(  # noqa: PLR0917  typer reads options from the signature
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE/", help="The folder of a release, or the release file it was made by.")
    ],
    original: Annotated[Path | None, typer.Option("--original", help="The table it was made from.")] = None,
    control: Annotated[
        Path | None, typer.Option("--control", help="People of the same kind who are not in the original.")
    ] = None,
    also: Annotated[Path | None, typer.Option("--also", help="Another release of the same people.")] = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", help="The release file, if it is not in the -owner folder beside.")
    ] = None,
    known: Annotated[float, typer.Option("--known", help="The share of columns that an attacker knows.")] = 0.5,
    targets: Annotated[int, typer.Option("--targets", help="How many people are tried.")] = 500,
    learner: Annotated[str | None, typer.Option("--learner", help="Which classifier guesses.")] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", help="How long a private method is run again and again; 0: not at all.")
    ] = 20.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Decides who is tried.")] = 0,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where the findings go.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings for machines.")] = False,
) -> None:
    """Try what an attacker would: find people's records, guess their sensitive values, tell whether they are there.

    Reads the published files and compares with the original, so all of it is for the owner's eyes only. Nothing is
    written to the release, and no budget is charged.

    Example: shoal attack release/ --original people.csv --control others.csv
    """
    with errors_as_exit_codes(as_json=as_json):
        import json

        from shoal.attacks.release import Options, open_attacked
        from shoal.files.folders import all_or_nothing, refuse_existing
        from shoal.files.owner_only import write_for_owner
        from shoal.pages.attack import page, to_dict
        from shoal.pages.attack_verdict import attack_verdict

        options = Options(known=known, targets=targets, seed=seed, learner=learner, seconds=seconds)
        with progress_bar() as progress:
            attacked = open_attacked(release, original, plan, progress)
            target = {_place(attacked.folder, output): _WRITTEN}
            refuse_existing(target, force=force)
            tried, notes = _tried(attacked, options, control, also, progress)
        where = next(iter(target))
        verdict = attack_verdict(tried)
        found = {"release": str(attacked.folder), "verdict": verdict.to_dict(), "notes": notes, **to_dict(tried)}
        with all_or_nothing(target, force=force, owners=target) as (folder,):
            write_for_owner(folder / "attack.html", page(tried, notes, attacked.certificate))
            text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
            write_for_owner(folder / "attack.json", f"{text}\n")
        if as_json:
            emit({"findings": str(where), **found})
        else:
            typer.echo(f"For the owner only:\n\n{verdict}\n")
            typer.echo("\n".join(f"- {one}" for one in [*tried, *notes]))
            typer.echo(f"\nfindings (must not be published): {where / 'attack.html'}")


def _tried(
    attacked: Attacked, options: Options, control: Path | None, also: Path | None, progress: Progress
) -> tuple[list[Tried], list[str]]:
    """All attacks, and notes on what they were given."""
    from shoal.attacks.release import control_group, open_attacked, try_all

    notes = []
    people = other = None
    if control is not None:
        people, left_out = control_group(attacked, control)
        notes.append(
            f"The control group has {people.people:,} people"
            + ("" if people.persons is None else f" with {people.total:,} records")
            + (f"; {left_out:,} were left out whose values are not in the domains." if left_out else ".")
        )
    if also is not None:
        original = attacked.data if isinstance(attacked.data, Path) else None
        other = open_attacked(also, original, progress=progress)
    return try_all(attacked, options, control=people, also=other, progress=progress), notes


def _place(release: Path, output: Path | None) -> Path:
    """Where findings go: beside the release or where the owner says, never into what may be published."""
    from shoal.errors import OutputError
    from shoal.files.folders import named_folder

    where = named_folder(release.with_name(f"{release.name}-attack-owner") if output is None else output)
    if where.resolve().is_relative_to(release.resolve()):
        raise OutputError(
            f"{where} is in the release, which may be published; findings may not. Choose another with -o."
        )
    return where
