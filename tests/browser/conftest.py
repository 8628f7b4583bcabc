"""The page in a real browser: Shoal as a process of its own, driven by playwright with an installed browser."""

import os
import shutil

import pytest
from visiting import Served, Visit

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")  # no longer: while playwright is there, no other test of this process can use asyncio
def chromium():
    pytest.importorskip("nicegui", reason="the page is not installed: shoal[page]")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("SHOAL_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium is installed; name one in SHOAL_BROWSER")
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    shoal = Served(tmp_path_factory.mktemp("served"))
    yield shoal
    if shoal.process.poll() is None:
        shoal.stop()


@pytest.fixture
def visit(chromium, served):
    visits = []

    def begin(**options):
        visits.append(Visit(chromium, served, **options))
        return visits[-1]

    yield begin
    for one in visits:
        one.context.close()
        assert one.wrong == []
