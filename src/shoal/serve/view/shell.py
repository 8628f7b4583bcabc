"""The frame of the page: its steps, and the one that is open; drawn anew whenever something has happened."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import Client, ui
from nicegui.element import Element

from shoal.serve.tabs import STEPS, Tab, Tabs
from shoal.serve.texts import LANGUAGES, Texts
from shoal.serve.view.parts.controls import button, choice, tag
from shoal.serve.view.parts.doing import cancel
from shoal.serve.view.parts.pieces import note, told
from shoal.serve.view.parts.redrawing import redraw
from shoal.serve.view.steps import columns, data, explore, protect, release, run

_ASSETS = Path(__file__).parent / "assets"
_VIEWS: dict[str, Any] = {
    "data": data.draw,
    "columns": columns.draw,
    "protect": protect.draw,
    "run": run.draw,
    "explore": explore.draw,
    "release": release.draw,
}
_EVERY = 0.25


def add_page(tabs: Tabs, below: str) -> None:
    """The one page there is."""

    @ui.page("/")
    async def page(client: Client) -> None:
        ui.add_head_html(f"<style>{(_ASSETS / 'style.css').read_text(encoding='utf-8')}</style>")
        ui.add_head_html(f"<script>{(_ASSETS / 'page.js').read_text(encoding='utf-8')}</script>")
        with tag("div") as shown:  # something to see while the browser connects
            with tag("header", "", "top"), tag("div", "", "top-inner"):
                brand()
            tag("p", Texts(tabs.language)("connecting"), "soft", role="status")
        await client.connected(timeout=30)
        number = client.tab_id
        if number is None:
            return
        shown.delete()
        Shell(tabs.of(number), f"{below}", number).open(client)


def brand() -> None:
    """The mark of the page."""
    with tag("div", "", "brand"):
        ui.html((_ASSETS / "fish.svg").read_text(encoding="utf-8").replace("<svg", '<svg aria-hidden="true"', 1))
        tag("span", "Shoal")


def _set(element: Element, key: str, value: object) -> None:
    """Change one attribute, if it is another one now."""
    if element.props.get(key) == value:
        return
    if value is None:
        del element.props[key]
    else:
        element.props[key] = value
    element.update()


class Shell:
    """One view of a tab."""

    def __init__(self, tab: Tab, below: str, number: str) -> None:
        self.tab, self.below, self.number = tab, below, number
        self.t = Texts(tab.language)
        self.selected: set[str] = set()
        self.levels: dict[str, Any] | None = None
        self.asking: tuple[str, str] | None = None
        """The column whose levels are asked for, and what the release file says of it."""
        self.records: dict[str, int] = {}
        """How many records each value of the column has that is being edited."""
        self.forget_asked()
        self.key_file, self.passphrase = "", ""
        """The key to sign with; its passphrase is forgotten as soon as it was used."""
        self.signing: tuple[str, str] | None = None
        """What became of it."""
        self.wanted_role = "quasi-identifier"
        self.agreed = ""
        """The release file whose price somebody has agreed to spend."""
        self.each_is_one = False
        """Whether somebody has affirmed that each record is a person of its own."""
        self.stand_in_records = 10_000
        self._drawn = -1
        self._progress: list[Any] = []
        self._steps: dict[str, Element] = {}
        self._parts: dict[str, tuple[int, Element, Callable[[], None]]] = {}

    def forget_asked(self) -> None:
        """Another table: nothing that was said of the one before counts."""
        self.told: dict[str, Any] = {}
        """How the file is written, by what somebody says; not read again yet."""
        self.told_wrong: dict[str, str] = {}
        self.asked = {"url": "", "table": "", "query": ""}
        """The table of a database that somebody names."""

    def open(self, client: Client) -> None:
        """Draw the page, and keep it up to date until it is left."""
        me = secrets.token_hex(8)
        self._client = client
        self.tab.viewers.add(me)

        def left() -> None:
            self.tab.viewers.discard(me)
            self.tab.last_seen = time.monotonic()

        client.on_delete(left)
        self.dark = ui.dark_mode(None)
        tag("a", self.t("skip"), "skip", href="#content")
        self._top = tag("header", "", "top")
        self._draw_top()
        self._main = tag("div", "", "", id="content", tabindex="-1")
        self._name_language()
        self.draw()
        ui.timer(_EVERY, self._watch)

    def draw(self) -> None:
        """Everything anew."""
        tab = self.tab
        self._drawn, self._progress, self._parts = tab.version, [], {}
        for step, made in self._steps.items():  # stays what it is: a click on what was just replaced would be lost
            is_ready = step == "data" or tab.seen is not None
            _set(made, "disabled", (not is_ready or bool(tab.job)) or None)
            _set(made, "aria-current", "step" if step == tab.step else None)
        redraw(self._main, self._draw_step)

    def _draw_step(self) -> None:
        tab = self.tab
        if tab.failure:
            told(self.t, tab.failure, "bad")
        if tab.job:
            self._draw_job()
        else:
            with tag("div", data_key=tab.step):
                _VIEWS[tab.step](self)

    def go(self, step: str) -> None:
        """Open a step."""
        self.tab.step, self.tab.failure = step, ""
        self.draw()
        self._client.run_javascript(
            "window.scrollTo(0, 0); document.getElementById('content').focus({preventScroll: true})"
        )

    def changed(self) -> None:
        """Something was edited: show it, and ask what follows."""
        from shoal.serve.view.parts.doing import recheck

        recheck(self.tab)
        self.draw()

    def address(self, *parts: str) -> str:
        """The address of something of this tab."""
        return "/".join([self.below, parts[0], self.number, *parts[1:]])

    def bar(self) -> None:
        """The way back and forth."""
        at = STEPS.index(self.tab.step)
        with tag("div", "", "bar"):
            if at:
                button(self.t("back"), lambda: self.go(STEPS[at - 1]))
            else:
                tag("span")
            if at + 1 < len(STEPS):
                button(self.t("next"), lambda: self.go(STEPS[at + 1]), "main")

    def save(self, token: str) -> None:
        """Let the browser save a file that was offered."""
        self._client.run_javascript(f"location.assign({self.address('download', token)!r})")

    def keep_up(self, part: str, place: Element, draw: Callable[[], None]) -> None:
        """Draw a part of the step into a place now, and by itself whenever there is news for it."""
        self._parts[part] = (self.tab.news.get(part, 0), place, draw)
        redraw(place, draw)

    def owner_only(self) -> None:
        """Mark what was computed from the original."""
        note(self.t("owner only why"), "owner", self.t("owner only"))

    def _watch(self) -> None:
        if self._drawn != self.tab.version:
            self.draw()
            return
        for part, (seen, place, draw) in list(self._parts.items()):
            if self.tab.news.get(part, 0) != seen:
                self.keep_up(part, place, draw)
        if self._progress:
            bar, words = self._progress
            bar.props["value"] = round(self.tab.done, 3)
            words._text = self.tab.task  # noqa: SLF001  what the library's own labels do
            bar.update()
            words.update()

    def _draw_top(self) -> None:
        redraw(self._top, self._draw_tools)

    def _draw_tools(self) -> None:
        with tag("div", "", "top-inner"):
            self._draw_top_line()

    def _draw_top_line(self) -> None:
        brand()
        self._steps = {}
        with tag("nav", "", "", aria_label=self.t("steps")), tag("ol", "", "steps"):
            for step in STEPS:
                with tag("li"):
                    self._steps[step] = tag("button", self.t(f"step {step}"), type="button")
                    self._steps[step].on("click", lambda _, step=step: self.go(step), [])
        with tag("div", "", "tools"):
            choice(self.t("language"), LANGUAGES, self.tab.language, self._speak, is_shown=False)
            button("◐", self._toggle_theme, "quiet", label=self.t("theme"))

    def _draw_job(self) -> None:
        with tag("section", "", "card busy", aria_live="polite", data_key="job"):
            tag("h1", self.t(self.tab.job))
            bar = tag("progress", value=round(self.tab.done, 3), max=1, aria_label=self.t("working"))
            words = tag("p", self.tab.task or self.t("wait"), "soft")
            self._progress = [bar, words]
            with tag("div", "", "row"):
                button(self.t("cancel"), lambda: cancel(self.tab))

    def _speak(self, language: str) -> None:
        if language in LANGUAGES:
            self.tab.language, self.t = language, Texts(language)
            self._draw_top()
            self._name_language()
            self.draw()

    def _name_language(self) -> None:
        """Tell the browser which language to read out."""
        self._client.run_javascript(f"document.documentElement.lang = '{self.tab.language}'")

    def _toggle_theme(self) -> None:
        self._client.run_javascript("Quasar.Dark.toggle()")
