"""Data: a table is chosen and looked at, before anything is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.serve.view.parts.controls import button, tag
from shoal.serve.view.parts.doing import ask_rows
from shoal.serve.view.parts.pieces import figures, pager, rows_table, sketch
from shoal.serve.view.table import choosing, writing

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw(shell: Shell) -> None:
    """The step."""
    if shell.tab.seen is None:
        choosing.draw(shell)
    else:
        _draw_table(shell)


def _draw_table(shell: Shell) -> None:
    t, tab = shell.t, shell.tab
    seen = tab.seen
    assert seen is not None
    alone = seen["singled_out"]
    with tag("div", "", "row"):
        tag("h1", tab.file or "", "grow")
        button(t("another table"), lambda: _anew(shell), "quiet")
    shell.owner_only()
    pairs = [(t("records"), t.number(seen["records"])), (t("columns"), t.number(len(seen["columns"])))]
    if "share" in alone:
        pairs.append((t("singled out"), t.number(alone["share"], ".1%")))
    pairs.append((t("records of a person"), _each(shell)))
    figures(pairs)
    with tag("div", "", "grid-main"):
        with tag("section", "", "card"):
            tag("h2", t("what is in it"))
            _draw_columns(shell)
        with tag("section", "", "card"):
            tag("h2", t("who is alone"))
            _draw_alone(shell, alone)
    writing.draw(shell)
    with tag("section", "", "card"):
        tag("h2", t("first rows"))
        _draw_original(shell, seen)
    shell.bar()


def _draw_original(shell: Shell, seen: dict[str, Any]) -> None:
    """The table as it is, block by block."""
    t, tab = shell.t, shell.tab
    place = tag("div")

    def show(rows: dict[str, Any]) -> None:
        if tab.seen is seen:
            tab.original = rows

    def go(start: int) -> None:
        ask_rows(tab, "original", "original rows", str(tab.work), start, then=show)

    def draw_rows() -> None:
        rows = tab.original or seen["head"]
        rows_table(t("first rows"), rows["names"], rows["rows"])
        pager(t, rows["start"], len(rows["rows"]), seen["records"], go)

    shell.keep_up("original", place, draw_rows)


def _anew(shell: Shell) -> None:
    shell.tab.start_anew()
    shell.forget_asked()
    shell.draw()


def _each(shell: Shell) -> str:
    """How many records a person has, by the column that tells."""
    assert shell.tab.seen is not None
    columns = shell.tab.seen["columns"]
    person = next((c for c in columns if c["role"] == "person" and c["each"]), None)
    if person is not None:
        return shell.t("several each", **person["each"])
    identifier = next((c for c in columns if c["each"] and not c["each"]["repeated"]), None)
    return shell.t("not known") if identifier is None else shell.t("one each", column=identifier["name"])


def _draw_columns(shell: Shell) -> None:
    t = shell.t
    assert shell.tab.seen is not None
    with tag("div", "", "scroll tall", tabindex=0, role="region", aria_label=t("what is in it")), tag("table"):
        with tag("thead"), tag("tr"):
            for key in ("column", "kind", "missing", "distribution", "guessed role"):
                tag("th", t(key), "num" if key == "missing" else "", scope="col")
        with tag("tbody"):
            for column in shell.tab.seen["columns"]:
                count = t.number(column["distinct"]) if column["is_complete"] else t("over", count=column["distinct"])
                values = t(f"kind {column['kind']}")
                with tag("tr"):
                    tag("td", column["name"], "name")
                    tag("td", f"{values} ({count})")
                    tag("td", t.number(column["missing"], ".1%") if column["missing"] else "–", "num")
                    with tag("td"):
                        sketch(t("sketch of", column=column["name"]), column["sketch"])
                    tag("td", t(f"role {column['role']}").split(":")[0])


def _draw_alone(shell: Shell, alone: dict[str, Any]) -> None:
    t = shell.t
    if "why_not" in alone:
        tag("p", t("not looked", why=t.said(alone["why_not"])), "soft")
        return
    if not alone["alone"]:
        tag("p", t("nobody alone", largest=alone["largest"]))
        return
    assert shell.tab.seen is not None
    tag("p", t("alone lead", **alone))
    with tag("table"):
        with tag("thead"), tag("tr"):
            tag("th", t("alone columns"), scope="col")
            tag("th", t("alone people"), "num", scope="col")
        with tag("tbody"):
            for names, records in alone["combinations"]:
                with tag("tr"):
                    tag("td", ", ".join(names), "name")
                    tag("td", t.number(records), "num")
