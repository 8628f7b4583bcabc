"""What makes the hierarchy of a column: a kind, and the fields of that kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import background_tasks

from shoal.data.hierarchies.standards.catalog import catalog
from shoal.errors import ShoalError
from shoal.serve.grouping import written
from shoal.serve.safety.names import safe_name
from shoal.serve.view.column import groups
from shoal.serve.view.column.editing import edit, listed, numbers, wrong
from shoal.serve.view.parts.controls import choice, field, tag

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

KINDS = ("intervals", "prefixes", "dates", "ordering", "tree", "standard", "flat", "file")

_ABOUT = ("intervals", "prefix", "dates become", "neighbors", "the tree", "a tree", "the ordering")
"""How messages begin that are about what makes a hierarchy."""


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
    if kind == "standard" and isinstance(recipe, dict):
        return f"{words}: {recipe[kind]}"
    return f"{words}: {recipe}" if kind == "file" else words


def draw(shell: Shell, name: str, column: dict[str, Any]) -> None:
    """The fields."""
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
                lambda text: edit(shell, name, hierarchy={"intervals": numbers(text)}),
                hint=t("intervals hint"),
                wrong=wrong(shell, name, "hierarchy", *_ABOUT),
            )
        case "prefixes":
            field(
                t("by prefixes"),
                "" if value is True else ", ".join(map(str, value or [])),
                lambda text: edit(shell, name, hierarchy={"prefixes": numbers(text) or True}),
                hint=t("prefixes hint"),
                wrong=wrong(shell, name, "hierarchy", *_ABOUT),
            )
        case "dates":
            field(
                t("by dates"),
                ", ".join(value or []),
                lambda text: edit(shell, name, hierarchy={"dates": listed(text)}),
                hint=t("dates hint"),
                wrong=wrong(shell, name, "hierarchy", *_ABOUT),
            )
        case "ordering":
            _draw_ordering(shell, name, recipe, value or [])
        case "standard":
            _draw_standard(shell, name, recipe, str(value or ""))
        case "tree":
            tag("p", t("groups lead"), "soft")


def draw_board(shell: Shell, name: str, column: dict[str, Any]) -> None:
    """Where groups are made by dragging: it needs the whole width."""
    recipe = column.get("hierarchy")
    if kind_of(column) != "tree" or not isinstance(recipe, dict):
        return
    records = (shell.levels or {}).get("records", {}) if (shell.levels or {}).get("of") == name else {}
    shell.records = records or shell.records
    groups.draw(shell, recipe["tree"], shell.records, lambda tree: edit(shell, name, hierarchy={"tree": tree}))


def _draw_ordering(shell: Shell, name: str, recipe: Any, value: list[Any]) -> None:
    t, fanout = shell.t, recipe.get("fanout", 2)
    field(
        t("by ordering"),
        ", ".join(map(str, value)),
        lambda text: edit(shell, name, hierarchy={"ordering": listed(text), "fanout": fanout}),
        hint=t("ordering hint"),
        lines=4,
        wrong=wrong(shell, name, "hierarchy", *_ABOUT),
    )
    field(
        t("fanout"),
        str(fanout),
        lambda text: edit(shell, name, hierarchy={"ordering": value, "fanout": (numbers(text) or [2])[0]}),
        kind="number",
    )


def _draw_standard(shell: Shell, name: str, recipe: Any, value: str) -> None:
    """One of the public lists and rules, and the level at which the column begins."""
    t, known = shell.t, catalog()
    options = {key: f"{key}: {t.said(entry.title)}" for key, entry in known.items()}
    options = options if value in options else {value: value, **options}
    choice(t("by standard"), options, value, lambda chosen: edit(shell, name, hierarchy={"standard": chosen}))
    if value not in known:
        return
    levels = known[value].levels
    begins = {"" if level == levels[0] else level: t.said(level) for level in levels[:-1]}

    def begin(level: str) -> None:
        kept = {key: one for key, one in recipe.items() if key != "level"}
        edit(shell, name, hierarchy={**kept, "level": level} if level else kept)

    choice(t("standard level"), begins, str(recipe.get("level", "")), begin)


def _choose(shell: Shell, name: str, kind: str) -> None:
    """Start with another kind: with what the column has where it fits, else with something small to change."""
    if kind in ("tree", "ordering"):
        _start_with_values(shell, name, kind)
        return
    starts: dict[str, Any] = {
        "flat": {"flat": True},
        "intervals": {"intervals": [5, 10, 20]},
        "prefixes": {"prefixes": True},
        "dates": {"dates": ["month", "year"]},
        "standard": {"standard": "icd10cm"},
        "file": f"hierarchies/{safe_name(name, 'column')}.csv",
    }
    edit(shell, name, hierarchy=starts.get(kind))


def _start_with_values(shell: Shell, name: str, kind: str) -> None:
    """Start with the values, or the groups, that the column has; the release file keeps saying where they come from."""
    tab = shell.tab

    async def work() -> None:
        try:
            tree = await tab.quick.do("groups", str(tab.work), name)
            is_declared = await tab.quick.do("is declared", str(tab.work), name)
        except ShoalError as error:
            tab.failure = str(error)
            tab.version += 1
            return
        from shoal.serve.grouping import values

        recipe = {"tree": written(tree)} if kind == "tree" else {"ordering": values(tree), "fanout": 3}
        domain = tab.content["columns"][name].get("domain")
        if domain is None and not is_declared:
            edit(shell, name, hierarchy=recipe, domain={"observed": True})
        else:
            edit(shell, name, hierarchy=recipe)

    background_tasks.create(work(), name="groups")
