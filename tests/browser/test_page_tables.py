"""Tables of all kinds on the page: as they are written, in a database, as others know them, and large ones."""

import os
import signal
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest
from visiting import children

ADULT = Path(__file__).parents[2].parent / "shared" / "data" / "adult_arx"


@pytest.mark.slow
def test_a_file_is_read_again_as_its_owner_says_it_is_written(visit, tmp_path):
    one = visit()
    page = one.page
    jobs = ("baker", "smith", "clerk", "nurse", "?", "teacher", "x")
    rows = "\n".join(f"{jobs[i % 7]};{i % 50};{i % 9},5" for i in range(700))
    (tmp_path / "odd.csv").write_text(f"job;age;score\n{rows}\n")
    one.upload(tmp_path / "odd.csv")
    page.wait_for_selector("text=Who is alone")
    one.step("Columns")
    page.select_option("[aria-label='Role: score']", "sensitive")
    one.step("Data")
    page.click("summary:has-text('How the file is written')")
    assert page.input_value("[aria-label='Decimal sign']") == ","
    page.select_option("[aria-label='Decimal sign']", ",")
    page.select_option("[aria-label='Between thousands']", ",")
    page.wait_for_selector(".field-error:has-text('decimal and thousands are both')")
    assert page.is_disabled("button:has-text('Read the table again')")
    page.select_option("[aria-label='Between thousands']", "")
    one.field("What stands for a missing value").fill("?, x")
    page.keyboard.press("Tab")
    assert one.barriers() == []
    page.click("button:has-text('Read the table again'):enabled")
    page.wait_for_selector("tr:has-text('job') >> text=28.6%")
    one.step("Columns")
    assert page.input_value("[aria-label='Role: score']") == "sensitive"
    one.press("[aria-label='Edit: age']", ".tree")
    page.select_option("[aria-label='What is declared']", "numbers")
    page.click("summary:has-text('How it is written')")
    one.field("Largest number").fill("30")
    page.keyboard.press("Tab")
    page.wait_for_selector("tr:has(td:text-is('0')) >> td:text-is('31')")  # 0 to 30, and nothing above
    one.field("Largest number").fill("many")
    page.keyboard.press("Tab")
    page.wait_for_selector("label:has-text('Largest number') .field-error:has-text('top is a number')")
    one.press("button:has-text('Undo')", "tr:has(td:text-is('0')) >> td:text-is('31')")


@pytest.mark.slow
def test_a_table_of_a_database_is_opened_by_its_address(visit, tmp_path):
    pytest.importorskip("ibis")
    with sqlite3.connect(tmp_path / "people.db") as made:
        made.execute("create table people (job text, age integer)")
        made.executemany("insert into people values (?, ?)", [("ab"[i % 2], i % 50) for i in range(3_000)])
    made.close()
    one = visit()
    page = one.page
    page.click("summary:has-text('Or a table of a database')")
    one.field("Address").fill("postgresql://me:secret@host/people")
    one.field("Table").fill("people")
    one.press("button:has-text('Open this table')", ".note.bad:has-text('a password or a key in it')")
    assert "secret" not in page.inner_text(".note.bad")
    one.field("Address").fill(f"sqlite://{tmp_path / 'people.db'}")
    one.press("button:has-text('Open this table')", "text=Who is alone")
    one.press("button:has-text('Next rows')", "text=Rows 51 to 100 of 3,000")
    one.step("Run")
    one.press("#content button.main:has-text('Run')", "text=5-anonymous")


@pytest.mark.slow
@pytest.mark.skipif(not ADULT.is_dir(), reason="needs the reference data sets beside the project, shared/data")
def test_adult_with_the_hierarchies_that_others_use(visit):
    one = visit(viewport={"width": 1024, "height": 900})
    page = one.page
    one.upload(ADULT / "adult_arx.csv.gz")
    page.wait_for_selector("text=30,162")
    one.step("Columns")
    for name in ("age", "education", "occupation", "native-country"):
        page.select_option(f"[aria-label='Role: {name}']", "quasi-identifier")
        one.press(f"[aria-label='Edit: {name}']", f"section[aria-label='Edit {name}'] .tree")
        page.set_input_files("section.card input[type=file]", str(ADULT / "hierarchies" / f"{name}.csv"))
        page.wait_for_selector(f"tr.open:has-text('hierarchies/{name}-{name}.csv')")
        page.click(f"tr.open [aria-label='Close: {name}']")
    for name in ("sex", "race", "workclass", "marital-status"):
        page.select_option(f"[aria-label='Role: {name}']", "dropped")
    page.select_option("[aria-label='Role: salary-class']", "sensitive")
    one.step("Protect")
    page.click("button.need:has-text('Records that nobody can be found in')")
    page.wait_for_selector("text=This can be run.")
    one.step("Explore")
    page.wait_for_selector("h2:has-text('schemes')")
    page.wait_for_selector("text=Meets the request")
    one.step("Run")
    one.press("#content button.main:has-text('Run')", "text=5-anonymous")
    one.step("Release")
    page.wait_for_selector("text=Save data.csv")


@pytest.mark.slow
def test_a_large_table_can_be_cancelled_survives_a_reload_and_is_missed_when_killed(visit, served, tmp_path):
    one = visit()
    page = one.page
    large(tmp_path / "large.csv", 1_200_000)
    one.upload(tmp_path / "large.csv")
    page.wait_for_selector("h1:has-text('Looking at the table')")
    page.reload()
    page.wait_for_selector("h1:has-text('Looking at the table')")
    page.click("button:has-text('Cancel')")
    page.wait_for_selector("text=Which table is to be published?")
    one.upload(tmp_path / "large.csv")
    page.wait_for_selector("h1:has-text('Looking at the table')")
    other = one.tab(served.address)
    assert "Which table is to be published?" in other.inner_text("#content")
    one.example(other)  # the other tab is not kept waiting
    started = time.monotonic()
    other.click("nav button:has-text('Columns')")
    other.wait_for_selector("text=What do the columns mean?")
    assert time.monotonic() - started < 5
    page.wait_for_selector("text=1,200,000")
    page.reload()
    page.wait_for_selector("text=1,200,000")
    one.field("Go to row").fill("1199990")
    page.keyboard.press("Tab")
    page.wait_for_selector("text=Rows 1,199,990 to 1,200,000 of 1,200,000")
    one.step("Columns")
    one.press("[aria-label='Edit: age']", ".tree")
    one.step("Run")
    page.click("#content button.main:has-text('Run')")
    page.wait_for_selector("h1:has-text('Making the release')")
    time.sleep(0.5)
    for child in children(served.process.pid):
        os.kill(child, signal.SIGKILL)
    page.wait_for_selector("text=has ended; nothing was written")
    page.click("#content button.main:has-text('Run')")
    page.wait_for_selector("h2:has-text('Done')")
    assert "5,000" in other.inner_text("#content") or other.locator("td.name").count()


def large(path, records):
    """A table of so many people, who look much alike."""
    i = np.arange(records)
    columns = (i, 20 + i % 60, 10_000 + i % 7_919, np.array(["flu", "cold", "cough"])[i % 3])
    lines = np.array([f"{a},{b},{c},{d}" for a, b, c, d in zip(*(column.tolist() for column in columns), strict=True)])
    path.write_text("id,age,zip,illness\n" + "\n".join(lines) + "\n")


@pytest.mark.slow
def test_how_many_records_of_a_person_take_part(visit, tmp_path):
    rows = "".join(f"P{i % 40:03},{20 + i % 30},{'flu' if i % 3 else 'cold'}\n" for i in range(120))
    (tmp_path / "visits.csv").write_text(f"patient_id,age,diagnosis\n{rows}", encoding="utf-8")
    one = visit()
    one.upload(tmp_path / "visits.csv")
    one.page.wait_for_selector("text=Who is alone")
    assert "of 120 persons" not in one.page.inner_text("#content")
    one.step("Columns")
    most = one.field("Records of each that take part")
    most.fill("1")
    most.blur()
    one.step("Protect")
    one.page.wait_for_selector("text=This can be run.")
    one.step("Columns")
    assert most.input_value() == "1"
    one.page.select_option("label.field:has-text('Whom is a record about?') select", "row")
    one.page.wait_for_function("() => !document.body.innerText.includes('Records of each that take part')")
