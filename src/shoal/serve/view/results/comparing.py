"""Releases side by side: what each run told, and a button to go on with one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from shoal.serve.candidates import MOST_KEPT, Candidate, compared, drop, is_kept, keep, may_keep, take
from shoal.serve.view.parts.controls import button, tag
from shoal.serve.view.parts.doing import recheck
from shoal.serve.view.parts.pieces import note

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw_keep(shell: Shell) -> None:
    """The button that keeps the release that was made, or why it cannot be kept."""
    t, tab = shell.t, shell.tab

    def kept() -> None:
        keep(tab)
        shell.draw()

    if is_kept(tab):
        tag("span", t("kept"), "soft")
    elif len(tab.candidates) >= MOST_KEPT:
        tag("span", t("keep full"), "soft")
    elif may_keep(tab):
        button(t("keep"), kept)


def draw(shell: Shell) -> None:
    """The table, as soon as one is kept."""
    t, some = shell.t, shell.tab.candidates
    if not some:
        return
    with tag("section", "", "card"):
        tag("h2", t("compare head"))
        if any(one.owner is not None for one in some):
            shell.owner_only()
        if any(one.owner is None for one in some):
            note(t("compare paid"))
        with tag("div", "", "scroll tall", tabindex="0", role="region", aria_label=t("compare head")), tag("table"):
            with tag("thead"), tag("tr"):
                tag("td")
                for number, one in enumerate(some, start=1):
                    tag("th", t(_named(shell, one), number=number), scope="col")
            with tag("tbody"):
                for name, cells in compared(some, t):
                    with tag("tr"):
                        tag("th", name, scope="row")
                        for cell in cells:
                            tag("td", cell)
                with tag("tr"):
                    tag("td")
                    for number, one in enumerate(some, start=1):
                        with tag("td"), tag("div", "", "row"):
                            _draw_buttons(shell, one, number)


def _named(shell: Shell, one: Candidate) -> str:
    result = shell.tab.result
    is_open = result is not None and shell.tab.is_current and result["number"] == one.result["number"]
    return "candidate chosen" if is_open else "candidate"


def _draw_buttons(shell: Shell, one: Candidate, number: int) -> None:
    t, tab = shell.t, shell.tab

    def then(act: Callable[[], None]) -> Callable[[], None]:
        def done() -> None:
            act()
            recheck(tab)
            shell.draw()

        return done

    if _named(shell, one) == "candidate":
        button(t("take this"), then(lambda: take(tab, one)), "quiet", label=t("take release", number=number))
    button(t("drop this"), then(lambda: drop(tab, one)), "quiet", label=t("drop release", number=number))
