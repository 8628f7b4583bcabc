"""Jobs that a button starts: they go on when the page is reloaded, and say what became of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks

from shoal.errors import ShoalError
from shoal.serve.tabs import Tab


def begin(tab: Tab, name: str, job: str, *arguments: Any, then: Callable[[Any], None], quick: bool = False) -> None:
    """Start a job for a tab, unless one is under way; `then` is told what it gives back."""
    if tab.job:
        return
    tab.job, tab.task, tab.done, tab.failure = name, "", 0.0, ""
    tab.version += 1
    tab.jobs += 1
    mine = tab.jobs
    worker = tab.quick if quick else tab.long

    def is_wanted() -> bool:
        """Whether it was not cancelled meanwhile, and another one started."""
        return tab.job == name and tab.jobs == mine

    async def work() -> None:
        try:
            answer = await worker.do(job, *arguments, told=tab.tell)
        except ShoalError as error:
            if is_wanted():
                tab.failure = str(error)
        else:
            if is_wanted():
                then(answer)
        finally:
            if is_wanted():
                tab.job = ""
            tab.version += 1

    background_tasks.create(work(), name=name)


def ask_rows(tab: Tab, part: str, job: str, *arguments: Any, then: Callable[[dict[str, Any]], None]) -> None:
    """Ask for a block of rows, beside whatever else is done; the part of the page that shows it is drawn anew."""

    async def work() -> None:
        try:
            answer = await tab.quick.do(job, *arguments)
        except ShoalError as error:
            answer = {"names": [str(error)], "start": 0, "rows": []}
        then(answer)
        tab.news[part] = tab.news.get(part, 0) + 1

    background_tasks.create(work(), name=part)


def cancel(tab: Tab) -> None:
    """End what is being done; nothing of it is kept."""
    tab.long.stop()
    if tab.job and tab.quick.is_busy:
        tab.quick.stop()
    tab.job = ""
    tab.version += 1
    recheck(tab)  # a run that was paid for stays paid for


def recheck(tab: Tab) -> None:
    """Ask again what the release file promises and costs."""

    async def work() -> None:
        text = tab.text
        try:
            checked = await tab.quick.do("check", str(tab.work), (tab.seen or {}).get("records"))
        except ShoalError as error:
            checked = {"problem": {"message": str(error), "column": None, "part": None}}
        if tab.text == text and checked != tab.checked:
            tab.checked = checked
            tab.version += 1

    background_tasks.create(work(), name="check")


def learn_methods(tab: Tab) -> None:
    """Ask once which methods there are and what they take; it also wakes the process that answers small questions."""
    if tab.methods is not None:
        return

    async def work() -> None:
        try:
            tab.methods = await tab.quick.do("methods")
        except ShoalError as error:
            tab.failure = str(error)
        if tab.step == "protect":
            tab.version += 1

    background_tasks.create(work(), name="methods")
