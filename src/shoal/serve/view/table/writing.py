"""How the file is written: what was guessed, to be changed; the table is then looked at again."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from shoal.engines.lazy.addresses import is_url
from shoal.engines.reading.layout import THOUSANDS, Layout
from shoal.errors import ShoalError
from shoal.serve.view.column.editing import listed
from shoal.serve.view.parts.controls import button, checkbox, choice, field, tag
from shoal.serve.view.parts.doing import begin
from shoal.serve.view.table.choosing import taken

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

_TEXT = (".csv", ".tsv", ".txt", ".gz")
_SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_CODED = (".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")
_ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16", "cp1250", "mac-roman", "shift_jis")
_DELIMITERS = {"": "found", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def draw(shell: Shell) -> None:
    """The fields; nothing is read again before somebody says so."""
    t, tab = shell.t, shell.tab
    said: dict[str, Any] = {**tab.content.get("data", {}), **shell.told}
    if is_url(str(said.get("path", ""))):
        return
    ending = PurePosixPath((tab.file or "").lower()).suffix
    with tag("details", "", "card", open=bool(shell.told)):
        tag("summary", t("writing"))
        tag("p", t("writing lead"), "soft")
        with tag("div", "", "fields"):
            if ending in _TEXT:
                _draw_choice(shell, "delimiter", {key: t(f"delimiter {word}") for key, word in _DELIMITERS.items()})
                known = dict.fromkeys([*_ENCODINGS, str(said.get("encoding", "utf-8"))])
                _draw_choice(shell, "encoding", {name: name for name in known}, "utf-8")
            if ending in _SHEETS:
                _draw_text(shell, "sheet", str(said.get("sheet", "")))
            if ending in (*_TEXT, *_SHEETS):
                _draw_choice(shell, "decimal", {".": "1.5", ",": "1,5"}, ".")
                signs = {"": t("thousands none"), **{sign: f"1{sign}000" for sign in THOUSANDS}}
                _draw_choice(shell, "thousands", signs)
            shown = ", ".join(one or t("nothing") for one in map(str, said.get("missing", [""])))
            field(
                t("writing missing"),
                shown,
                lambda text: _tell(shell, "missing", _tokens(text, t("nothing"))),
                hint=t("writing missing hint"),
                error=shell.told_wrong.get("missing", ""),
            )
        with tag("div", "", "row after-row"):
            checkbox(t("writing trim"), bool(said.get("trim")), lambda ticked: _tell(shell, "trim", ticked))
            if ending in _CODED:
                is_on = said.get("labels", True) is True
                checkbox(t("writing labels"), is_on, lambda ticked: _tell(shell, "labels", ticked))
        with tag("div", "", "row after-row"):
            button(t("read again"), lambda: _read_again(shell), disabled=not shell.told or bool(shell.told_wrong))
            tag("span", t("read again hint"), "soft")


def _draw_choice(shell: Shell, key: str, options: dict[str, str], usual: str = "") -> None:
    value = str({**shell.tab.content.get("data", {}), **shell.told}.get(key) or usual)
    options = options if value in options else {value: value, **options}
    wrong = shell.told_wrong.get(key, "")
    with tag("div", "", "field"):
        choice(shell.t(f"writing {key}"), options, value, lambda chosen: _tell(shell, key, chosen or None))
        if wrong:
            tag("span", wrong, "field-error", role="alert")


def _draw_text(shell: Shell, key: str, value: str) -> None:
    field(
        shell.t(f"writing {key}"),
        value,
        lambda text: _tell(shell, key, text.strip() or None),
        error=shell.told_wrong.get(key, ""),
    )


def _tokens(text: str, nothing: str) -> list[str]:
    """What stands for a missing value; an empty cell always does."""
    return ["", *(token for token in listed(text) if token != nothing)]


def _tell(shell: Shell, key: str, value: Any) -> None:
    """Keep what somebody says of the file, and what is wrong with it."""
    told = shell.told
    told[key] = value
    shell.told_wrong.pop(key, None)
    try:
        data = {**shell.tab.content.get("data", {}), **told}
        said = {name: data[name] for name in _LAYOUT if data.get(name) is not None}
        Layout(**said)
    except ShoalError as error:
        shell.told_wrong[key] = shell.t.said(str(error))
    shell.draw()


_LAYOUT = ("delimiter", "encoding", "sheet", "decimal", "thousands", "trim", "labels")


def _read_again(shell: Shell) -> None:
    tab = shell.tab
    told, shell.told = dict(shell.told), {}
    if tab.is_given:  # its owner has written it: only what was told changes

        def edit(content: dict[str, Any]) -> None:
            data = content.setdefault("data", {})
            data.update({key: value for key, value in told.items() if value is not None})
            for key in [key for key, value in told.items() if value is None]:
                data.pop(key, None)

        tab.change(edit)
        begin(tab, "looking", "reopen", str(tab.work), then=lambda seen: taken(shell, seen, is_given=True))
        return
    kept = {key: value for key, value in tab.content.get("data", {}).items() if key in (*_LAYOUT, "missing")}
    said = {key: value for key, value in {**kept, **told}.items() if value is not None or key == "thousands"}
    roles = _changed_roles(shell)

    def seen_again(seen: dict[str, Any]) -> None:
        taken(shell, seen)
        if set(roles) & set(tab.content["columns"]):
            from shoal.serve.view.steps.columns import set_role

            for role in dict.fromkeys(roles.values()):
                names = [name for name in roles if roles[name] == role and name in tab.content["columns"]]
                set_role(shell, names, role)

    begin(tab, "looking", "look", str(tab.work), tab.file or "", said, then=seen_again)


def _changed_roles(shell: Shell) -> dict[str, str]:
    """Roles that somebody has changed, which outlast another look."""
    guessed = {one["name"]: one["role"] for one in (shell.tab.seen or {}).get("columns", [])}
    columns = shell.tab.content.get("columns", {})
    return {name: one["role"] for name, one in columns.items() if one["role"] != guessed.get(name)}
