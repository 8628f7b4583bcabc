"""A release whose records go to a table of the database they come from: that is written last, or taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shoal.engines.lazy.addresses import Address
from shoal.engines.lazy.databases import drop_table, write_table
from shoal.engines.lazy.databases import refuse_existing_table as refuse_existing
from shoal.engines.lazy.engine import LazyEngine
from shoal.plan.plan import Plan
from shoal.release import Release


def refuse_existing_table(plan: Plan) -> None:
    """Stop before any work if the table of a plan would overwrite another."""
    if plan.table is not None and isinstance(plan.data.path, Address):
        refuse_existing(plan.data.path, plan.table)


@dataclass(slots=True)
class Tables:
    """The table that a plan names, if it names one."""

    plan: Plan
    is_written: bool = False

    def write(self, release: Release) -> None:
        """Write the records of a release into the table, in one transaction."""
        address, engine = self.plan.data.path, release.rows.engine
        if self.plan.table is not None and isinstance(address, Address) and isinstance(engine, LazyEngine):
            write_table(engine, address, release.rows.schema, release.outcome, self.plan.table)
            self.is_written = True


@contextmanager
def table_taken_back(plan: Plan) -> Iterator[Tables]:
    """For the time in which a release is written: if that fails after its table was, the table is dropped again."""
    tables = Tables(plan)
    try:
        yield tables
    except BaseException:
        if tables.is_written and plan.table is not None and isinstance(plan.data.path, Address):
            drop_table(plan.data.path, plan.table)
        raise
