"""The possible values of a column: taken from the data, or declared by its owner."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from shoal.serve.view.column.editing import edit, listed, number_or_day, numbers, wrong
from shoal.serve.view.parts.controls import checkbox, choice, field, tag

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

_KINDS = ("data", "numbers", "days", "values", "digits")
_MARKS = ("observed", "confirmed")
_ABOUT = ("domain", "a domain", "'from'", "'to'", "'step'")
"""How messages begin that are about possible values."""


def kind_of(domain: Any) -> str:
    """What the release file declares."""
    if isinstance(domain, list):
        return "values"
    if not isinstance(domain, dict):
        return "data"
    if "from" in domain:
        return "days" if isinstance(domain["from"], dt.date) else "numbers"
    return next((kind for kind in ("values", "digits") if kind in domain), "data")


def draw(shell: Shell, name: str, column: dict[str, Any]) -> None:
    """The fields."""
    t, domain = shell.t, column.get("domain")
    kind = kind_of(domain)
    tag("h3", t("domain"))
    options = {key: t(f"domain {key}") for key in _KINDS}
    choice(t("domain kind"), options, kind, lambda chosen: _choose(shell, name, chosen))
    if isinstance(domain, dict) and domain.get("observed"):
        tag("p", t("observed"), "soft")
    elif isinstance(domain, dict) and domain.get("confirmed"):
        tag("p", t("confirmed"), "soft")
    match kind:
        case "numbers" | "days":
            with tag("div", "", "fields"):
                for key, words in (("from", "from"), ("to", "to"), ("step", "in steps")):
                    if key != "step" or kind == "numbers":
                        _draw_bound(shell, name, key, t(words))
        case "values":
            assert domain is not None
            values = domain if isinstance(domain, list) else domain["values"]
            ordered = isinstance(domain, dict) and bool(domain.get("ordered"))
            field(
                t("values"),
                ", ".join(map(str, values)),
                lambda text: _declare(shell, name, listed(text), ordered=ordered),
                lines=3,
                wrong=wrong(shell, name, *_ABOUT),
            )
            checkbox(t("ordered"), ordered, lambda ticked: _order(shell, name, ordered=ticked))
        case "digits":
            assert isinstance(domain, dict)
            shown = str(domain["digits"])
            field(t("digits"), shown, lambda text: edit(shell, name, domain=_digits(text)), kind="number")


def _digits(text: str) -> dict[str, Any]:
    return {"digits": (numbers(text) or [5])[0]}


def _draw_bound(shell: Shell, name: str, key: str, words: str) -> None:
    domain = shell.tab.content["columns"][name]["domain"]
    field(
        words,
        str(domain.get(key, "")),
        lambda text: _set_bound(shell, name, key, text),
        wrong=wrong(shell, name, *_ABOUT),
    )


def _set_bound(shell: Shell, name: str, key: str, text: str) -> None:
    """A bound that its owner writes is declared, and no longer taken from the data."""
    domain = {k: v for k, v in shell.tab.content["columns"][name]["domain"].items() if k not in _MARKS}
    if text.strip():
        domain[key] = number_or_day(text, is_day=isinstance(domain.get("from"), dt.date))
    else:
        domain.pop(key, None)
    edit(shell, name, domain=domain)


def _declare(shell: Shell, name: str, values: list[str], *, ordered: bool) -> None:
    """Values that their owner writes are declared; the same ones as before stay what they were."""
    domain = shell.tab.content["columns"][name].get("domain")
    before = domain["values"] if isinstance(domain, dict) else domain
    if values and values != [str(value) for value in before or []]:
        edit(shell, name, domain={"values": values, "ordered": True} if ordered else values)


def _order(shell: Shell, name: str, *, ordered: bool) -> None:
    domain = shell.tab.content["columns"][name]["domain"]
    table = {"values": domain} if isinstance(domain, list) else dict(domain)
    table.pop("ordered", None)
    edit(shell, name, domain={**table, "ordered": True} if ordered else table)


def _choose(shell: Shell, name: str, kind: str) -> None:
    """Start with another kind: with what was seen in the data, and marked as such until somebody declares it."""
    columns = (shell.tab.seen or {}).get("columns", [])
    seen = next((one["domain"] for one in columns if one["name"] == name), None) or {}
    day = dt.date.today()  # noqa: DTZ011  a start that somebody changes
    starts: dict[str, Any] = {
        "numbers": {"from": 0, "to": 100},
        "days": {"from": day.replace(month=1, day=1), "to": day.replace(month=12, day=31)},
        "values": {"values": ["A", "B"]},
        "digits": {"digits": 5},
    }
    domain = {**seen, "observed": True} if kind == kind_of(seen) else starts.get(kind)
    edit(shell, name, domain=domain)
