"""What each browser tab is working on: a release file and its history, what was seen of the table, and its processes.

It is kept in memory, so that a reload finds it again, and separately for each tab; files are in a folder of the tab's
own.
"""

from __future__ import annotations

import copy
import secrets
import shutil
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.files.owner_only import owners_folder, write_for_owner
from shoal.serve.bringing import RELEASE_FILE
from shoal.serve.work.worker import Worker
from shoal.survey.toml_text import as_toml

if TYPE_CHECKING:
    from shoal.serve.candidates import Candidate

STEPS = ("data", "columns", "protect", "run", "explore", "release")
_MOST_UNDONE = 50
_FORGOTTEN_AFTER = 6 * 3600.0
"""Seconds after which what a closed tab was working on is removed."""
_IDLE_AFTER = 60.0
"""Seconds after which the processes of a closed tab are ended."""


@dataclass(eq=False)
class Tab:
    """One tab."""

    folder: Path
    language: str = "en"
    step: str = "data"
    file: str | None = None
    content: dict[str, Any] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    seen: dict[str, Any] | None = None
    checked: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] | None = None
    result_text: str = ""
    """The release file as it was run."""
    candidates: list[Candidate] = field(default_factory=list)
    """Releases that are kept to be compared."""
    lattice: dict[str, Any] | None = None
    scheme: dict[str, Any] | None = None
    wanted: list[int] | None = None
    """The scheme that is looked at, or being priced."""
    first_row: int = 0
    """From which row on a scheme is looked at."""
    original: dict[str, Any] | None = None
    """Rows of the table that are looked at, if not its first ones."""
    tried: dict[str, Any] | None = None
    methods: dict[str, Any] | None = None
    """Every method with its parameters."""
    job: str = ""
    jobs: int = 0
    """How many were begun."""
    task: str = ""
    done: float = 0.0
    failure: str = ""
    downloads: dict[str, Path] = field(default_factory=dict)
    viewers: set[str] = field(default_factory=set)
    last_seen: float = field(default_factory=time.monotonic)
    version: int = 0
    """Counts what happened; a page that has seen fewer draws itself anew."""
    news: dict[str, int] = field(default_factory=dict)
    """The same for parts of a page that are drawn by themselves."""
    brought: bool = False
    """Whether a release file was brought and waits for its table."""
    is_given: bool = False
    """Whether the release file is its owner's own, so that nothing in it is guessed again."""
    column: str | None = None
    """The column whose hierarchy is being edited."""
    _before: list[str] = field(default_factory=list)
    _after: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.work = owners_folder(self.folder / "work")
        self.long, self.quick = Worker(self.folder), Worker(self.folder)

    @property
    def release_folder(self) -> Path:
        """Where a release is written to before it is downloaded."""
        return self.folder / "result" / "release"

    @property
    def owner_folder(self) -> Path:
        """Where the report goes, and what else must not be published."""
        return self.release_folder.with_name(f"{self.release_folder.name}-owner")

    @property
    def text(self) -> str:
        """The release file."""
        return as_toml(self.content, self.kept_reasons())

    @property
    def is_current(self) -> bool:
        """Whether the result is that of the release file as it stands."""
        return self.result is not None and self.result_text == self.text

    def start_anew(self) -> Path:
        """Forget the table and everything that came of it; an empty folder for the next one."""
        self.stop()
        for old in (self.work, self.folder / "result", *(one.folder for one in self.candidates)):
            shutil.rmtree(old, ignore_errors=True)
        self.work = owners_folder(self.folder / "work")
        self.file, self.seen, self.content, self.reasons = None, None, {}, {}
        self.checked, self.result, self.lattice, self.scheme, self.tried = {}, None, None, None, None
        self.failure, self.job, self.brought, self.is_given, self.column = "", "", False, False, None
        self.first_row, self.original = 0, None
        self.downloads.clear()
        self.candidates.clear()
        self._before.clear()
        self._after.clear()
        return self.work

    def take(self, text: str) -> None:
        """A release file as it was proposed, brought or confirmed."""
        self.content = tomllib.loads(text)

    def take_anew(self, text: str) -> None:
        """A release file about a table that was just looked at: nothing that came of another look is left."""
        self.take(text)
        self.checked, self.lattice, self.scheme, self.wanted, self.tried = {}, None, None, None, None
        self.first_row, self.original, self.column = 0, None, None
        self._before.clear()
        self._after.clear()

    def change(self, edit: Callable[[dict[str, Any]], None]) -> None:
        """Edit the release file; the file as it was can be had back."""
        before, draft = self.text, copy.deepcopy(self.content)
        edit(draft)
        try:
            text = as_toml(draft, self.kept_reasons())
            tomllib.loads(text)
            text.encode()
        except (TypeError, ValueError):  # what no file can hold is not taken
            self.failure = "This cannot be written into a release file; it is left as it was."
            return
        self.content, self.failure = draft, ""
        if self.text != before:
            self._before = [*self._before, before][-_MOST_UNDONE:]
            self._after.clear()
            self.save()

    def undo(self) -> None:
        """The release file as it was before the last edit."""
        if self._before:
            self._after.append(self.text)
            self._return_to(self._before.pop())

    def redo(self) -> None:
        """The edit that was undone last."""
        if self._after:
            self._before.append(self.text)
            self._return_to(self._after.pop())

    @property
    def can_undo(self) -> bool:
        """Whether something was edited."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether something was undone."""
        return bool(self._after)

    def save(self) -> None:
        """Write the release file where the processes read it."""
        self.lattice, self.scheme, self.wanted, self.tried = None, None, None, None
        write_for_owner(self.work / RELEASE_FILE, self.text)

    def offer(self, path: Path) -> str:
        """A name by which this file can be downloaded, and no other."""
        known = next((name for name, offered in self.downloads.items() if offered == path), None)
        name = known or secrets.token_urlsafe(12)
        self.downloads[name] = path
        return name

    def stop(self) -> None:
        """End whatever is being done."""
        self.long.stop()
        self.quick.stop()
        self.job = ""

    def tell(self, task: str, done: float) -> None:
        """How far a job has come."""
        self.task, self.done = task, done

    def kept_reasons(self) -> dict[str, str]:
        """The reasons for roles that are still as they were proposed."""
        columns, seen = self.content.get("columns", {}), (self.seen or {}).get("columns", [])
        proposed = {column["name"]: column["role"] for column in seen}
        return {n: why for n, why in self.reasons.items() if columns.get(n, {}).get("role") == proposed.get(n)}

    def _return_to(self, text: str) -> None:
        self.content = tomllib.loads(text)
        self.save()


@dataclass(eq=False)
class Tabs:
    """All tabs of one page, by the number that a browser tab keeps until it is closed."""

    folder: Path
    language: str = "en"
    known: dict[str, Tab] = field(default_factory=dict)

    def of(self, number: str) -> Tab:
        """The tab with this number; a new one if it was never seen."""
        if number not in self.known:
            self.known[number] = Tab(owners_folder(self.folder / secrets.token_hex(8)), self.language)
        return self.known[number]

    def tidy(self) -> None:
        """End the processes of tabs that nobody looks at, unless they still work; forget those closed for long."""
        now = time.monotonic()
        for number, tab in list(self.known.items()):
            away = 0.0 if tab.viewers else now - tab.last_seen
            if away > _FORGOTTEN_AFTER:
                tab.stop()
                shutil.rmtree(tab.folder, ignore_errors=True)
                del self.known[number]
            elif away > _IDLE_AFTER and not tab.long.is_busy:
                tab.stop()

    def stop(self) -> None:
        """End all processes."""
        for tab in self.known.values():
            with suppress(Exception):
                tab.stop()
