"""The pictures of README and docs/: what Shoal does, drawn from the bundled example, and the page in a browser.

`python tools/pictures.py` draws `docs/images/overview.svg`. With `--screens` it also opens `shoal serve` in an
installed Chromium (playwright; `SHOAL_BROWSER` names another one) and takes the pictures of the custodian's tutorial.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SHOWN = ("age", "sex", "zip", "diagnosis")
ROWS = (0, 1, 2, 5)
"""Records that are published."""
INK, SAFE, CARE = "#1c1917", "#0f766e", "#b45309"
CHECKED = "shoal check verifies it again, from these files alone"


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        drawn = drawing(Path(folder))
    (IMAGES / "overview.svg").write_text(drawn, encoding="utf-8")
    if "--screens" in sys.argv:
        screens()


def drawing(folder: Path) -> str:
    """Records of the example, what becomes of them, and what goes with them."""
    import pyarrow.csv

    from shoal.examples import write_example
    from shoal.running.publishing import publish_to

    release, output = publish_to(write_example(folder), None, force=False)
    whole = pyarrow.csv.read_csv(folder / "patients.csv")
    records = whole.take(list(ROWS)).to_pylist()
    became = release.recoding.apply(whole).take(list(ROWS)).to_pylist()
    published = {tuple(record[name] for name in SHOWN) for record in _records(output / "data.csv")}
    assert all(tuple(str(record[name]) for name in SHOWN) in published for record in became), "choose other ROWS"
    before = [["patient_id", *SHOWN], *([record[name] for name in ("patient_id", *SHOWN)] for record in records)]
    after = [list(SHOWN), *([record[name] for name in SHOWN] for record in became)]
    promised = [_short(guarantee.statement) for guarantee in release.certificate.guarantees]
    report = ["what became of each column, who was left out,", "what risk is left, what the table is still good for"]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 340" role="img" font-size="13"',
            f' font-family="system-ui, sans-serif" fill="{INK}">',
            "<title>A table of people goes in; a table in which nobody can be pointed at, a certificate and a report",
            "for the owner come out</title>",
            '<rect width="1000" height="340" rx="8" fill="#ffffff"/>',
            *_table(before, (20, 52), (82, 34, 52, 52, 180), "patients.csv", "5,000 records of people", CARE),
            f'<path d="M446 128h58m0 0l-9-7m9 7l-9 7" stroke="{INK}" stroke-width="2" fill="none"/>',
            '<text x="475" y="116" text-anchor="middle" font-size="12">shoal run</text>',
            *_table(after, (530, 52), (70, 60, 64, 240), "release/data.csv", "may be published", SAFE),
            *_note((20, 240), 424, "release-owner/report.html", "must not be published", CARE, report),
            *_note((530, 240), 450, "release/certificate.json", "may be published", SAFE, [*promised, CHECKED]),
            "</svg>",
            "",
        ]
    )


def _records(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _short(statement: str) -> str:
    """A promise without what explains it."""
    return re.sub(r"(:| \().*$", "", statement) + " (verified)"


def _table(
    rows: list[list[object]], corner: tuple[int, int], widths: tuple[int, ...], name: str, said: str, color: str
) -> list[str]:
    (x, y), drawn = corner, _head(corner, name, said, color)
    for number, row in enumerate(rows):
        place = x
        weight = ' font-weight="600"' if number == 0 else ""
        for cell, width in zip(row, widths, strict=True):
            drawn.append(f'<text x="{place}" y="{y + 26 + 26 * number}"{weight}>{escape(str(cell))}</text>')
            place += width
        drawn.append(f'<path d="M{x} {y + 34 + 26 * number}h{sum(widths)}" stroke="#d6d3d1"/>')
    return drawn


def _note(corner: tuple[int, int], width: int, name: str, said: str, color: str, lines: list[str]) -> list[str]:
    x, y = corner
    box = f'<rect x="{x - 8}" y="{y - 26}" width="{width}" height="114" rx="6" fill="none" stroke="{color}"/>'
    told = [f'<text x="{x}" y="{y + 28 + 22 * at}">{escape(line)}</text>' for at, line in enumerate(lines)]
    return [box, *_head(corner, name, said, color), *told]


def _head(corner: tuple[int, int], name: str, said: str, color: str) -> list[str]:
    x, y = corner
    return [
        f'<text x="{x}" y="{y - 4}">',
        f'<tspan font-family="ui-monospace, monospace" font-weight="600">{escape(name)}</tspan>',
        f'<tspan dx="10" fill="{color}">{escape(said)}</tspan></text>',
    ]


def screens() -> None:
    """The steps of the page with the bundled example, and the first page of its report."""
    from playwright.sync_api import sync_playwright

    found = os.environ.get("SHOAL_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        told = Path(folder) / "told.txt"
        settings = {**os.environ, "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder, "PYTHONUNBUFFERED": "1"}
        with told.open("w", encoding="utf-8") as out:
            command = [sys.executable, "-m", "shoal", "serve", "--no-open"]
            serving = subprocess.Popen(command, stdout=out, stderr=out, env=settings)
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            page = browser.new_page(viewport={"width": 1200, "height": 760}, color_scheme="light")
            page.set_default_timeout(120_000)
            page.goto(_address(told))
            _visit(page)
            _paper(browser, Path(folder))
        finally:
            browser.close()
            serving.terminate()
            serving.wait(timeout=60)


def _address(told: Path) -> str:
    while not (found := re.findall(r"http://\S+", told.read_text(encoding="utf-8"))):
        time.sleep(0.1)
    return str(found[-1])


def _visit(page: Page) -> None:
    def step(name: str) -> None:
        page.click(f"nav button:has-text('{name}')")
        page.wait_for_selector(f"nav button[aria-current]:has-text('{name}')")

    def kept(name: str) -> None:
        page.wait_for_timeout(700)  # until what moves has come to rest
        page.screenshot(path=IMAGES / f"custodian-{name}.png")

    page.click("text=Try the example")
    page.wait_for_selector("text=Who is alone")
    kept("data")
    step("Columns")
    page.wait_for_selector("[aria-label='Edit: age']")
    kept("columns")
    step("Protect")
    page.wait_for_selector("text=This can be run.")
    kept("protect")
    step("Run")
    page.click("#content button.main:has-text('Run')")
    page.wait_for_selector("text=5-anonymous")
    kept("run")
    step("Release")
    page.wait_for_selector("text=must not be")
    kept("release")


def _paper(browser: Browser, folder: Path) -> None:
    """The report that the demo writes."""
    subprocess.run([sys.executable, "-m", "shoal", "demo", "-o", folder / "demo"], check=True, capture_output=True)
    page = browser.new_page(viewport={"width": 1000, "height": 760})
    page.goto((folder / "demo" / "release-owner" / "report.html").as_uri())
    page.screenshot(path=IMAGES / "custodian-report.png")


if __name__ == "__main__":
    main()
