"""Release: what is promised, and the files to take; what may be published stands apart from what must not be."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.files.owner_only import owners_folder, write_for_owner
from shoal.serve.bringing import RELEASE_FILE
from shoal.serve.tabs import Tab
from shoal.serve.view.parts.controls import button, tag
from shoal.serve.view.parts.pieces import heading, note
from shoal.serve.view.results import certificate, signing

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw(shell: Shell) -> None:
    """The step."""
    t, tab = shell.t, shell.tab
    heading(t("release head"), t("release lead") if tab.result is not None else "")
    if tab.result is None:
        with tag("section", "", "card"), tag("div", "", "row"):
            tag("span", t("no result"), "soft")
            button(t("go run"), lambda: shell.go("run"), "main")
    else:
        if not tab.is_current:
            note(t("outdated"), "bad")
        with tag("section", "", "card"):
            tag("h2", t("certificate"))
            certificate.draw(shell, tab.result)
        with tag("div", "", "grid2"):
            with tag("section", "", "card"):
                tag("h2", t("may publish"))
                with tag("div", "", "files"):
                    _link(shell, t("take all"), tab.release_folder, "main")
                    for name in tab.result["files"]:
                        _link(shell, t("take", name=name), tab.release_folder / name)
            with tag("section", "", "card"):
                tag("h2", t("must not publish"))
                shell.owner_only()
                with tag("div", "", "files"):
                    for name in tab.result["owner_files"]:
                        words = t("take report") if name == "report.html" else t("take", name=name)
                        _link(shell, words, tab.owner_folder / name)
                    tag("a", t("print report"), "btn", href=shell.address("print"), target="_blank", rel="noopener")
        signing.draw(shell, tab.result)
    with tag("section", "", "card"):
        tag("h2", t("the file"))
        tag("p", t("reproduce"), "soft")
        with tag("div", "", "files"):
            button(t("take plan"), lambda: shell.save(tab.offer(packed(tab))))
        with tag("details").style("margin-top: 1rem"):
            tag("summary", RELEASE_FILE)
            tag("pre", tab.text)


def _link(shell: Shell, text: str, path: Path, kind: str = "") -> None:
    tag("a", text, f"btn {kind}", href=shell.address("download", shell.tab.offer(path)), download="")


def packed(tab: Tab) -> Path:
    """The release file with its hierarchies, and without the table: what `shoal run` needs beside it."""
    folder = tab.folder / "release-file"
    shutil.rmtree(folder, ignore_errors=True)
    owners_folder(folder)
    write_for_owner(folder / RELEASE_FILE, tab.text)
    hierarchies = tab.work / "hierarchies"
    if hierarchies.is_dir():
        shutil.copytree(hierarchies, folder / "hierarchies")
    return folder
