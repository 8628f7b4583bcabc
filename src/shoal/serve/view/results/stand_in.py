"""A private method tried on records that nobody has: nothing is paid, and nothing of the table is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.serve.view.parts.controls import button, field, tag
from shoal.serve.view.parts.doing import begin
from shoal.serve.view.parts.pieces import rows_table

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw(shell: Shell) -> None:
    """The button, and what came of it."""
    t, tab = shell.t, shell.tab
    tag("h2", t("stand-in"))
    tag("p", t("stand-in lead"), "soft")

    def attempt() -> None:
        begin(tab, "stand-in", "stand-in", str(tab.work), shell.stand_in_records, then=kept)

    def wanted(text: str) -> None:
        if text.strip().isdecimal():
            shell.stand_in_records = min(max(int(text), 1), 1_000_000)

    def kept(answer: dict[str, Any]) -> None:
        tab.tried = answer

    with tag("div", "", "row end"):
        field(t("stand-in records"), str(shell.stand_in_records), wanted, kind="number")
        button(t("stand-in try"), attempt)
    if tab.tried is not None:
        tag("p", t("stand-in made", records=tab.tried["records"], published=tab.tried["published"])).style(
            "margin-top: 1rem"
        )
        with tag("div", "", "grid2 paired"):
            for key in ("before", "after"):
                with tag("div"):
                    tag("h3", t(key))
                    rows_table(t(f"stand-in {key}"), tab.tried[key]["names"], tab.tried[key]["rows"][:40])
