"""The page as its users have it: the whole flow, and what goes wrong on the way."""

import io
import json
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from visiting import Served, Visit, children

from shoal.examples import write_example


@pytest.mark.slow
def test_the_page_opens_once_with_what_it_was_told_and_asks_for_nothing_elsewhere(visit, served):
    address = served.address
    one = visit()
    assert "Which table is to be published?" in one.page.inner_text("#content")
    assert one.page.title() == "Shoal"
    assert "token" not in one.page.url
    stranger = one.context.new_page()
    assert stranger.goto(address).status == 403
    stranger.close()


@pytest.mark.slow
def test_the_whole_flow_and_what_comes_of_it_on_the_command_line(visit, tmp_path):
    one = visit()
    page = one.page
    assert one.barriers() == []
    one.example()
    assert "5,000" in page.inner_text("#content")
    assert "For the owner only" in page.inner_text("#content")
    one.press("button:has-text('Next rows')", "text=Rows 51 to 100 of 5,000")
    one.field("Go to row").fill("4990")
    page.keyboard.press("Tab")
    page.wait_for_selector("text=Rows 4,990 to 5,000 of 5,000")
    assert one.barriers() == []
    one.step("Columns")
    one.press("[aria-label='Edit: age']", ".tree")
    one.field("Widths, finest first").fill("10, 20")
    page.keyboard.press("Tab")
    page.wait_for_selector("td:has-text('Intervals: 10, 20')")
    assert one.barriers() == []
    one.press("button:has-text('Undo')", "td:has-text('Intervals: 5, 10, 20')")
    one.step("Protect")
    one.field("Group size k").fill("none")
    page.keyboard.press("Tab")
    page.wait_for_selector(".field-error:has-text('k must be')")
    one.field("Group size k").fill("4")
    page.keyboard.press("Tab")
    page.wait_for_selector("text=This can be run.")
    assert one.barriers() == []
    one.step("Run")
    one.press("#content button.main:has-text('Run')", "text=4-anonymous")
    one.press("button:has-text('Keep to compare')", "th:has-text('Release 1, open now')")
    one.step("Protect")
    one.field("Group size k").fill("9")
    page.keyboard.press("Tab")
    one.step("Run")
    page.wait_for_selector("button:has-text('Take this one')")
    one.press("button:has-text('Take this one')", "th:has-text('Release 1, open now')")
    assert one.barriers() == []
    one.step("Explore")
    page.wait_for_selector("h2:has-text('After')")
    page.wait_for_selector(".lattice canvas")
    page.wait_for_selector("[aria-label='The published records']")
    lost = page.inner_text(".figures")
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("text => (document.querySelector('.figures')?.innerText ?? text) !== text", arg=lost)
    assert page.evaluate("document.activeElement.type") == "range"
    box = page.locator(".lattice canvas").bounding_box()
    moved = page.inner_text(".figures")
    page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.6)
    page.wait_for_function("text => (document.querySelector('.figures')?.innerText ?? text) !== text", arg=moved)
    report = page.frame_locator("iframe").locator("h1")
    assert report.inner_text() == "Patients of an example hospital, 2023 and 2024"
    one.press("button:has-text('Try attacks')", "text=6 attacks were tried")
    assert one.barriers() == []
    one.step("Release")
    one.field("Your private key, a file on this machine").fill(str(tmp_path / "office.key"))
    one.field("Its passphrase, if it has one").fill("a word")
    page.keyboard.press("Tab")
    one.press("button:has-text('Make a new key there')", "text=The key is made")
    one.field("Its passphrase, if it has one").fill("a word")
    page.keyboard.press("Tab")
    one.press("button:text-is('Sign')", "text=Signed: certificate.sig is among the files")
    one.context.add_init_script("window.print = () => { window.printed = true }")
    with one.context.expect_page() as opened:
        page.click("text=save it as PDF")
    opened.value.wait_for_function("window.printed && window.origin === 'null'")
    opened.value.close()
    with page.expect_download() as taken:
        page.click("text=Everything that may be published")
    with zipfile.ZipFile(taken.value.path()) as archive:
        names = sorted(archive.namelist())
        promised = json.loads(archive.read("release/certificate.json"))
    published = ["README.md", "certificate.json", "certificate.sig", "data.csv"]
    assert names == [f"release/{name}" for name in published]
    assert promised["records"] > 4000
    with page.expect_download() as taken:
        page.click("text=Release file with its hierarchies")
    with zipfile.ZipFile(taken.value.path()) as archive:
        archive.extractall(tmp_path)
    assert one.barriers() == []
    project = tmp_path / "release-file"
    write_example(tmp_path / "example")
    (tmp_path / "example" / "patients.csv").rename(project / "patients.csv")
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "run", "release.toml", "--json"], cwd=project, capture_output=True, check=True
    )
    again = json.loads(done.stdout)["certificate"]
    assert again["guarantees"] == promised["guarantees"]
    assert again["records"] == promised["records"]


@pytest.mark.slow
def test_a_private_method_asks_before_it_spends_and_shows_nothing_before(visit):
    one = visit(color_scheme="dark", viewport={"width": 1024, "height": 800})
    page = one.page
    one.example()
    one.step("Columns")
    page.select_option("[aria-label='Role: length_of_stay']", "dropped")
    one.step("Protect")
    page.click("text=True records, with differential privacy")
    page.wait_for_selector("text=Records that must look alike")
    page.wait_for_selector("td:has-text('99%')")  # what is expected of records that look alike
    one.field("Privacy budget ε").fill("2")
    page.keyboard.press("Tab")
    page.wait_for_selector("dd:has-text('ε = 2')")
    one.field("Limit for ε, over all releases").fill("3")
    page.keyboard.press("Tab")
    page.wait_for_selector("dd:has-text('ε = 3, δ = 0')")
    one.field("Limit for δ").fill("0.001")
    page.keyboard.press("Tab")
    page.wait_for_selector("dd:has-text('ε = 3, δ = 0.001')")
    page.wait_for_selector("dd:has-text('ε = 1, δ = 0.00099')")  # left after this release
    assert one.barriers() == []
    one.step("Explore")
    page.wait_for_selector("text=only what was paid for is shown here")
    page.wait_for_selector("text=Try it on a stand-in first")
    assert not page.locator("table").count()
    one.step("Run")
    page.wait_for_selector("text=This run takes ε = 2, δ = 1e-05")
    run = page.locator("#content button.main:has-text('Run')")
    assert run.is_disabled()
    page.click("button:has-text('Try it')")
    page.wait_for_selector("[aria-label='The made-up records']")
    page.wait_for_selector("text=Left before it: ε = 3")
    assert one.barriers() == []
    page.check("[aria-label='I want to spend it']")
    page.wait_for_selector("#content button.main:has-text('Run'):enabled")
    run.click()
    page.wait_for_selector("h2:has-text('Done')")
    page.wait_for_selector("text=Left before it: ε = 1")
    one.step("Explore")
    page.wait_for_selector("table")
    assert one.barriers() == []


BAD_FILES = {
    "empty.csv": (b"", "empty"),
    "image.png": (b"\x89PNG\r\n", "image.png"),
    "broken.parquet": (b"PAR1 nothing", "broken.parquet"),
    "head.csv": (b"a,b\n", "no records"),
    "broken.toml": (b"[data", "is no release file"),
    "evil.zip": (b"PK nothing", "is no release file"),
}


@pytest.mark.slow
def test_a_bad_file_is_told_in_one_sentence_and_the_next_one_is_read(visit, tmp_path):
    one = visit()
    for name, (content, said) in BAD_FILES.items():
        (tmp_path / name).write_bytes(content)
        one.upload(tmp_path / name)
        one.page.wait_for_selector(f".note.bad:has-text('{name}'), .note.bad:has-text('{said}')")
        sentence = one.page.inner_text(".note.bad")
        assert said in sentence
        assert "Traceback" not in sentence
        assert "/cache/" not in sentence
    one.example()


@pytest.mark.slow
def test_what_a_file_says_is_shown_and_not_run(visit, tmp_path):
    evil = "<img src=x onerror=document.title=1>"
    rows = "\n".join(f"{evil},{{{{ 7 * 7 }}}},{i % 3}" for i in range(30))
    (tmp_path / "evil.csv").write_text(f"{evil},b {{{{ 7 * 7 }}}},c\n{rows}\n")
    one = visit()
    one.upload(tmp_path / "evil.csv")
    one.page.wait_for_selector("text=Who is alone")
    shown = one.page.inner_text("#content")
    assert evil in shown
    assert "{{ 7 * 7 }}" in shown
    one.step("Columns")
    one.page.wait_for_selector("text=What do the columns mean?")
    assert evil in one.page.inner_text("#content")
    assert one.page.title() == "Shoal"
    assert not one.page.locator("#content img").count()


@pytest.mark.slow
def test_a_release_file_is_brought_and_gone_on_with(visit, tmp_path):
    release_file = write_example(tmp_path / "example")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for path in sorted((tmp_path / "example").rglob("*")):
            if path.suffix in (".toml", ".csv") and path.name != "patients.csv":
                archive.write(path, path.relative_to(tmp_path))
        archive.writestr("../../outside/hierarchies/evil.csv", "a,b")
        archive.writestr("elsewhere.txt", "nothing")
    (tmp_path / "plan.zip").write_bytes(held.getvalue())
    one = visit()
    one.upload(tmp_path / "plan.zip")
    one.page.wait_for_selector("text=Now drop the table")
    one.upload(release_file.with_name("patients.csv"))
    one.page.wait_for_selector("text=Who is alone")
    one.step("Columns")
    assert one.page.input_value("[aria-label='Role: length_of_stay']") == "insensitive"
    one.page.select_option("[aria-label='Language']", "de")
    one.page.wait_for_selector("text=Was bedeuten die Spalten?")
    assert one.barriers() == []
    assert not list(tmp_path.rglob("evil.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL], ids=lambda n: n.name)
def test_nothing_is_left_when_it_ends(chromium, tmp_path, number):
    served = Served(tmp_path)
    one = Visit(chromium, served)
    one.example()
    assert list(served.uploads.rglob("patients.csv"))
    working = children(served.process.pid)
    assert working
    served.stop(number)
    one.context.close()
    if number is signal.SIGKILL:
        assert list(served.uploads.rglob("patients.csv"))
        again = Served(tmp_path)
        assert again.address
        again.stop()
    assert not list(served.uploads.rglob("patients.csv"))
    for _ in range(60):
        if not any(Path(f"/proc/{process}").exists() for process in working):
            break
        time.sleep(0.1)
    assert not any(Path(f"/proc/{process}").exists() for process in working)
    assert "Alice" not in served.said.read_text()
