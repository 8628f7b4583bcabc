"""Protect: a need, a method, its parameters in plain words, and what follows from public numbers alone."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from shoal.serve.needs import NEEDS, need_of
from shoal.serve.view.parts.controls import button, choice, field, tag
from shoal.serve.view.parts.doing import learn_methods
from shoal.serve.view.parts.pieces import figures, heading, note, sentence, told

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

_PLAIN = (
    "k",
    "epsilon",
    "delta",
    "diversity",
    "closeness",
    "suppression_limit",
    "target",
    "specializations",
    "perturbed",
)
"""Parameters that are asked at once; the others are folded away."""

_COUNTED = ("quasi-identifier", "sensitive")

_SHARES = ("sampling rate", "linking posterior")
"""Public numbers that are shares."""

_SAME_EVERYWHERE = ("k", "epsilon", "delta", "target", "diversity", "closeness", "suppression_limit")
"""Parameters that another method is given too, if it takes them; a k that a need starts with counts more."""


def draw(shell: Shell) -> None:
    """The step."""
    t, tab = shell.t, shell.tab
    heading(t("protect head"), t("protect lead"))
    method = tab.content.get("method", {})
    chosen = need_of(method.get("name", ""), is_paid=bool(tab.checked.get("is_paid")))
    with tag("div", "", "needs"):
        for need, start in NEEDS.items():
            made = tag(
                "button",
                "",
                "need",
                type="button",
                aria_pressed="true" if need == chosen else "false",
            )
            with made:
                tag("strong", t(f"need {need}"))
                tag("span", t(f"need {need} why"))
            made.on("click", lambda _, start=start: _start(shell, dict(start)), [])
    if tab.methods is None:
        tag("p", t("wait"), "soft")
        learn_methods(tab)
        return
    with tag("div", "", "grid-main"):
        with tag("section", "", "card"):
            _draw_method(shell, method)
        with tag("section", "", "card", aria_live="polite"):
            _draw_consequences(shell)
    shell.bar()


def _start(shell: Shell, method: dict[str, Any]) -> None:
    """Another method, with the parameters that mean the same."""

    def edit(content: dict[str, Any]) -> None:
        described = (shell.tab.methods or {}).get(method["name"], {})
        fields = described.get("fields", [])
        known = {one["name"] for one in fields if one["name"] != "target" or one["is_required"]} & set(_SAME_EVERYWHERE)
        kept = {key: value for key, value in content.get("method", {}).items() if key in known}
        content["method"] = {"k": kept.pop("k"), **method, **kept} if "k" in kept else {**method, **kept}
        content["method"] = {"name": method["name"], **content["method"]}
        if not described.get("spends"):
            content.pop("budget", None)

    if shell.tab.content.get("method", {}).get("name") != method["name"]:
        shell.tab.change(edit)
        shell.changed()


def _set(shell: Shell, key: str, value: Any, part: str = "method") -> None:
    def edit(content: dict[str, Any]) -> None:
        table = content.setdefault(part, {})
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value

    shell.tab.change(edit)
    shell.changed()


def _set_target(shell: Shell, target: str | None, *, is_own: bool) -> None:
    """The column to be predicted: a parameter of the method, or of the quality model that keeps what tells about it."""

    def edit(content: dict[str, Any]) -> None:
        method = content.setdefault("method", {})
        has_model = any(one["name"] == "quality" for one in (shell.tab.methods or {})[method["name"]]["fields"])
        if target is None:
            method.pop("target", None)
        else:
            method["target"] = target
        if has_model and not is_own:
            if target is not None:
                method["quality"] = "classification"
            elif method.get("quality") == "classification":
                del method["quality"]

    shell.tab.change(edit)
    shell.changed()


def _draw_method(shell: Shell, method: dict[str, Any]) -> None:
    t, methods = shell.t, shell.tab.methods
    assert methods is not None
    name = method.get("name", "")
    choice(t("method"), {key: key for key in methods}, name, lambda chosen: _start(shell, {"name": chosen}))
    known = methods.get(name)
    if known is None:
        return
    sentence(t, known["summary"], classes="soft after-field")
    plain = [one for one in known["fields"] if _is_plain(one, method)]
    others = [one for one in known["fields"] if one not in plain]
    with tag("div", "", "fields"):
        for one in plain:
            _draw_field(shell, one, method)
    if others:
        is_open = any(one["name"] in method for one in others if one["name"] != "quality")
        with tag("details", "", "", open=is_open).style("margin-top: 1rem"):
            tag("summary", t("advanced"))
            with tag("div", "", "fields"):
                for one in others:
                    _draw_field(shell, one, method)


def _is_plain(one: dict[str, Any], method: dict[str, Any]) -> bool:
    """Whether a parameter is asked at once."""
    is_plain = one["name"] in _PLAIN and (one["name"] != "target" or method.get("quality") == "classification")
    return is_plain or one["is_required"] or (one["name"] == "target" and "target" in method)


def _draw_field(shell: Shell, one: dict[str, Any], method: dict[str, Any]) -> None:
    """A field as the reader of parameters declares it, with what it refuses beside it."""
    t, key, schema = shell.t, one["name"], one["schema"]
    value = method.get(key)
    label, hint = t.get(f"param {key}", key), re.sub(r"`([^`]*)`", r"“\1”", t.said(one["meaning"]))
    language = t.language_of(one["meaning"])
    if one["is_required"]:
        hint = f"{hint} ({t('required')})"
    elif one["default"] is not None:
        hint = f"{hint} ({t('default is', value=one['default'])})"
    problem = _error(shell, key)
    error = t.said(problem)
    language = t.language_of(problem) if problem else language
    if key == "target":
        names = [name for name, said in shell.tab.content.get("columns", {}).items() if said["role"] in _COUNTED]
        options = {"": "–", **{name: name for name in names}}
        with tag("div", "", "field"):
            choice(
                label,
                options,
                str(value or ""),
                lambda chosen: _set_target(shell, chosen or None, is_own=one["is_required"]),
            )
            tag("span", error or hint, "field-error" if error else "field-hint", lang=language)
        return
    if ((words := _words(schema)) or schema.get("type") == "boolean") and isinstance(value, str | bool | None):
        words = words or ["true", "false"]
        options = {
            "": t("default is", value=one["default"]) if one["default"] is not None else "–",
            **{word: word for word in words},
        }
        shown = str(value).lower() if isinstance(value, bool) else str(value or "")
        convert = {"true": True, "false": False}.get if schema.get("type") == "boolean" else (lambda text: text or None)
        with tag("div", "", "field"):
            choice(label, options, shown, lambda chosen: _set(shell, key, convert(chosen)))
            tag("span", error or hint, "field-error" if error else "field-hint", lang=language)
        return
    if schema.get("type") == "array" and schema.get("items", {}).get("type") == "string" and _is_list(value):
        shown = ", ".join(value or [])
        field(
            label,
            shown,
            lambda text: _set(shell, key, _listed(text) or None),
            hint=hint,
            error=error,
            language=language,
        )
        return
    field(label, _shown(value), lambda text: _set(shell, key, _read(text)), hint=hint, error=error, language=language)


def _is_list(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and all(isinstance(part, str) and "," not in part for part in value)
    )


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _words(schema: dict[str, Any]) -> list[str]:
    found: list[Any] = schema.get("enum") or next(
        (part["enum"] for part in schema.get("anyOf", []) if "enum" in part), []
    )
    return [str(word) for word in found]


def _shown(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, default=str)


def _read(text: str) -> Any:
    """A value as a release file writes it; what cannot be read so is a text, and the reader of parameters judges."""
    text = text.strip()
    if not text:
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        try:
            return json.loads(text)
        except ValueError:
            return text


def _error(shell: Shell, key: str) -> str:
    """What is wrong with one parameter, if that is what is wrong."""
    problem = shell.tab.checked.get("problem") or {}
    message = problem.get("message", "")
    return message if problem.get("part") in ("method", None) and message.startswith((f"{key} ", f"{key}:")) else ""


def _draw_consequences(shell: Shell) -> None:
    t, tab = shell.t, shell.tab
    checked = tab.checked
    tag("h2", t("what follows"))
    if not checked:
        tag("p", t("wait"), "soft")
        return
    problem = checked.get("problem")
    if problem:
        told(t, problem["message"], "bad", t("not yet"))
        if checked.get("taken") and ("declare" in problem["message"] or "observed" in problem["message"]):
            button(t("step columns"), lambda: shell.go("columns"), "quiet")
    else:
        note(t("ready"), "good")
    for promise in checked.get("promised", []):
        sentence(t, promise)
    facts = [
        (t(f"fact {name}"), _fact(shell, name, value))
        for name, value in checked.get("facts", [])
        if t.get(f"fact {name}", "")
    ]
    if facts:
        figures(facts)
    if checked.get("needs"):
        sentence(t, checked["needs"], classes="soft")
    _draw_expected(shell, checked.get("expected", []))
    for warning in checked.get("warnings", []):
        told(t, warning)
    for better in checked.get("better", []):
        sentence(t, better, classes="soft")
    if "cost" in checked:
        figures([(t("price"), f"ε = {checked['cost']['epsilon']}, δ = {checked['cost']['delta']}")])
    if checked.get("is_paid"):
        _draw_budget(shell, checked.get("ledger", {}))


def _fact(shell: Shell, name: str, value: Any) -> str:
    if not isinstance(value, int | float):
        return str(value)
    is_whole = isinstance(value, int)
    return shell.t.number(value, "," if is_whole else ".1%" if name.startswith(_SHARES) else ",.4g")


def _draw_expected(shell: Shell, expected: list[dict[str, Any]]) -> None:
    """How many records survive, and how much noise there is, from what is public."""
    t = shell.t
    if not expected:
        return
    tag("h3", t("what to expect"))
    survivors = [one for one in expected if "published" in one]
    if survivors:
        tag("p", t("expect survivors"))
        with tag("div", "", "scroll", tabindex=0, role="region", aria_label=t("what to expect")), tag("table"):
            with tag("thead"), tag("tr"):
                for key in ("expect alike", "expect chance", "expect published"):
                    tag("th", t(key), "num", scope="col")
            with tag("tbody"):
                for one in survivors:
                    with tag("tr"):
                        tag("td", t.number(one["records"]), "num")
                        tag("td", t.number(one["chance"], ".0%"), "num")
                        tag("td", t.number(one["published"], ",.0f"), "num")
    for one in expected:
        if "deviation" in one:
            shown = {key: t.number(one[key], ",.3g") for key in ("deviation", "width") if one[key] is not None}
            key = "expect count noise" if one["column"] is None else "expect column noise"
            tag("p", t(key, column=one["column"], **shown))
        elif "published" not in one:
            tag("p", t("expect kept", **one))


def _draw_budget(shell: Shell, ledger: dict[str, Any]) -> None:
    t = shell.t
    tag("h3", t("budget"))
    if "why_not" in ledger:
        told(t, ledger["why_not"], "bad")
        return
    figures(
        [
            (t("spent"), "; ".join(ledger.get("spent", [])) or t("nothing spent")),
            (t("left"), left_words(shell, ledger)),
            *([(t("budget after"), left_words(shell, ledger, "after"))] if _is_limited(ledger) else []),
        ]
    )
    limit = shell.tab.content.get("budget", {}).get("limit", {})

    def set_limit(key: str, text: str) -> None:
        value = _read(text)
        changed = {**limit, key: value} if value is not None else {k: v for k, v in limit.items() if k != key}
        if "epsilon" in changed:
            _set(shell, "limit", changed, "budget")
        else:
            _set(shell, "limit", None, "budget")

    problem = shell.tab.checked.get("problem") or {}
    error = problem["message"] if problem.get("part") == "budget" else ""
    with tag("div", "", "fields"):
        field(t("limit epsilon"), _shown(limit.get("epsilon")), lambda text: set_limit("epsilon", text), error=error)
        field(t("limit delta"), _shown(limit.get("delta")), lambda text: set_limit("delta", text))


def _is_limited(ledger: dict[str, Any]) -> bool:
    return any(one.get("after") is not None for one in ledger.get("limits", []))


def left_words(shell: Shell, ledger: dict[str, Any], key: str = "left") -> str:
    """What is left of the budget, now or after this release."""
    lefts = [one[key] for one in ledger.get("limits", []) if one.get(key) is not None]
    if not lefts:
        return shell.t("no limit")
    return "; ".join(f"ε = {left['epsilon']}, δ = {left['delta']}" for left in lefts)
