"""How the cells of one column are written, and what is coded before all else: top, bottom, rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.serve.view.column.domain import kind_of
from shoal.serve.view.column.editing import edit, listed, number_or_day, wrong
from shoal.serve.view.parts.controls import checkbox, choice, field, tag

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

CODING = ("bottom", "top", "round")
_WITH_LABELS = (".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")


def draw(shell: Shell, name: str, column: dict[str, Any]) -> None:
    """The fields, folded away until something is said."""
    t = shell.t
    keys = ("missing", "dates", "labels", *CODING)
    is_said = any(key in column for key in keys if key != "missing") or isinstance(column.get("missing"), list)
    with tag("details", "", "", open=is_said):
        tag("summary", t("cells"))
        with tag("div", "", "stack"):
            codes = column["missing"] if isinstance(column.get("missing"), list) else []
            field(
                t("cells missing"),
                ", ".join(map(str, codes)),
                lambda text: edit(shell, name, missing=listed(text) or column.get("missing") is True or None),
                hint=t("cells missing hint"),
                wrong=wrong(shell, name, "missing"),
            )
            checkbox(
                t("may be missing"),
                bool(column.get("missing")),
                lambda ticked: edit(shell, name, missing=(codes or True) if ticked else None),
            )
            dates = column.get("dates", [])
            field(
                t("cells dates"),
                ", ".join([dates] if isinstance(dates, str) else map(str, dates)),
                lambda text: edit(shell, name, dates=listed(text) or None),
                hint=t("cells dates hint"),
                wrong=wrong(shell, name, "dates are", "dates:"),
            )
            if (shell.tab.file or "").lower().endswith(_WITH_LABELS):
                said = column.get("labels")
                options = {"": t("as the file"), "true": t("labels yes"), "false": t("labels no")}
                words = "" if said is None else str(said).lower()
                choose = {"true": True, "false": False}.get
                choice(t("cells labels"), options, words, lambda word: edit(shell, name, labels=choose(word)))
            if kind_of(column.get("domain")) == "numbers" or any(key in column for key in CODING):
                tag("p", t("coding lead"), "soft")
                with tag("div", "", "fields"):
                    for key in CODING:
                        _draw_coding(shell, name, key, column)


def _draw_coding(shell: Shell, name: str, key: str, column: dict[str, Any]) -> None:
    def taken(text: str) -> None:
        edit(shell, name, **{key: number_or_day(text) if text.strip() else None})

    field(
        shell.t(f"coding {key}"),
        str(column.get(key, "")),
        taken,
        wrong=wrong(shell, name, key),
    )
