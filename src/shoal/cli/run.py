"""shoal run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar
from shoal.cli.key import asked_passphrase
from shoal.errors import DataError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from shoal.dp.ledger.ledger import Ledger
    from shoal.engines.lazy.files import Computing
    from shoal.plan.plan import Plan
    from shoal.progress import Progress
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
        str | None, typer.Option(metavar="2GB", help="With --engine duckdb: the most it may take.")
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="With --engine spark: the cluster, if Spark is not set up for one."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Anonymize a table as a release file says.

    Writes the release (data, certificate: all of it may be published) and, beside it, a folder ending in -owner (the
    report: none of it may).

    Example: shoal run release.toml -o out/ --force

    Example: shoal run release.toml --engine duckdb --memory 2GB
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.engines.lazy.files import Computing
        from shoal.promises.folder import owner_folder

        computing = Computing.named(engine, memory, master)
        finished = _finished(plan, output)
        if finished is None:
            release, where = publish_to(
                plan, output, force=force, sign=sign, one_record_each=one_record_each, computing=computing
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
    """The release of an earlier run that was killed at its last step, finished now; None if there is none."""
    from shoal.files.folders import named_folder
    from shoal.plan.plan import Plan
    from shoal.promises.table import finish_killed

    plan = Plan.load(plan_path)
    where = named_folder(plan.output if output is None else output)
    certificate = finish_killed(plan, where, plan_path.read_bytes())
    return None if certificate is None else (certificate, where)


def publish_to(
    plan_path: Path,
    output: Path | None,
    *,
    force: bool,
    sign: Path | None = None,
    one_record_each: bool = False,
    computing: Computing | None = None,
) -> tuple[Release, Path]:
    """Make the release of a plan and write it whole or not at all; its certificate tells of the files written."""
    from shoal.files.folders import all_or_nothing, named_folder, refuse_existing
    from shoal.files.owner_only import owners_file
    from shoal.pipeline import look_before_paying, publish
    from shoal.plan.plan import Plan
    from shoal.promises.folder import OWNERS, PUBLISHED, owner_folder
    from shoal.promises.signing import private_key
    from shoal.promises.table import refuse_existing_table, table_taken_back

    key = None if sign is None else private_key(sign, asked_passphrase)  # before anything is paid for
    plan = Plan.load(plan_path)
    plan = plan if computing is None else replace(plan, computing=computing)
    for note in plan.notes:
        typer.echo(f"note: {note}", err=True)
    plan.require_sense(plan_path)
    where = named_folder(plan.output if output is None else output)
    targets = {where: PUBLISHED, owner_folder(where): OWNERS}
    refuse_existing(targets, force=force)
    refuse_existing_table(plan)
    as_run = plan_path.read_bytes()
    look_before_paying(plan, one_record_each=one_record_each)
    with progress_bar() as progress, _paid(plan, targets, force=force) as ledger:
        release = publish(plan, progress, ledger, one_record_each=one_record_each)
        with (
            table_taken_back(plan, where) as tables,
            all_or_nothing(targets, force=force, owners=(owner_folder(where),)) as (published, owner),
        ):
            owners_file(owner / "release.toml").write_bytes(as_run)
            release = _written(release, plan, published, key, progress)
            release.report(examples=plan.examples).keep(owner / "report.html")
            tables.write(release, (published, owner))  # last, so that whatever else goes wrong leaves no table
    return release, where


def _written(release: Release, plan: Plan, folder: Path, key: Ed25519PrivateKey | None, progress: Progress) -> Release:
    """Write what may be published; of a paid run that cannot be written, the release of no records instead."""
    from shoal.errors import ShoalError
    from shoal.methods.parts.declared import is_paid
    from shoal.pipeline import publish_nothing
    from shoal.promises.folder import write_release

    def write(release: Release) -> Release:
        certificate = write_release(
            release, folder, plan.format, groups=plan.groups, table=plan.table, key=key, progress=progress
        )
        return replace(release, certificate=certificate)

    try:
        return write(release)
    except Exception as error:
        if not is_paid(plan.method) or isinstance(error, ShoalError | OSError):  # no space left, a table that changed
            raise
        for path in folder.iterdir():
            path.unlink()
        return write(publish_nothing(plan, error))


@contextmanager
def _paid(plan: Plan, targets: Mapping[Path, Collection[str]], *, force: bool) -> Iterator[Ledger | None]:
    """The ledger of a release: what it costs is taken from the dataset's budget before anything private is computed.

    What would be lost if it could not be written is tried to be written first.
    """
    from shoal.methods.parts.pricing import priced

    made = priced(plan.schema, plan.method)
    cost, run = made.cost, made.inner.cost
    if cost is None or run is None:
        yield None
        return
    from shoal.dp.ledger.payment import Payment
    from shoal.dp.ledger.store import LedgerStore, default_folder
    from shoal.files.folders import require_writable

    path, budget = plan.data.path, plan.budget
    if isinstance(path, Path) and not path.exists():
        raise DataError(f"{path} does not exist; check [data] path, which is relative to the release file.")
    dataset = plan.data.dataset(budget.dataset, computing=plan.computing)
    store = LedgerStore(budget.ledger or default_folder())
    require_writable(targets, force=force, size=_about_as_large(path) if isinstance(path, Path) else 0)
    where = next(iter(targets))
    with Payment(run, lambda: store.reserve(dataset, cost, str(where), limit=budget.limit)) as payment:
        yield payment.ledger


def _about_as_large(data: Path) -> int:
    """The room a release may take: that of the table, rounded up to a power of two.

    What is free on a disk is no secret; that a single record decides whether it is enough should hardly ever happen.
    """
    files = data.rglob("*") if data.is_dir() else [data]
    size = sum(file.stat().st_size for file in files if file.is_file())
    return max(1 << size.bit_length(), 1 << 20)


def summary(release: Release, where: Path) -> str:
    """What a person wants to know after a run: of a paid one only what is public or released."""
    facts = release.facts
    recoded = [f"  {c['name']}: {c['recoding']}" for c in facts.columns]
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
    verdict = release.report().verdict
    return "\n  ".join([f"For the owner only: {sentence}{cost}.", f"{verdict.level.value}:", *verdict.sentences]) + "\n"
