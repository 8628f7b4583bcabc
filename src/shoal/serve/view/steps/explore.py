"""Explore: what other schemes would do, rows before and after, and what the report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import background_tasks
from nicegui.element import Element

from shoal.errors import ShoalError
from shoal.serve.view.parts.controls import button, slider, tag
from shoal.serve.view.parts.doing import ask_rows, begin
from shoal.serve.view.parts.pieces import figures, heading, note, pager, rows_table, told
from shoal.serve.view.parts.redrawing import redraw
from shoal.serve.view.results import attacks, comparing, stand_in
from shoal.serve.work.blocks import BLOCK

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

_WITH_LATTICE = ("optimal-lattice", "ola")


class LatticePicture(Element, component="../assets/lattice.js"):
    """Every scheme as a point; the points are fetched by the browser and never stand in the page."""

    def __init__(self, shell: Shell, lattice: dict[str, Any], chosen: int, best: int) -> None:
        super().__init__()
        t = shell.t
        self._props |= {
            "url": shell.address("points"),
            "chosen": chosen,
            "best": best,
            "label": t("picture"),
            "across": t("across", measure=lattice["quality"]),
            "up": t("up"),
            "limit-text": t("limit", share=lattice["limit"]),
        }


def draw(shell: Shell) -> None:
    """The step."""
    t, tab = shell.t, shell.tab
    name = tab.content.get("method", {}).get("name", "")
    if name in _WITH_LATTICE:
        heading(t("explore head"), t("explore lead"))
    else:
        heading(t("explore head other"))
    if tab.checked.get("is_paid"):
        note(t("paid only", method=name))
        if not tab.checked.get("problem"):
            with tag("section", "", "card"):
                stand_in.draw(shell)
    elif name not in _WITH_LATTICE:
        note(t("no lattice", method=name))
    elif tab.lattice is None:
        if tab.failure or tab.checked.get("problem"):
            told(t, (tab.checked.get("problem") or {}).get("message") or tab.failure, "bad")
        else:
            _price(shell)
            return
    else:
        _draw_lattice(shell, tab.lattice)
    comparing.draw(shell)
    _draw_published(shell)
    shell.bar()


def _price(shell: Shell) -> None:
    tab = shell.tab
    tab.save()

    def priced(lattice: dict[str, Any]) -> None:
        tab.lattice = lattice
        lattice["number"] = {tuple(node): i for i, node in enumerate(lattice["nodes"])}
        safe = [
            i
            for i, share in enumerate(lattice["suppressed"])
            if share <= lattice["limit"] and lattice["losses"][i] is not None
        ]
        lattice["best"] = min(safe, key=lambda i: lattice["losses"][i], default=-1)
        start = lattice["best"] if lattice["best"] >= 0 else len(lattice["nodes"]) - 1
        _choose(shell, lattice["nodes"][start])

    begin(tab, "pricing", "lattice", str(tab.work), then=priced, quick=True)


def _choose(shell: Shell, node: list[int], first_row: int | None = None) -> None:
    """Look at one scheme, and at the rows from a certain one on, or those that were looked at."""
    tab = shell.tab
    wanted = tab.wanted = list(node)
    start = tab.first_row = tab.first_row if first_row is None else first_row
    tab.news["scheme"] = tab.news.get("scheme", 0) + 1

    async def work() -> None:
        try:
            answer = await tab.quick.do("scheme", str(tab.work), wanted, start)
        except ShoalError as error:
            tab.failure = str(error)
            tab.version += 1
        else:
            if tab.wanted == wanted and tab.first_row == start:
                tab.scheme = answer
        tab.news["scheme"] = tab.news.get("scheme", 0) + 1

    background_tasks.create(work(), name="scheme")


def _draw_lattice(shell: Shell, lattice: dict[str, Any]) -> None:
    t, tab = shell.t, shell.tab
    shell.owner_only()
    with tag("div", "", "grid-main"):
        with tag("section", "", "card"):
            count = len(lattice["nodes"])
            is_whole = count == lattice["of"]
            tag("h2", t("schemes", count=count) if is_whole else t("schemes of", count=count, of=lattice["of"]))
            picture = LatticePicture(shell, lattice, _number(lattice, tab.wanted), lattice["best"])
            picture.on("near", lambda event: _choose(shell, lattice["nodes"][int(event.args)]))
        beside = tag("section", "", "card")
    below = tag("div")

    def draw_scheme() -> None:
        node = tab.wanted or lattice["nodes"][0]
        picture.props["chosen"] = _number(lattice, node)
        picture.update()
        scheme = tab.scheme
        _draw_scheme(shell, lattice, node, scheme)
        if scheme is not None:
            redraw(below, lambda: _draw_rows(shell, scheme["node"], scheme["rows"]))

    shell.keep_up("scheme", beside, draw_scheme)


def _number(lattice: dict[str, Any], node: list[int] | None) -> int:
    """Where a scheme stands among those that were priced."""
    found: int = lattice["number"].get(tuple(node or ()), -1)
    return found


def _draw_scheme(shell: Shell, lattice: dict[str, Any], node: list[int], scheme: dict[str, Any] | None) -> None:
    t = shell.t
    tag("h2", t("this scheme"))
    if scheme is None:
        tag("p", t("wait"), "soft")
    else:
        is_old = scheme["node"] != node
        with tag("div", "", "old" if is_old else "", aria_busy="true" if is_old else None):
            note(t("is safe") if scheme["is_safe"] else t("is unsafe"), "good" if scheme["is_safe"] else "bad")
            loss = "–" if scheme["loss"] is None else t.number(scheme["loss"], ".3f")
            left_out = f"{t.number(scheme['suppressed'])} ({t.number(scheme['share'], '.1%')})"
            figures([(t("loss"), loss), (t("left out"), left_out), (t("classes"), t.number(scheme["classes"]))])
    for i, name in enumerate(lattice["columns"]):
        words = lattice["levels"][i][node[i]]

        def moved(level: int, i: int = i) -> None:
            _choose(shell, [*node[:i], level, *node[i + 1 :]])

        slider(name, node[i], lattice["heights"][i], words, moved)
    _draw_floor(shell, lattice, node)


def _draw_rows(shell: Shell, node: list[int], rows: dict[str, Any] | None) -> None:
    t, tab = shell.t, shell.tab
    if rows is None:
        note(t("nothing left"), "bad")
        return
    with tag("div", "", "grid2 paired"):
        with tag("section", "", "card"):
            tag("h2", t("before"))
            rows_table(t("before"), rows["names"], rows["before"])
        with tag("section", "", "card"):
            tag("h2", t("after"))
            rows_table(t("after"), rows["names"], rows["after"], left_out=t("row left out"))
    total = (tab.seen or {}).get("records", 0)
    with tag("section", "", "card" if total > BLOCK else ""):
        pager(t, rows["start"], len(rows["before"]), total, lambda start: _choose(shell, node, start))


def _draw_floor(shell: Shell, lattice: dict[str, Any], node: list[int]) -> None:
    """Where the method takes a floor, the levels chosen here become part of the release file."""
    tab = shell.tab
    known = (tab.methods or {}).get(tab.content["method"]["name"], {}).get("fields", [])
    if not any(one["name"] == "floor" for one in known):
        return

    def edit(content: dict[str, Any]) -> None:
        floor = {name: level for name, level in zip(lattice["columns"], node, strict=True) if level}
        content["method"]["floor"] = floor

    def take() -> None:
        tab.change(edit)
        shell.changed()

    button(shell.t("use floor"), take, "quiet")


def _draw_published(shell: Shell) -> None:
    t, tab = shell.t, shell.tab
    if tab.result is None:
        with tag("section", "", "card"), tag("div", "", "row"):
            tag("span", t("no result"), "soft")
            button(t("go run"), lambda: shell.go("run"), "quiet")
        return
    if not tab.is_current:
        note(t("outdated"), "bad")
    published = next((name for name in tab.result["files"] if name.startswith("data.")), None)
    if published is not None:
        with tag("section", "", "card"):
            tag("h2", t("published rows"))
            _draw_first(shell, tab.result, published)
    with tag("section", "", "card"):
        if tab.result["is_paid"]:
            with tag("details"):
                tag("summary", t("report"))
                note(t("report paid"), "bad")
                _draw_report(shell)
        else:
            tag("h2", t("report"))
            _draw_report(shell)
    attacks.draw(shell, tab.result)


def _draw_first(shell: Shell, result: dict[str, Any], published: str) -> None:
    t, tab = shell.t, shell.tab
    place = tag("div")

    def go(start: int) -> None:
        path = str(tab.release_folder / published)
        ask_rows(tab, "rows", "rows", path, start, then=lambda rows: result.update(rows=rows))

    def draw_rows() -> None:
        if "rows" in result:
            rows = result["rows"]
            rows_table(t("published rows"), rows["names"], rows["rows"])
            pager(t, rows["start"], len(rows["rows"]), result["records"], go)
        else:
            tag("p", t("wait"), "soft")

    shell.keep_up("rows", place, draw_rows)
    if "rows" not in result:
        go(0)


def _draw_report(shell: Shell) -> None:
    shell.owner_only()
    tag("iframe", src=shell.address("report"), title=shell.t("report"), sandbox="", loading="lazy")
