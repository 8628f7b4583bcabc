"""shoal run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar
from shoal.cli.key import asked_passphrase
from shoal.errors import DataError

if TYPE_CHECKING:
    from shoal.dp.ledger import Ledger
    from shoal.plan import Plan
    from shoal.release import Release

_OWNERS = ("report.html", "release.toml")


def run(
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Anonymize a table as a release file says.

    Writes the release (data, certificate: all of it may be published) and, beside it, a folder ending in -owner (the
    report: none of it may).

    Example: shoal run release.toml -o out/ --force
    """
    with errors_as_exit_codes(as_json=as_json):
        release, where = publish_to(plan, output, force=force, sign=sign, one_record_each=one_record_each)
        if as_json:
            emit(
                {"release": str(where), "owner": str(owner_folder(where)), "certificate": release.certificate.to_dict()}
            )
        else:
            typer.echo(summary(release, where))


def owner_folder(release: Path) -> Path:
    """Where the owner's report goes: beside the release, never in it."""
    return release.with_name(f"{release.name}-owner")


def publish_to(
    plan_path: Path, output: Path | None, *, force: bool, sign: Path | None = None, one_record_each: bool = False
) -> tuple[Release, Path]:
    """Make the release of a plan and write it whole or not at all; its certificate tells of the files written."""
    import shutil
    from dataclasses import replace

    from shoal.folders import all_or_nothing, named_folder, refuse_existing
    from shoal.pipeline import look_before_paying, publish
    from shoal.plan import Plan
    from shoal.release_folder import PUBLISHED, write_release
    from shoal.signing import private_key

    key = None if sign is None else private_key(sign, asked_passphrase)  # before anything is paid for
    plan = Plan.load(plan_path)
    plan.require_sense(plan_path)
    where = named_folder(plan.output if output is None else output)
    targets = {where: PUBLISHED, owner_folder(where): _OWNERS}
    refuse_existing(targets, force=force)
    look_before_paying(plan, one_record_each=one_record_each)
    with progress_bar() as progress, _paid(plan, where) as ledger:
        release = publish(plan, progress, ledger, one_record_each=one_record_each)
        with all_or_nothing(targets, force=force) as (published, owner):
            certificate = write_release(release, published, plan.format, groups=plan.groups, key=key, progress=progress)
            release.report().save(owner / "report.html")
            shutil.copyfile(plan_path, owner / "release.toml")
    return replace(release, certificate=certificate), where


@contextmanager
def _paid(plan: Plan, where: Path) -> Iterator[Ledger | None]:
    """The ledger of a release: what it costs is taken from the dataset's budget before anything private is computed."""
    from shoal.methods import PrivateMethod

    cost = plan.method.cost if isinstance(plan.method, PrivateMethod) else None
    if cost is None:
        yield None
        return
    from shoal.dp.ledger_store import LedgerStore, default_folder
    from shoal.engines.recognizing import dataset_at

    if not plan.data.path.exists():
        raise DataError(f"{plan.data.path} does not exist; check [data] path, which is relative to the release file.")
    data, budget = plan.data, plan.budget
    dataset = dataset_at(
        data.path, budget.dataset, missing=data.missing, delimiter=data.delimiter, encoding=data.encoding
    )
    store = LedgerStore(budget.ledger or default_folder())
    with store.reserve(dataset, cost, str(where), limit=budget.limit) as reservation:
        yield reservation.ledger


def summary(release: Release, where: Path) -> str:
    """What a person wants to know after a run."""
    facts = release.facts
    left_out = facts.suppressed / max(facts.records, 1)
    told_left_out = f"{facts.suppressed:,} of {facts.records:,} records left out ({left_out:.1%})"
    if release.counts_are_noisy:
        told_left_out = f"the original has {facts.records:,} records; those published are in noisy numbers"
    recoded = [f"  {c['name']}: {c['recoding']}" for c in facts.columns if c["recoding"] != "kept"]
    told = facts.optimized if facts.optimized in facts.losses else next(iter(facts.losses), None)
    cost = "" if told is None else f", {told} {facts.losses[told]:.3f}"
    return "\n".join(
        [
            f"{release.certificate}",
            "",
            f"For the owner only: {told_left_out}{cost}.",
            "Recoding:",
            *recoded,
            "",
            f"release (may be published):   {where}",
            f"owner's report (must not be): {owner_folder(where) / 'report.html'}",
        ]
    )
