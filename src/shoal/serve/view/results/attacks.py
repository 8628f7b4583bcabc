"""Attacks at a click on the release that was made: their verdict, what each found, and the page about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.serve.view.parts.controls import button, tag
from shoal.serve.view.parts.doing import begin
from shoal.serve.view.parts.pieces import note, sentence

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw(shell: Shell, result: dict[str, Any]) -> None:
    """A card with the button, or with what was found."""
    t, tab = shell.t, shell.tab
    if result["is_paid"]:
        return

    def found(answer: dict[str, Any]) -> None:
        if tab.result is result:
            tab.result = {**result, "attacks": answer, "owner_files": [*result["owner_files"], "attack.html"]}

    def attack() -> None:
        begin(tab, "attacking", "attack", str(tab.work), str(tab.release_folder), then=found)

    with tag("section", "", "card"):
        tag("h2", t("attacks head"))
        tag("p", t("attacks lead"), "soft")
        shell.owner_only()
        attacks = result.get("attacks")
        if attacks is None:
            button(t("attack now"), attack)
            return
        note(t(f"verdict {attacks['level']}"), {"fine": "good", "stop": "bad"}.get(attacks["level"], ""))
        for one in attacks["sentences"]:
            sentence(t, one)
        if attacks["points"]:
            with tag("ul"):
                for point in attacks["points"]:
                    sentence(t, point, "li")
        with tag("details"):
            tag("summary", t("attacks found"))
            tag("iframe", src=shell.address("attacks"), title=t("attacks found"), sandbox="", loading="lazy")
