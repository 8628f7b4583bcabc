"""The hierarchy of one column: how values are joined, the levels and tree that come of it, and a file in and out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks

from shoal.errors import ShoalError
from shoal.files.owner_only import owners_folder, write_for_owner
from shoal.serve.safety.names import safe_name
from shoal.serve.view.parts.controls import button, choice, field, tag
from shoal.serve.view.parts.pieces import note

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

KINDS = ("intervals", "prefixes", "dates", "ordering", "tree", "standard", "flat", "file")


def kind_of(column: dict[str, Any]) -> str:
    """What the release file says makes the hierarchy."""
    recipe = column.get("hierarchy")
    if recipe is None:
        return "none"
    return "file" if isinstance(recipe, str) else next(iter(recipe), "none")


def described(shell: Shell, column: dict[str, Any]) -> str:
    """A hierarchy in a few words."""
    recipe, kind = column.get("hierarchy"), kind_of(column)
    words = shell.t.get(f"by {kind}", kind)
    if kind in ("intervals", "prefixes", "dates") and isinstance(recipe, dict) and isinstance(recipe[kind], list):
        return f"{words}: {', '.join(map(str, recipe[kind]))}"
    return f"{words}: {recipe}" if kind == "file" else words


def draw(shell: Shell, name: str) -> None:
    """The editor."""
    t, column = shell.t, shell.tab.content["columns"][name]
    problem = shell.tab.checked.get("problem") or {}
    with tag("section", "", "card", aria_label=t("edit of", column=name)):
        with tag("div", "", "row"):
            tag("h2", name, "grow")
            button(t("close"), lambda: _close(shell), "quiet", label=f"{t('close')}: {name}")
        if problem.get("column") == name:
            note(problem["message"], "bad")
        with tag("div", "", "grid2"):
            with tag("div", "", "stack"):
                _draw_domain(shell, name, column)
                _draw_recipe(shell, name, column)
            with tag("div"):
                _draw_levels(shell, name)


def _close(shell: Shell) -> None:
    shell.tab.column = None
    shell.draw()


def _edit(shell: Shell, name: str, key: str, value: Any) -> None:
    """Write one thing of a column into the release file."""

    def edit(content: dict[str, Any]) -> None:
        if value is None:
            content["columns"][name].pop(key, None)
        else:
            content["columns"][name][key] = value

    shell.tab.change(edit)
    shell.levels = None
    shell.changed()


def _draw_domain(shell: Shell, name: str, column: dict[str, Any]) -> None:
    t, domain = shell.t, column.get("domain")
    tag("h3", t("domain"))
    if isinstance(domain, dict) and domain.get("observed"):
        tag("p", t("observed"), "soft")
    if isinstance(domain, dict) and "from" in domain:
        with tag("div", "", "fields"):
            for key, words in (("from", "from"), ("to", "to"), ("step", "in steps")):
                if key in domain or key == "step":
                    _draw_bound(shell, name, key, t(words))
    elif isinstance(domain, list) or (isinstance(domain, dict) and "values" in domain):
        values = domain if isinstance(domain, list) else domain["values"]
        field(
            t("values"), ", ".join(map(str, values)), lambda text: _edit(shell, name, "domain", _listed(text)), lines=3
        )


def _draw_bound(shell: Shell, name: str, key: str, words: str) -> None:
    domain = shell.tab.content["columns"][name]["domain"]
    field(words, str(domain.get(key, "")), lambda text: _set_bound(shell, name, key, text))


def _set_bound(shell: Shell, name: str, key: str, text: str) -> None:
    """A bound that its owner writes is declared, and no longer taken from the data."""
    domain = dict(shell.tab.content["columns"][name]["domain"])
    domain.pop("observed", None)
    if text.strip():
        domain[key] = _number_or_day(text, domain.get("from"))
    else:
        domain.pop(key, None)
    _edit(shell, name, "domain", domain)


def _number_or_day(text: str, like: Any) -> Any:
    import datetime as dt

    text = text.strip()
    try:
        if isinstance(like, dt.date):
            return dt.date.fromisoformat(text)
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        return text


def _listed(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[,;\n]", text) if part.strip()]


def _draw_recipe(shell: Shell, name: str, column: dict[str, Any]) -> None:
    t, recipe, kind = shell.t, column.get("hierarchy"), kind_of(column)
    tag("h3", t("hierarchy"))
    options = {key: t(f"by {key}") for key in dict.fromkeys([*KINDS, kind, "none"])}
    choice(t("hierarchy kind"), options, kind, lambda chosen: _choose(shell, name, chosen))
    value = recipe.get(kind) if isinstance(recipe, dict) else None
    match kind:
        case "intervals":
            field(
                t("intervals"),
                ", ".join(map(str, value or [])),
                lambda text: _edit(shell, name, "hierarchy", {"intervals": _numbers(text)}),
                hint=t("intervals hint"),
            )
        case "prefixes":
            field(
                t("by prefixes"),
                "" if value is True else ", ".join(map(str, value or [])),
                lambda text: _edit(shell, name, "hierarchy", {"prefixes": _numbers(text) or True}),
                hint=t("prefixes hint"),
            )
        case "dates":
            field(
                t("by dates"),
                ", ".join(value or []),
                lambda text: _edit(shell, name, "hierarchy", {"dates": _listed(text)}),
                hint=t("dates hint"),
            )
        case "ordering":
            fanout = recipe.get("fanout", 2) if isinstance(recipe, dict) else 2
            field(
                t("by ordering"),
                ", ".join(map(str, value or [])),
                lambda text: _edit(shell, name, "hierarchy", {"ordering": _listed(text), "fanout": fanout}),
                hint=t("ordering hint"),
                lines=4,
            )
            field(
                t("fanout"),
                str(fanout),
                lambda text: _edit(
                    shell, name, "hierarchy", {"ordering": value or [], "fanout": (_numbers(text) or [2])[0]}
                ),
                kind="number",
            )
        case "standard":
            field(
                t("by standard"),
                str(value or ""),
                lambda text: _edit(shell, name, "hierarchy", {"standard": text.strip()}),
                hint=t("standard hint"),
            )
        case "tree":
            field(
                t("groups"),
                _as_lines(value),
                lambda text: _edit(shell, name, "hierarchy", {"tree": _as_tree(text)}),
                hint=t("groups hint"),
                lines=8,
            )
    from shoal.serve.view.steps.data import DropZone

    with tag("div", "", "row"):
        zone = DropZone(shell, t("import csv"), purpose="hierarchy", small=True)
        zone.on("uploaded", lambda event: _imported(shell, name, str(event.args["name"])))
        button(t("export csv"), lambda: _export(shell, name), "quiet")


def _numbers(text: str) -> list[int | float]:
    found = re.findall(r"[+-]?\d+(?:\.\d+)?", text)
    return [float(number) if "." in number else int(number) for number in found]


def _as_lines(tree: Any) -> str:
    if not isinstance(tree, dict):
        return ""
    return "\n".join(f"{name}: {', '.join(map(str, below))}" for name, below in tree.items() if isinstance(below, list))


def _as_tree(text: str) -> dict[str, list[str]]:
    lines = [line.partition(":") for line in text.splitlines() if ":" in line]
    return {name.strip(): _listed(values) for name, _, values in lines if name.strip()}


def _choose(shell: Shell, name: str, kind: str) -> None:
    """Start with another kind: with what the column has where it fits, else with something small to change."""
    values = _values(shell, name)
    starts: dict[str, Any] = {
        "none": None,
        "flat": {"flat": True},
        "intervals": {"intervals": [5, 10, 20]},
        "prefixes": {"prefixes": True},
        "dates": {"dates": ["month", "year"]},
        "ordering": {"ordering": values, "fanout": 3},
        "tree": {"tree": {"A": values}},
        "standard": {"standard": "icd10cm"},
        "file": f"hierarchies/{safe_name(name, 'column')}.csv",
    }
    _edit(shell, name, "hierarchy", starts.get(kind))


def _values(shell: Shell, name: str) -> list[str]:
    """The values of a column as far as they are known."""
    column = shell.tab.content["columns"][name]
    domain = column.get("domain")
    if isinstance(domain, list):
        return [str(value) for value in domain]
    if shell.levels is None or "tree" not in shell.levels:
        return []
    deepest = max(depth for depth, _, _ in shell.levels["tree"])
    return [label for depth, label, leaves in shell.levels["tree"] if leaves == 1 and depth == deepest]


def _imported(shell: Shell, name: str, file: str) -> None:
    tab = shell.tab
    arrived = tab.work / f"incoming-{safe_name(file)}"
    if not arrived.is_file():
        return
    if not (tab.work / "hierarchies").exists():
        owners_folder(tab.work / "hierarchies")
    path = f"hierarchies/{safe_name(name, 'column').rsplit('.', 1)[0]}-{safe_name(file)}"
    arrived.replace(tab.work / path)

    def edit(content: dict[str, Any]) -> None:
        content["columns"][name]["hierarchy"] = path
        content["columns"][name].pop("domain", None)

    tab.change(edit)
    shell.levels = None
    shell.changed()


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
    """What the hierarchy does to the column."""
    t = shell.t
    shell.owner_only()
    if shell.levels is None or shell.levels.get("of") != name:
        tag("p", t("wait"), "soft")
        _ask(shell, name)
        return
    if "problem" in shell.levels:
        note(shell.levels["problem"], "bad")
        return
    with tag("div", "", "scroll"), tag("table"):
        with tag("thead"), tag("tr"):
            for key in ("level", "groups", "smallest group", "examples"):
                tag("th", t(key), "" if key == "examples" else "num", scope="col")
        with tag("tbody"):
            for level in shell.levels["levels"]:
                with tag("tr"):
                    tag("td", str(level["level"]), "num")
                    tag("td", f"{level['groups']:,}", "num")
                    tag("td", f"{level['smallest']:,}", "num")
                    tag("td", " · ".join(level["examples"][:4]))
    tag("h3", t("tree")).style("margin-top: 1rem")
    with tag("div", "", "tree", tabindex=0, role="region", aria_label=t("tree")):
        for depth, label, leaves in shell.levels["tree"]:
            words = f"{label}  ({leaves:,})" if leaves > 1 else label
            tag("div", words).style(f"padding-left: {1.2 * depth:.1f}rem")


def _ask(shell: Shell, name: str) -> None:
    tab = shell.tab

    async def work() -> None:
        try:
            answer = await tab.quick.do("hierarchy", str(tab.work), name)
        except ShoalError as error:
            answer = {"problem": str(error)}
        shell.levels = {**answer, "of": name}
        tab.version += 1

    background_tasks.create(work(), name="hierarchy")
