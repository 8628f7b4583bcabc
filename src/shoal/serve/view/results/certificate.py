"""The certificate: what is promised in plain words, in the language of the page, and its text word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.serve.view.parts.controls import tag
from shoal.serve.view.parts.pieces import sentence

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw(shell: Shell, result: dict[str, Any]) -> None:
    """What is promised; the certificate itself is English, and says so to whoever has it read out."""
    t = shell.t
    if t.language != "en":
        tag("h3", t("in words"))
        with tag("ul"):
            for one in result["guarantees"]:
                sentence(t, one, "li")
        if result["assumptions"]:
            tag("p", f"{t('assumed')}:")
            with tag("ul"):
                for one in result["assumptions"]:
                    sentence(t, one, "li")
        tag("h3", t("formal"))
    tag("pre", result["certificate"], lang=None if t.language == "en" else "en", tabindex=0)
