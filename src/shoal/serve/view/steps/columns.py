"""Columns: roles, possible values and hierarchies, as they were guessed, to accept or change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shoal.serve.view.column import hierarchy, recipes
from shoal.serve.view.parts.controls import button, checkbox, choice, field, tag
from shoal.serve.view.parts.doing import recheck
from shoal.serve.view.parts.pieces import heading, told

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

ROLES = ("quasi-identifier", "sensitive", "insensitive", "identifier", "dropped", "person", "household", "weight")
_COUNTED = ("quasi-identifier", "sensitive")


def draw(shell: Shell) -> None:
    """The step."""
    t, tab = shell.t, shell.tab
    with tag("div", "", "row"):
        with tag("div", "", "grow"):
            heading(t("columns head"), t("columns lead"))
        button(t("undo"), lambda: _step_back(shell, tab.undo), "quiet", disabled=not tab.can_undo)
        button(t("redo"), lambda: _step_back(shell, tab.redo), "quiet", disabled=not tab.can_redo)
    problem = tab.checked.get("problem")
    columns: dict[str, Any] = tab.content.get("columns", {})
    if problem and problem.get("column") not in columns:
        told(t, problem["message"], "bad")
    with tag("section", "", "card"), tag("div", "", "row end"):
        _draw_person(shell, columns)
        tag("span", "", "grow")
        _draw_many(shell)
    with tag("section", "", "card"):
        _draw_columns(shell, columns, problem)
    if tab.column in columns:
        hierarchy.draw(shell, tab.column)
    taken = tab.checked.get("taken") or []
    if taken:
        with tag("section", "", "card"):
            tag("p", t("confirm lead", count=len(taken)))
            button(t("confirm all"), lambda: _confirm(shell, [name for name, _ in taken]), "quiet")
    shell.bar()


def _draw_columns(shell: Shell, columns: dict[str, Any], problem: dict[str, Any] | None) -> None:
    t = shell.t
    with tag("div", "", "scroll tall", tabindex=0, role="region", aria_label=t("columns")), tag("table"):
        with tag("thead"), tag("tr"):
            with tag("th", "", "", scope="col"):
                tag("span", t("selected", count=""), "unseen")
            for key in ("column", "role", "how coarser", "why"):
                tag("th", t(key), scope="col")
        with tag("tbody"):
            for name, column in columns.items():
                _draw_column(shell, name, column, problem)


def _step_back(shell: Shell, step: Callable[[], None]) -> None:
    step()
    shell.changed()


def set_role(shell: Shell, names: list[str], role: str) -> None:
    """Give columns a role; what makes no sense with it goes, and can be had back."""

    def edit(content: dict[str, Any]) -> None:
        for name in names:
            column = content["columns"][name]
            column["role"] = role
            if role not in _COUNTED:
                column.pop("hierarchy", None)
            if role != "insensitive":
                column.pop("unlinkable", None)
            domain = column.get("domain")
            if role not in _COUNTED and isinstance(domain, dict) and not set(domain) - {"observed", "confirmed"}:
                del column["domain"]
            data = content.setdefault("data", {})
            for word in ("person", "household", "weight"):
                if data.get(word) == name and word != role:
                    del data[word]
                elif word == role:
                    data[word] = name
            if "person" not in data and "household" not in data:
                data.pop("max_records", None)

    shell.tab.change(edit)
    shell.changed()


def _draw_person(shell: Shell, columns: dict[str, Any]) -> None:
    t, data = shell.t, shell.tab.content.get("data", {})
    options = {"": t("not said"), "row": t("each record")}
    options |= {
        name: t("tells apart", column=name) for name in columns if columns[name]["role"] in ("identifier", "person")
    }

    def chosen(value: str) -> None:
        def edit(content: dict[str, Any]) -> None:
            for column in content["columns"].values():
                if column["role"] == "person":
                    column["role"] = "identifier"
            content["data"].pop("person", None)
            if value not in content["columns"]:
                content["data"].pop("max_records", None)
            if value:
                content["data"]["person"] = value
            if value in content["columns"]:
                content["columns"][value]["role"] = "person"

        shell.tab.change(edit)
        shell.changed()

    choice(t("who is a record"), options, data.get("person", ""), chosen)
    if data.get("person") in columns:
        written, hint = str(data.get("max_records", "")), t("most records hint")
        field(t("most records"), written, lambda text: _set_most(shell, text), kind="number", hint=hint)


def _set_most(shell: Shell, text: str) -> None:
    """How many records of each person take part; what is no number is refused where it is read."""

    def edit(content: dict[str, Any]) -> None:
        content["data"].pop("max_records", None)
        if text.strip():
            content["data"]["max_records"] = int(text) if text.strip().isdecimal() else text

    shell.tab.change(edit)
    shell.changed()


def _draw_many(shell: Shell) -> None:
    t = shell.t

    def apply() -> None:
        names = [name for name in shell.tab.content["columns"] if name in shell.selected]
        shell.selected.clear()
        if names:
            set_role(shell, names, shell.wanted_role)

    roles = {role: t(f"role {role}") for role in ROLES}
    choice(t("set role"), roles, shell.wanted_role, lambda role: setattr(shell, "wanted_role", role))
    button(t("apply"), apply)


def _draw_column(shell: Shell, name: str, column: dict[str, Any], problem: dict[str, Any] | None) -> None:
    t, tab = shell.t, shell.tab
    is_open = tab.column == name
    with tag("tr", "", "open" if is_open else ""):
        with tag("td"):
            checkbox(
                t("select", column=name),
                name in shell.selected,
                lambda ticked: shell.selected.add(name) if ticked else shell.selected.discard(name),
                is_shown=False,
            )
        tag("td", name, "name")
        with tag("td"):
            roles = {role: t(f"role {role}") for role in ROLES}
            choice(
                f"{t('role')}: {name}",
                roles,
                column["role"],
                lambda role: set_role(shell, [name], role),
                is_shown=False,
            )
            if problem and problem.get("column") == name:
                message = problem["message"]
                tag("div", t.said(message), "field-error", role="alert", lang=t.language_of(message))
        with tag("td"), tag("div", "", "row"):
            if column["role"] in _COUNTED:
                tag("span", recipes.described(shell, column))
            if column["role"] in (*_COUNTED, "insensitive"):
                text = t("close") if is_open else t("edit")
                button(text, lambda: _toggle(shell, name), "quiet", label=f"{text}: {name}")
        why = tab.kept_reasons().get(name, "")
        tag("td", t.said(why), "why", lang=t.language_of(why) if why else None)


def _toggle(shell: Shell, name: str) -> None:
    shell.tab.column = None if shell.tab.column == name else name
    shell.draw()


def _confirm(shell: Shell, names: list[str]) -> None:
    from nicegui import background_tasks

    from shoal.errors import ShoalError

    tab = shell.tab

    async def work() -> None:
        try:
            text = await tab.quick.do("confirm", str(tab.work), names)
        except ShoalError as error:
            tab.failure = str(error)
        else:
            tab.take(text)
            tab.save()
            recheck(tab)
        tab.version += 1

    tab.save()
    background_tasks.create(work(), name="confirm")
