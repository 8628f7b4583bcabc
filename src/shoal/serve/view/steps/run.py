"""Run: make the release; where it costs budget, that is said plainly and asked once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.files.owner_only import owners_folder
from shoal.serve.view.parts.controls import button, checkbox, field, tag
from shoal.serve.view.parts.doing import begin, recheck
from shoal.serve.view.parts.pieces import figures, heading, note, told
from shoal.serve.view.results import certificate, comparing, stand_in
from shoal.serve.view.steps.protect import left_words

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


def draw(shell: Shell) -> None:
    """The step."""
    t, tab = shell.t, shell.tab
    heading(t("run head"), t("run lead"))
    checked = tab.checked
    if not checked:
        tag("p", t("wait"), "soft")
        recheck(tab)
        return
    _draw_about(shell)
    problem = checked.get("problem")
    if problem:
        told(t, problem["message"], "bad", t("not yet"))
    elif checked.get("is_paid"):
        _draw_paid(shell, checked)
    else:
        with tag("section", "", "card"):
            _draw_start(shell, is_paid=False)
    if tab.result is not None:
        _draw_result(shell, tab.result)
    comparing.draw(shell)
    shell.bar()


def _draw_about(shell: Shell) -> None:
    """What the certificate and the report say the release is."""
    t, tab = shell.t, shell.tab
    about = tab.content.get("release", {})

    def set_word(key: str, text: str) -> None:
        def edit(content: dict[str, Any]) -> None:
            table = {**content.get("release", {}), key: text.strip()}
            content["release"] = {name: words for name, words in table.items() if words}
            if not content["release"]:
                del content["release"]

        tab.change(edit)
        shell.changed()

    with tag("section", "", "card"), tag("div", "", "fields"):
        field(t("about title"), about.get("title", ""), lambda text: set_word("title", text))
        field(t("about owner"), about.get("owner", ""), lambda text: set_word("owner", text))
        field(t("about contact"), about.get("contact", ""), lambda text: set_word("contact", text))


def _draw_start(shell: Shell, *, is_paid: bool) -> None:
    t, tab = shell.t, shell.tab

    def may_run() -> bool:
        return not is_paid or shell.agreed == tab.text

    with tag("div", "", "row"):
        start = button(
            t("run now") if tab.result is None else t("run again"),
            lambda: _run(shell, one_record_each=shell.each_is_one) if may_run() else None,
            "main",
            disabled=not may_run(),
        )

        def agree(ticked: bool) -> None:
            shell.agreed = tab.text if ticked else ""
            start.props.set_bool("disabled", not may_run())

        if is_paid:
            checkbox(t("spend agree"), may_run(), agree)
        elif shell.each_is_one or "several records" in tab.failure or "repeat" in tab.failure:
            checkbox(t("several records"), shell.each_is_one, lambda ticked: setattr(shell, "each_is_one", ticked))


def _draw_paid(shell: Shell, checked: dict[str, Any]) -> None:
    t = shell.t
    cost, ledger = checked["cost"], checked.get("ledger", {})
    with tag("div", "", "grid2"):
        with tag("section", "", "card"):
            tag("h2", t("spend head"))
            tag("p", t("spend", **cost))
            limits = [one for one in ledger.get("limits", []) if one["left"] is not None]
            for one in limits:
                tag("p", t("spend left", **one["left"]))
            if not limits:
                tag("p", t("spend no limit"))
            figures(
                [
                    (t("spent"), "; ".join(ledger.get("spent", [])) or t("nothing spent")),
                    (t("left"), left_words(shell, ledger)),
                ]
            )
            _draw_start(shell, is_paid=True)
        with tag("section", "", "card"):
            stand_in.draw(shell)


def _run(shell: Shell, *, one_record_each: bool) -> None:
    tab = shell.tab
    tab.save()
    where = tab.release_folder
    if not where.parent.exists():
        owners_folder(where.parent)
    text = tab.text

    def finished(result: dict[str, Any]) -> None:
        tab.result, tab.result_text = {**result, "number": tab.jobs}, text
        tab.downloads.clear()
        recheck(tab)

    shell.agreed = ""
    tab.result = None
    begin(tab, "running", "run", str(tab.work), str(where), one_record_each, then=finished)


def _draw_result(shell: Shell, result: dict[str, Any]) -> None:
    t = shell.t
    with tag("section", "", "card"):
        tag("h2", t("done"))
        if not shell.tab.is_current:
            note(t("outdated"), "bad")
        pairs = [(t("published records"), t.number(result["records"]))]
        certificate.draw(shell, result)
        if result["needs"]:
            told(t, result["needs"], "bad")
        owner = result["owner"]
        if owner is not None:
            shell.owner_only()
            share = owner["suppressed"] / max(owner["records"], 1)
            pairs.append((t("left out"), f"{t.number(owner['suppressed'])} ({t.number(share, '.1%')})"))
            measure = owner["optimized"] if owner["optimized"] in owner["losses"] else next(iter(owner["losses"]), None)
            if measure is not None:
                pairs.append((t("lost", measure=measure), t.number(owner["losses"][measure], ".3f")))
        figures(pairs)
        with tag("div", "", "row"):
            comparing.draw_keep(shell)
            button(t("step explore"), lambda: shell.go("explore"))
            button(t("step release"), lambda: shell.go("release"), "main")
