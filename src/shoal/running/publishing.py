"""publish_to(): from a release file to the folders of a release, paid for if it has a price.

The command line and the page do the same here; they differ in whom they tell of the progress.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import shoal.pipeline  # not `from shoal import`, which asks for the whole API first
from shoal.dp.ledger.payment import Payment
from shoal.dp.ledger.store import LedgerStore
from shoal.engines.lazy.files import Computing
from shoal.engines.memory import kept_limit, memory_limit
from shoal.engines.reading.csv_source import reading_once
from shoal.errors import DataError, ShoalError
from shoal.files.folders import all_or_nothing, named_folder, refuse_existing, require_writable
from shoal.files.owner_only import owners_file
from shoal.files.remains import claimed, data_folder
from shoal.methods.parts.declared import is_paid
from shoal.methods.parts.pricing import priced
from shoal.plan.plan import Plan
from shoal.progress import Progress, silent
from shoal.promises.folder import OWNERS, PUBLISHED, owner_folder, write_release
from shoal.promises.table import refuse_existing_table, table_taken_back
from shoal.release import Release

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from shoal.dp.ledger.ledger import Ledger
    from shoal.dp.ledger.store import Reservation


def publish_to(
    plan_path: Path,
    output: Path | None,
    *,
    force: bool,
    key: Ed25519PrivateKey | None = None,
    one_record_each: bool = False,
    computing: Computing | None = None,
    progress: Progress = silent,
    before_paying: Callable[[], None] = lambda: None,
) -> tuple[Release, Path]:
    """Make the release of a plan and write it whole or not at all; its certificate tells of the files written.

    What is said `before_paying` is said when nothing can be refused any more but by the budget, and nothing is spent.
    """
    plan = Plan.load(plan_path)
    plan = plan if computing is None else replace(plan, computing=computing)
    plan.require_sense(plan_path)
    where = named_folder(plan.output if output is None else output)
    with memory_limit(plan.computing.memory if plan.computing.engine == "local" else None), claimed(where):
        return _publish_to(
            plan,
            plan_path,
            where,
            force=force,
            key=key,
            one_record_each=one_record_each,
            progress=progress,
            before_paying=before_paying,
        )


def _publish_to(
    plan: Plan,
    plan_path: Path,
    where: Path,
    *,
    force: bool,
    key: Ed25519PrivateKey | None,
    one_record_each: bool,
    progress: Progress,
    before_paying: Callable[[], None],
) -> tuple[Release, Path]:
    targets = {where: PUBLISHED, owner_folder(where): OWNERS}
    refuse_existing(targets, force=force)
    refuse_existing_table(plan)
    as_run = plan_path.read_bytes()
    shoal.pipeline.look_before_paying(plan, one_record_each=one_record_each)
    keeping = reading_once() if is_paid(plan.method) else kept_limit()
    with keeping, _paid(plan, targets, before_paying, force=force) as ledger:
        release = shoal.pipeline.publish(plan, progress, ledger, one_record_each=one_record_each)
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

    def write(release: Release) -> Release:
        certificate = write_release(
            release,
            folder,
            plan.format,
            groups=plan.groups,
            table=plan.table,
            spreadsheet_safe=plan.spreadsheet_safe,
            metadata=plan.metadata,
            key=key,
            progress=progress,
        )
        return replace(release, certificate=certificate)

    try:
        return write(release)
    except Exception as error:
        if not is_paid(plan.method) or isinstance(error, ShoalError | OSError):  # no space left, a table that changed
            raise
        for path in folder.iterdir():
            path.unlink()
        return write(shoal.pipeline.publish_nothing(plan, error))


@contextmanager
def _paid(
    plan: Plan, targets: Mapping[Path, Collection[str]], before_paying: Callable[[], None], *, force: bool
) -> Iterator[Ledger | None]:
    """The ledger of a release: what it costs is taken from the dataset's budget before anything private is computed.

    What would be lost if it could not be written is tried to be written first.
    """
    made = priced(plan.schema, plan.method)
    cost, run = made.cost, made.inner.cost
    if cost is None or run is None:
        yield None
        return

    path, budget = plan.data.path, plan.budget
    if isinstance(path, Path) and not path.exists():
        raise DataError(f"{path} does not exist; check [data] path, which is relative to the release file.")
    dataset = plan.data.dataset(budget.dataset, computing=plan.computing)
    store = LedgerStore(budget.ledger or data_folder())
    require_writable(targets, force=force, size=_about_as_large(path) if isinstance(path, Path) else 0)
    where = next(iter(targets))

    def reserve() -> Reservation:
        before_paying()
        return store.reserve(dataset, cost, str(where), limit=budget.limit)

    with Payment(run, reserve) as payment:
        yield payment.ledger


def _about_as_large(data: Path) -> int:
    """The room a release may take: that of the table, rounded up to a power of two.

    What is free on a disk is no secret; that a single record decides whether it is enough should hardly ever happen.
    """
    files = data.rglob("*") if data.is_dir() else [data]
    size = sum(file.stat().st_size for file in files if file.is_file())
    return max(1 << size.bit_length(), 1 << 20)
