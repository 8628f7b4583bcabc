"""One column being edited: its values and hierarchy, the levels and tree that come of it, and a file in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import background_tasks

from shoal.errors import ShoalError
from shoal.files.owner_only import owners_folder, write_for_owner
from shoal.serve.safety.names import safe_name
from shoal.serve.view.column import cells, domain, recipes
from shoal.serve.view.column.editing import edit
from shoal.serve.view.parts.controls import button, tag
from shoal.serve.view.parts.dropzone import DropZone
from shoal.serve.view.parts.pieces import sketch, told

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw(shell: Shell, name: str) -> None:
    """The editor."""
    t, column = shell.t, shell.tab.content["columns"][name]
    problem = shell.tab.checked.get("problem") or {}
    with tag("section", "", "card", aria_label=t("edit of", column=name)):
        with tag("div", "", "row"):
            tag("h2", name, "grow")
            button(t("close"), lambda: _close(shell), "quiet", label=f"{t('close')}: {name}")
        if problem.get("column") == name:
            told(t, problem["message"], "bad")
        if column["role"] == "insensitive":
            cells.draw(shell, name, column)
            return
        with tag("div", "", "grid2"):
            with tag("div", "", "stack"):
                domain.draw(shell, name, column)
                recipes.draw(shell, name, column)
                _draw_files(shell, name)
                cells.draw(shell, name, column)
            with tag("div"):
                _draw_levels(shell, name)
        recipes.draw_board(shell, name, column)


def _close(shell: Shell) -> None:
    shell.tab.column = None
    shell.draw()


def _draw_files(shell: Shell, name: str) -> None:
    t = shell.t
    with tag("div", "", "row"):
        zone = DropZone(shell, t("import csv"), purpose="hierarchy", small=True)
        zone.on("uploaded", lambda event: _imported(shell, name, str(event.args["name"])))
        button(t("export csv"), lambda: _export(shell, name), "quiet")


def _imported(shell: Shell, name: str, file: str) -> None:
    tab = shell.tab
    arrived = tab.work / f"incoming-{safe_name(file)}"
    if not arrived.is_file():
        return
    if not (tab.work / "hierarchies").exists():
        owners_folder(tab.work / "hierarchies")
    path = f"hierarchies/{safe_name(name, 'column').rsplit('.', 1)[0]}-{safe_name(file)}"
    arrived.replace(tab.work / path)

    edit(shell, name, hierarchy=path, domain=None)  # the file says itself where its values come from


def _export(shell: Shell, name: str) -> None:
    """Have the hierarchy written out, and let the browser save it."""
    tab = shell.tab

    async def work() -> None:
        try:
            text = await tab.quick.do("hierarchy rows", str(tab.work), name)
        except ShoalError as error:
            tab.failure = str(error)
            tab.version += 1
            return
        path = tab.folder / f"hierarchy-{safe_name(name, 'column')}.csv"
        write_for_owner(path, text)
        shell.save(tab.offer(path))

    background_tasks.create(work(), name="export")


def _draw_levels(shell: Shell, name: str) -> None:
    """What the hierarchy does to the column; what it did before stays until that is known."""
    t, content = shell.t, shell.tab.content
    shell.owner_only()
    said = repr((content["columns"][name], content.get("data")))
    levels = shell.levels if shell.levels is not None and shell.levels["of"] == name else None
    is_old = levels is None or levels["said"] != said
    if is_old:
        _ask(shell, name, said)
    if levels is None:
        tag("p", t("wait"), "soft")
        return
    with tag("div", "", "old" if is_old else "", aria_busy="true" if is_old else None):
        if "problem" in levels:
            told(t, levels["problem"], "bad")
        else:
            _draw_tree(shell, levels)


def _draw_tree(shell: Shell, levels: dict[str, Any]) -> None:
    t = shell.t
    with tag("div", "", "scroll"), tag("table"):
        with tag("thead"), tag("tr"):
            for key in ("level", "groups", "smallest group", "distribution", "examples"):
                tag("th", t(key), "" if key in ("examples", "distribution") else "num", scope="col")
        with tag("tbody"):
            for level in levels["levels"]:
                with tag("tr"):
                    tag("td", str(level["level"]), "num")
                    tag("td", t.number(level["groups"]), "num")
                    tag("td", t.number(level["smallest"]), "num")
                    with tag("td"):
                        sketch(t("sketch of level", level=level["level"]), level["sketch"])
                    tag("td", " · ".join(level["examples"][:4]))
    tag("h3", t("tree")).style("margin-top: 1rem")
    with tag("div", "", "tree", tabindex=0, role="region", aria_label=t("tree")):
        for depth, label, leaves in levels["tree"]:
            words = f"{label}  ({t.number(leaves)})" if leaves > 1 else label
            tag("div", words).style(f"padding-left: {1.2 * depth:.1f}rem")


def _ask(shell: Shell, name: str, said: str) -> None:
    """Ask once for what the release file says of the column now."""
    tab = shell.tab
    if shell.asking == (name, said):
        return
    shell.asking = (name, said)

    async def work() -> None:
        try:
            answer = await tab.quick.do("hierarchy", str(tab.work), name)
        except ShoalError as error:
            answer = {"problem": str(error)}
        if shell.asking == (name, said):
            shell.asking = None
            shell.levels = {**answer, "of": name, "said": said}
            tab.version += 1

    background_tasks.create(work(), name="hierarchy")
