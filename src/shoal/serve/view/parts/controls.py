"""Controls: the browser's own, each with a label, so that keyboards and screen readers know them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from nicegui import ui
from nicegui.element import Element

_CHECKED = "(event) => emit(event.target.checked)"


class Wrong(NamedTuple):
    """What is wrong with a field, and in which language that is told if it is not the page's."""

    error: str = ""
    language: str | None = None


class TypedField(Element, component="../assets/field.js"):
    """What somebody writes into; told when they are done with it."""

    def __init__(self, value: str, on_change: Callable[[str], Any], **attributes: Any) -> None:
        super().__init__()
        self._props |= {"value": value, **{key: one for key, one in attributes.items() if one is not None}}

        def taken(event: Any) -> None:
            self.props["value"] = str(event.args)
            on_change(str(event.args))

        self.on("taken", taken)


class Options(Element, component="../assets/choice.js"):
    """A list to choose one of."""

    def __init__(
        self, label: str, options: Mapping[str, str], value: str, on_change: Callable[[str], Any], *, disabled: bool
    ) -> None:
        super().__init__()
        self._props |= {"aria-label": label, "options": [list(pair) for pair in options.items()], "value": value}
        self._props.set_bool("disabled", disabled)

        def chosen(event: Any) -> None:
            self.props["value"] = str(event.args)
            on_change(str(event.args))

        self.on("chosen", chosen)


def tag(name: str, text: str = "", classes: str = "", **attributes: Any) -> Element:
    """An element of HTML; underscores in names of attributes stand for dashes."""
    element = ui.element(name)
    if classes:
        element.classes(classes)
    element._text = text or None  # noqa: SLF001  what the library's own labels do
    for key, value in attributes.items():
        if value is not None and value is not False:
            element.props[key.rstrip("_").replace("_", "-")] = value
    return element


def button(
    text: str, on_click: Callable[[], Any], kind: str = "", *, label: str = "", disabled: bool = False
) -> Element:
    """A button; `kind` is main, quiet or danger."""
    made = tag("button", text, f"btn {kind}", type="button", aria_label=label or None, disabled=disabled)
    made.on("click", lambda _: on_click(), [])
    return made


def choice(
    label: str,
    options: Mapping[str, str],
    value: str,
    on_change: Callable[[str], Any],
    *,
    is_shown: bool = True,
    disabled: bool = False,
) -> Element:
    """A list to choose one of."""
    with tag("label", "", "field" if is_shown else "field bare"):
        if is_shown:
            tag("span", label, "field-label")
        return Options(label, options, value, on_change, disabled=disabled)


def field(
    label: str,
    value: str,
    on_change: Callable[[str], Any],
    *,
    kind: str = "text",
    hint: str = "",
    error: str = "",
    placeholder: str = "",
    step: str | None = None,
    lines: int = 0,
    language: str | None = None,
    wrong: Wrong | None = None,
) -> Element:
    """A field to write into, with what is wrong with it beneath; `language` is that of what stands there."""
    if wrong is not None and wrong.error:
        error, language = wrong
    with tag("label", "", "field"):
        tag("span", label, "field-label")
        made = TypedField(
            value,
            on_change,
            kind=kind,
            lines=lines or None,
            step=step,
            placeholder=placeholder or None,
            **{"aria-invalid": "true" if error else None},
        )
        if error:
            tag("span", error, "field-error", role="alert", lang=language)
        elif hint:
            tag("span", hint, "field-hint", lang=language)
    return made


def checkbox(label: str, value: bool, on_change: Callable[[bool], Any], *, is_shown: bool = True) -> Element:
    """A box to tick."""
    with tag("label", "", "check"):
        made = tag("input", type="checkbox", checked=value, aria_label=label)

        def ticked(event: Any) -> None:
            made.props.set_bool("checked", event.args)
            on_change(bool(event.args))

        made.on("change", ticked, js_handler=_CHECKED)
        if is_shown:
            tag("span", label)
    return made


def slider(label: str, value: int, most: int, words: str, on_change: Callable[[int], Any]) -> None:
    """A slider over whole numbers, which says in words where it stands."""
    with tag("label", "", "slider"):
        tag("span", label, "field-label")
        TypedField(
            str(value),
            lambda text: on_change(int(text)),
            kind="range",
            min=0,
            max=most,
            step=1,
            **{"aria-label": label, "aria-valuetext": words},
        )
        tag("span", words, "slider-words")
