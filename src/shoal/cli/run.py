"""shoal run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar
from shoal.cli.key import asked_passphrase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.promises.certificate import Certificate
    from shoal.release import Release


def run(  # noqa: PLR0917  typer reads options from the signature
    plan: Annotated[Path, typer.Argument(metavar="RELEASE.TOML", help="The release file; `shoal init` writes one.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where to, instead of [output] path.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    one_record_each: Annotated[
        bool,
        typer.Option(
            "--one-record-each", help="Affirm that no person has several records, although identifiers repeat."
        ),
    ] = False,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEYFILE", help="Sign it with this private key; `shoal key new` makes one.")
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="local|duckdb|spark", help="What reads the files and counts their records.")
    ] = "local",
    memory: Annotated[
        str | None, typer.Option(metavar="2GB", help="The most memory to take; what needs more is refused.")
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="With --engine spark: the cluster, if Spark is not set up for one."),
    ] = None,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what it would do, cost and give, by what is public.")
    ] = False,
    records: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="About how many records there are, if that is public (persons, where one record of each takes part): "
            "what to expect follows from it.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Anonymize a table as a release file says.

    Writes the release (data, certificate: all of it may be published) and, beside it, a folder ending in -owner (the
    report: none of it may).

    Example: shoal run release.toml -o out/ --force

    Example: shoal run release.toml --memory 2GB

    Example: shoal run release.toml --dry-run --records 30000
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.engines.lazy.files import Computing

        if dry:
            from shoal.running.dry_run import dry_run

            told = dry_run(
                plan,
                output,
                records,
                one_record_each=one_record_each,
                computing=Computing.named(engine, memory, master),
            )
            for note in told.notes:
                typer.echo(f"note: {note}", err=True)
            emit(told.to_dict()) if as_json else typer.echo(str(told))
            return
        from shoal.plan.plan import Plan
        from shoal.promises.folder import owner_folder
        from shoal.promises.signing import private_key
        from shoal.running.dry_run import warned
        from shoal.running.publishing import publish_to

        computing = Computing.named(engine, memory, master)
        finished = _finished(plan, output)
        if finished is None:
            key = None if sign is None else private_key(sign, asked_passphrase)  # before anything is paid for
            loaded = Plan.load(plan)
            warnings = warned(loaded, records)  # why it may be of little use: known before a record is read
            with progress_bar(is_paid=loaded.method.cost is not None) as progress:
                release, where = publish_to(
                    plan,
                    output,
                    force=force,
                    key=key,
                    one_record_each=one_record_each,
                    computing=computing,
                    progress=progress,
                    before_paying=lambda: typer.echo("\n".join(warnings), err=True) if warnings else None,
                )
            certificate, said = release.certificate, summary(release, where)
        else:
            certificate, where = finished
            said = (
                f"{certificate}\n\nAn earlier run of this release file was ended when its table had been written and "
                "its folder had no name yet. That is finished now; nothing was drawn or spent again.\n\n"
                f"{_places(where)}"
            )
        if as_json:
            emit({"release": str(where), "owner": str(owner_folder(where)), "certificate": certificate.to_dict()})
        else:
            typer.echo(said)


def _finished(plan_path: Path, output: Path | None) -> tuple[Certificate, Path] | None:
    """The release of an earlier run that was killed at its last step, finished now; None if there is none.

    What the release file says in vain is told on the way.
    """
    from shoal.files.folders import named_folder
    from shoal.plan.plan import Plan
    from shoal.promises.table import finish_killed

    plan = Plan.load(plan_path)
    for note in plan.notes:
        typer.echo(f"note: {note}", err=True)
    where = named_folder(plan.output if output is None else output)
    certificate = finish_killed(plan, where, plan_path.read_bytes())
    return None if certificate is None else (certificate, where)


def summary(release: Release, where: Path) -> str:
    """What a person wants to know after a run: of a paid one only what is public or released."""
    from shoal.data.hierarchies.wording import not_counted, with_coding

    words = {facts["name"]: facts["recoding"] for facts in release.facts.columns}
    published = [column for column in release.rows.schema if column.role.is_published]
    became = {c.name: with_coding(c, words.get(c.name) or not_counted(c)) for c in published}
    recoded = [f"  {name}: {said}" for name, said in (words | became).items()]  # pseudonyms of persons are no column
    nothing = [] if release.certificate.records else [f"There was nothing to publish. {release.needs}".rstrip(), ""]
    return "\n".join(
        [
            f"{release.certificate}",
            "",
            *nothing,
            *([] if release.is_paid else [_owner_summary(release)]),
            "What became of the columns:",
            *recoded,
            "",
            _places(where),
        ]
    )


def _places(where: Path) -> str:
    from shoal.promises.folder import owner_folder

    report = owner_folder(where) / "report.html"
    return f"release (may be published):   {where}\nowner's report (must not be): {report}"


def _stopped(search: Mapping[str, object], seconds: float) -> str:
    """What a search that was not finished says of the optimum; nothing of one that was."""
    if search.get("optimal", True):
        return ""
    least = search["no recoding loses less than"]
    return (
        f" The search stopped after {seconds:g} seconds (time_limit in [method]; `time_limit = {_longer(seconds):g}` "
        f"lets it go on for longer); what is proved is that none loses less than {least:.3f}."
    )


def _longer(seconds: float) -> float:
    """Five times as long, and a minute at least."""
    return max(5 * seconds, 60)


def _owner_summary(release: Release) -> str:
    """What was left out, and what it cost: figures of the original, which the report has too."""
    facts = release.facts
    left_out = facts.suppressed / max(facts.records, 1)
    of = "" if facts.people is None else f" of {facts.people:,} {release.outcome.table.unit.plural}"
    sentence = f"{facts.suppressed:,} of {facts.records:,} records{of} left out ({left_out:.1%})"
    if release.counts_are_noisy:
        sentence = f"the original has {facts.records:,} records{of}; those published are in noisy numbers"
    measure = facts.optimized if facts.optimized in facts.losses else next(iter(facts.losses), None)
    cost = "" if measure is None else f", {measure} {facts.losses[measure]:.3f}"
    seconds = release.certificate.parameters.get("time_limit", 0)
    verdict = release.report().verdict
    points = [f"- {point}" for point in verdict.points]
    lines = [
        f"For the owner only: {sentence}{cost}.{_stopped(facts.search, seconds)}",
        f"{verdict.level.value}:",
        *verdict.sentences,
        *points,
    ]
    return "\n  ".join(lines) + "\n"
