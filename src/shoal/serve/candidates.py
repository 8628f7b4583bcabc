"""Releases that were made and kept to be compared, up to four: their files, and the release file each was made by.

Nothing is computed for a comparison: it shows what each run has told.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.files.owner_only import owners_folder
from shoal.serve.tabs import Tab
from shoal.serve.texts import Texts

MOST_KEPT = 4
"""More columns than these nobody compares at a glance."""
_HIERARCHIES = "hierarchies"


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A release that may be taken in the end.

    Attributes:
        text: The release file as it was run.
        result: What the run told.
        folder: The release, what belongs to its owner, and the hierarchies of the release file.
    """

    text: str
    result: dict[str, Any]
    folder: Path

    @property
    def method(self) -> str:
        """Its method."""
        name: str = tomllib.loads(self.text)["method"]["name"]
        return name

    @property
    def owner(self) -> dict[str, Any] | None:
        """What was computed from the original; nothing of a private method, where nobody has paid for it."""
        return None if self.result["is_paid"] else self.result["owner"]


def may_keep(tab: Tab) -> bool:
    """Whether the release of a tab can be kept: it is that of its release file, not kept yet, and there is room."""
    return tab.is_current and not is_kept(tab) and len(tab.candidates) < MOST_KEPT


def is_kept(tab: Tab) -> bool:
    """Whether the release of a tab is among those kept."""
    return tab.result is not None and any(one.result["number"] == tab.result["number"] for one in tab.candidates)


def keep(tab: Tab) -> None:
    """Keep the release of a tab beside others."""
    if not may_keep(tab) or tab.result is None or tab.job:
        return
    folder = owners_folder(tab.folder / f"kept-{secrets.token_hex(8)}")
    _same_files(tab.release_folder.parent, folder / "result")
    if (tab.work / _HIERARCHIES).is_dir():
        shutil.copytree(tab.work / _HIERARCHIES, folder / _HIERARCHIES)
    tab.candidates.append(Candidate(tab.result_text, tab.result, folder))


def drop(tab: Tab, one: Candidate) -> None:
    """Forget one."""
    if one in tab.candidates:
        tab.candidates.remove(one)
        shutil.rmtree(one.folder, ignore_errors=True)


def take(tab: Tab, one: Candidate) -> None:
    """Go on with one: its release file, and the release made by it. Nothing is run, and nothing is spent again."""
    if tab.job or one not in tab.candidates:
        return
    kept = tomllib.loads(one.text)

    def edit(content: dict[str, Any]) -> None:
        content.clear()
        content.update(kept)

    if (one.folder / _HIERARCHIES).is_dir():
        shutil.copytree(one.folder / _HIERARCHIES, tab.work / _HIERARCHIES, dirs_exist_ok=True)
    tab.change(edit)
    shutil.rmtree(tab.release_folder.parent, ignore_errors=True)
    _same_files(one.folder / "result", tab.release_folder.parent)
    tab.result, tab.result_text = one.result, tab.text
    tab.downloads.clear()


def compared(some: list[Candidate], t: Texts) -> list[tuple[str, list[str]]]:
    """The rows of the table: a name, and a cell for each release; a dash where nothing was paid for or measured."""
    measure = _measure(some)

    def of_owner(key: str, written: str) -> list[str]:
        return [_cell((one.owner or {}).get(key), written, t) for one in some]

    rows = [
        (t("method"), [one.method for one in some]),
        (t("promised"), ["; ".join(map(t.said, one.result["guarantees"])) or "–" for one in some]),
        (t("published records"), [t.number(one.result["records"]) for one in some]),
        (t("left out"), [_left_out(one, t) for one in some]),
        (t("classes"), of_owner("classes", ",")),
        (t("smallest class"), of_owner("smallest", ",")),
        (t("class risk"), of_owner("risk", ".2%")),
        (t("verdict"), [t(f"verdict {one.owner['verdict']['level']}") if one.owner else "–" for one in some]),
    ]
    if measure is not None:
        losses = [_cell(one.owner["losses"][measure] if one.owner else None, ".3f", t) for one in some]
        rows.insert(4, (t("lost", measure=measure), losses))
    return rows


def _cell(value: float | None, written: str, t: Texts) -> str:
    return "–" if value is None else t.number(value, written)


def _left_out(one: Candidate, t: Texts) -> str:
    if one.owner is None:
        return "–"
    suppressed, records = one.owner["suppressed"], one.owner["records"]
    return f"{t.number(suppressed)} ({t.number(suppressed / max(records, 1), '.1%')})"


def _measure(some: list[Candidate]) -> str | None:
    """The measure of loss that all of them have: the one that the first was made by, if it is among them."""
    owners = [one.owner for one in some if one.owner is not None]
    if not owners:
        return None
    common = [name for name in owners[0]["losses"] if all(name in owner["losses"] for owner in owners)]
    return owners[0]["optimized"] if owners[0]["optimized"] in common else next(iter(common), None)


def _same_files(folder: Path, to: Path) -> None:
    """A folder with the same files; runs never write into a file that is there, so that both may share it."""
    shutil.copytree(folder, to, copy_function=_linked)


def _linked(file: str, to: str) -> str:
    try:
        os.link(file, to)
    except OSError:  # a file system without links
        shutil.copy2(file, to)
    return to
