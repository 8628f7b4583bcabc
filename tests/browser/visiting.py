"""A running page and somebody who visits it."""

import gzip
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE = 120_000
"""Milliseconds; the machine may be busy."""


class Served:
    """A running `shoal serve`."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.said = folder / "said.txt"
        environment = {
            **os.environ,
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_DATA_HOME": str(folder / "data"),
            "PYTHONUNBUFFERED": "1",
        }
        with self.said.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "shoal", "serve", "--no-open", *options], stdout=out, stderr=out, env=environment
            )

    @property
    def address(self):
        """The address that opens the page next."""
        for _ in range(600):
            found = re.findall(r"http://\S+", self.said.read_text())
            if found:
                return found[-1]
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(self.said.read_text())

    @property
    def uploads(self):
        return self.folder / "cache" / "shoal" / "serve"

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


class Visit:
    """One browser context: tabs of one user, what went wrong in them, and the steps of the page by name."""

    def __init__(self, browser, served, **options):
        self.served, self.wrong = served, []
        self.context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        self.context.set_default_timeout(PATIENCE)
        self.page = self.tab(served.address)

    def tab(self, address):
        page = self.context.new_page()
        page.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda asked: self.wrong.append(asked.url) if "127.0.0.1" not in asked.url else None)
        page.goto(address)
        page.wait_for_selector("h1")
        return page

    def press(self, what, then, page=None):
        """Click, and see what comes of it."""
        page = page or self.page
        page.click(what)
        return page.wait_for_selector(then)

    def step(self, name, page=None):
        self.press(f"nav button:has-text('{name}')", f"nav button[aria-current]:has-text('{name}')", page)

    def example(self, page=None):
        self.press("text=Try the example", "text=Who is alone", page)

    def field(self, label):
        return self.page.locator(f"label.field:has(.field-label:text-is('{label}')) input")

    def upload(self, path, page=None):
        (page or self.page).set_input_files("input[type=file]", str(path))

    def barriers(self, page=None):
        """What axe-core finds."""
        page = page or self.page
        page.evaluate(gzip.decompress((HERE / "axe" / "axe.min.js.gz").read_bytes()).decode())
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [(one["impact"], one["id"], one["nodes"][0]["html"][:200]) for one in found]


def children(process):
    """The processes that a process has started."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(number) for number in found.split()]
