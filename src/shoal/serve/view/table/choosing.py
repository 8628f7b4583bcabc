"""A table is chosen: dropped as a file, named by the address of a database, or the example."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.lazy.addresses import is_url
from shoal.errors import ShoalError
from shoal.files.owner_only import owners_folder, write_for_owner
from shoal.serve.bringing import brought
from shoal.serve.safety.names import safe_name
from shoal.serve.view.parts.controls import button, field, tag
from shoal.serve.view.parts.doing import begin, learn_methods, recheck
from shoal.serve.view.parts.dropzone import DropZone
from shoal.serve.view.parts.pieces import heading, note

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw(shell: Shell) -> None:
    """The ways to a table."""
    t, tab = shell.t, shell.tab
    heading(t("data head"), t("data lead"))
    if tab.brought:
        note(t("release brought"), "good")
    zone = DropZone(shell, t("drop"), t("drop hint"))
    zone.on("uploaded", lambda event: _uploaded(shell, str(event.args["name"])))
    with tag("div", "", "row"):
        button(t("example"), lambda: _example(shell), "quiet")
        tag("span", t("local"), "soft")
    _draw_database(shell)


def _draw_database(shell: Shell) -> None:
    """The address of a table that stays where it is."""
    t, tab = shell.t, shell.tab
    data = tab.content.get("data", {}) if tab.brought else {}
    is_named = is_url(str(data.get("path", "")))
    asked = shell.asked
    if is_named and not asked["url"]:
        asked |= {"url": data["path"], "table": data.get("table", ""), "query": data.get("query", "")}
    with tag("details", "", "card after-row", open=is_named or bool(asked["url"])):
        tag("summary", t("database"))
        tag("p", t("database lead"), "soft")
        with tag("div", "", "fields"):
            for key in asked:
                _draw_asked(shell, key)
        with tag("div", "", "row after-row"):
            button(t("database open"), lambda: _open(shell))


def _draw_asked(shell: Shell, key: str) -> None:
    t, asked = shell.t, shell.asked

    def taken(text: str) -> None:
        asked[key] = text.strip()

    field(t(f"database {key}"), asked[key], taken, hint=t(f"database {key} hint"))


def _open(shell: Shell) -> None:
    tab, asked = shell.tab, shell.asked
    if not asked["url"]:
        return
    was_brought = tab.brought
    folder = tab.work if was_brought else tab.start_anew()
    named = {key: asked[key] for key in ("table", "query") if asked[key]}
    tab.file = asked["table"] or asked["url"].rpartition("/")[2] or asked["url"]
    if was_brought:
        kept = {key: value for key, value in tab.content.get("data", {}).items() if key not in ("table", "query")}
        tab.content["data"] = {**kept, "path": asked["url"], **named}
        tab.save()
        begin(tab, "looking", "reopen", str(folder), then=lambda seen: taken(shell, seen, is_given=True))
    else:
        arguments = (asked["url"], named.get("table"), named.get("query"))
        begin(tab, "looking", "look at", str(folder), *arguments, then=lambda seen: taken(shell, seen))


def _example(shell: Shell) -> None:
    tab = shell.tab
    folder = tab.start_anew()
    tab.file = "patients.csv"
    begin(tab, "looking", "example", str(folder), then=lambda seen: taken(shell, seen, is_given=True))


def _uploaded(shell: Shell, name: str) -> None:
    """A table, or a release file to go on with, has arrived beside the working folder."""
    tab = shell.tab
    name = safe_name(name)
    arrived = tab.folder / f"incoming-{name}"
    if not arrived.is_file():
        return
    if name.lower().endswith((".toml", ".zip")):
        _bring(shell, arrived)
        return
    was_brought = tab.brought
    folder = tab.work if was_brought else tab.start_anew()
    arrived.rename(folder / name)
    tab.file = name
    if was_brought:
        data = tab.content.setdefault("data", {})
        for key in ("table", "query"):  # of a database, which it is not
            data.pop(key, None)
        data["path"] = name
        tab.save()
        begin(tab, "looking", "reopen", str(folder), then=lambda seen: taken(shell, seen, is_given=True))
    else:
        begin(tab, "looking", "look", str(folder), name, {}, then=lambda seen: taken(shell, seen))


def _bring(shell: Shell, arrived: Path) -> None:
    """A release file, alone or with its hierarchies, waits for the table it is about."""
    tab = shell.tab
    folder = tab.start_anew()
    try:
        content, hierarchies = brought(arrived)
    except ShoalError as error:
        tab.failure = str(error)
    else:
        tab.content, tab.brought = content, True
        for name, text in hierarchies.items():
            if not (folder / name).parent.exists():
                owners_folder((folder / name).parent)
            write_for_owner(folder / name, text)
    finally:
        arrived.unlink(missing_ok=True)
    shell.draw()


def taken(shell: Shell, seen: dict[str, Any], *, is_given: bool = False) -> None:
    """What was seen of a table, and the release file about it: guessed, or given by its owner."""
    tab = shell.tab
    tab.seen, tab.brought, tab.is_given = seen, False, is_given
    shell.forget_asked()
    tab.reasons = {column["name"]: column["reason"] for column in seen["columns"]}
    tab.take_anew(seen["text"])
    learn_methods(tab)
    recheck(tab)
