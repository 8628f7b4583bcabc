"""Signing the release: with a key that its owner has, or one that is made here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import background_tasks

from shoal.errors import ShoalError
from shoal.serve.view.parts.controls import button, field, tag
from shoal.serve.view.parts.pieces import note, told

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

_SIGNATURE = "certificate.sig"


def draw(shell: Shell, result: dict[str, Any]) -> None:
    """The fields, and who has signed."""
    t = shell.t
    with tag("section", "", "card"):
        tag("h2", t("sign"))
        if _SIGNATURE in result["files"]:
            note(t("signed", fingerprint=result.get("signed by", "")), "good")
        tag("p", t("sign lead"), "soft")
        if shell.signing:
            told(t, *shell.signing)
        with tag("div", "", "fields"):
            field(
                t("sign key"),
                shell.key_file,
                lambda text: setattr(shell, "key_file", text.strip()),
                placeholder="~/office.key",
                hint=t("sign key hint"),
            )
            field(
                t("sign word"),
                shell.passphrase,
                lambda text: setattr(shell, "passphrase", text),
                kind="password",
                hint=t("sign word hint"),
            )
        with tag("div", "", "row after-row"):
            button(t("sign now"), lambda: _sign(shell, result))
            button(t("sign new"), lambda: _make(shell), "quiet")


def _sign(shell: Shell, result: dict[str, Any]) -> None:
    tab, word = shell.tab, shell.passphrase
    shell.passphrase = ""

    async def work() -> None:
        shell.signing = None
        try:
            found = await tab.quick.do("sign", str(tab.release_folder), shell.key_file, word)
        except ShoalError as error:
            shell.signing = (str(error), "bad")
        else:
            if tab.result is result:
                tab.result = {**result, "files": found["files"], "signed by": found["fingerprint"]}
        tab.version += 1

    background_tasks.create(work(), name="sign")


def _make(shell: Shell) -> None:
    tab, word = shell.tab, shell.passphrase

    async def work() -> None:
        try:
            found = await tab.quick.do("new key", shell.key_file, word)
            shell.signing = (shell.t("sign made", **found), "good")
        except ShoalError as error:
            shell.signing = (str(error), "bad")
        tab.version += 1

    background_tasks.create(work(), name="new key")
