"""A release whose records go to a table of the database they come from.

A database and a disk do not commit together. So the folders of the release are complete and on the disk before the
table is committed, and a note beside them says which wait for which table. If the run fails, the table is taken back;
if it is killed in between, the next one finishes it: it has been made and paid for, and lacks nothing but a name.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from shoal.engines.lazy.addresses import Address
from shoal.engines.lazy.databases import drop_table, has_table, write_table
from shoal.engines.lazy.databases import refuse_existing_table as refuse_existing
from shoal.engines.lazy.engine import LazyEngine
from shoal.errors import ShoalError
from shoal.files.folders import flush, give_names, remove
from shoal.files.owner_only import write_for_owner
from shoal.files.remains import clear_away, leave
from shoal.plan.plan import Plan
from shoal.promises.certificate import CERTIFICATE, Certificate
from shoal.promises.checking import check_release
from shoal.promises.folder import owner_folder
from shoal.release import Release


def refuse_existing_table(plan: Plan) -> None:
    """Stop before any work if the table of a plan would overwrite another."""
    if plan.table is not None and isinstance(plan.data.path, Address):
        refuse_existing(plan.data.path, plan.table)


@dataclass(slots=True)
class Tables:
    """The table that a plan names, if it names one, and the note of what waits for it."""

    plan: Plan
    where: Path
    is_written: bool = False
    _noted: list[Path] = field(default_factory=list)

    def write(self, release: Release, staged: Sequence[Path]) -> None:
        """Write the records of a release into the table, in one transaction; all else of it is staged."""
        address, engine = self.plan.data.path, release.rows.engine
        if self.plan.table is not None and isinstance(address, Address) and isinstance(engine, LazyEngine):
            for folder in staged:
                flush(folder)
            note = {
                "table": self.plan.table,
                "place": address.place,
                "staged": [folder.name for folder in staged],
                "process": _me(),
            }
            self._noted.append(_note(self.where))
            write_for_owner(self._noted[0], json.dumps(note))
            flush(self._noted[0])
            leave(staged)  # from now on it is this note that says what becomes of them
            write_table(engine, address, release.rows.schema, release.outcome, self.plan.table)
            self.is_written = True

    def forget(self) -> None:
        """Nothing waits any more."""
        for note in self._noted:
            note.unlink(missing_ok=True)


@contextmanager
def table_taken_back(plan: Plan, where: Path) -> Iterator[Tables]:
    """For the time in which a release is written: if that fails after its table was, the table is dropped again."""
    tables = Tables(plan, where)
    try:
        yield tables
    except BaseException:
        if tables.is_written and plan.table is not None and isinstance(plan.data.path, Address):
            drop_table(plan.data.path, plan.table)
        tables.forget()
        raise
    tables.forget()


def finish_killed(plan: Plan, where: Path, as_run: bytes) -> Certificate | None:
    """Finish a run that was killed when its table was there and its folders had no names; None if there is none.

    The table must be what the certificate tells of. What waits for a table that never came is removed. A run of another
    release file is finished too, and its certificate not given back: its table is in the way, as any would be.
    """
    note = _note(where)
    if plan.table is None or not isinstance(plan.data.path, Address) or not note.is_file():
        return None
    clear_away()  # a run that had decided to give the names is finished first, before anybody looks at them
    try:
        said = json.loads(note.read_text(encoding="utf-8"))
        staged = [note.with_name(str(name)) for name in said["staged"]]
        is_about_this = (said["table"], said["place"]) == (plan.table, plan.data.path.place)
        is_dead = _has_ended(said["process"])
    except (ValueError, KeyError, TypeError):  # it was being written
        note.unlink()
        return None
    if not is_about_this or not is_dead:
        return None
    targets = dict(zip((where, owner_folder(where)), staged, strict=True))
    if not has_table(plan.data.path, plan.table) or not _is_whole(plan, targets):
        for folder in staged:
            remove(folder)
        note.unlink()
        return None
    give_names(targets, owners=(owner_folder(where),))
    note.unlink()
    is_same = (owner_folder(where) / "release.toml").read_bytes() == as_run
    return Certificate.load(where / CERTIFICATE) if is_same else None


def _is_whole(plan: Plan, targets: dict[Path, Path]) -> bool:
    """Whether the folders are there, under one name or the other, and the table keeps what the certificate promises."""
    there = [staged if staged.exists() else target for target, staged in targets.items()]
    assert isinstance(plan.data.path, Address)
    try:
        table = Address(plan.data.path.url, plan.table, folder=plan.data.path.folder)
        verdicts = check_release(there[0], table=table).verdicts if all(map(Path.is_dir, there)) else None
        return verdicts is not None and all(verdict.holds for verdict in verdicts)
    except ShoalError:
        return False


def _me() -> list[str | int]:
    return [socket.gethostname(), os.getpid()]


def _has_ended(process: list[str | int]) -> bool:
    """Whether a process is known to have ended: nothing is known of one of another machine."""
    host, number = process
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _note(where: Path) -> Path:
    """Beside the folder of the release."""
    return where.with_name(f".{where.name}-waiting.json")
