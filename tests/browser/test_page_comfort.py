"""The page in hand: nothing under way is lost, groups by mouse and keyboard, no barrier in any color or language."""

import csv
import io

import pytest

STEPS = {
    "en": ("Data", "Columns", "Protect", "Run", "Explore", "Release"),
    "de": ("Daten", "Spalten", "Schützen", "Ausführen", "Erkunden", "Freigeben"),
}


@pytest.mark.slow
def test_what_is_being_typed_and_where_survives_that_the_page_is_drawn_anew(visit):
    one = visit()
    one.example()
    one.step("Run")
    title = one.field("Title of the release")
    one.page.wait_for_selector("#content button.main:has-text('Run')")
    title.focus()
    title.press_sequentially("My")
    number = title.get_attribute("id")
    one.page.select_option("[aria-label='Language']", "de")  # takes no focus
    one.page.wait_for_selector("text=Titel der Freigabe")
    assert one.page.evaluate("document.activeElement.id") == number
    one.page.keyboard.type(" table")
    assert one.page.input_value(f"#{number}") == "Patients of an example hospital, 2023 and 2024My table"
    one.page.reload()
    one.page.wait_for_selector("text=Titel der Freigabe")
    one.page.wait_for_function("document.documentElement.lang === 'de'")


@pytest.mark.slow
def test_a_click_under_way_when_the_step_is_drawn_anew_is_heard(visit):
    one = visit()
    page = one.page
    one.example()
    one.step("Protect")
    page.wait_for_selector("text=This can be run.")
    for k, need, then in (
        ("7", "Numbers and averages", "microaggregation-dp"),
        ("3", "Counting by a few columns", "marginals"),
    ):
        box = page.locator(f"button.need:has-text('{need}')").bounding_box()
        one.field("Group size k").fill(k)
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()  # takes what was typed, and what follows from it is drawn while the button is held
        page.wait_for_function("document.querySelector('.card[aria-live]').innerText.includes('anonymous')")
        page.wait_for_timeout(600)
        page.mouse.up()
        page.wait_for_function("name => document.querySelector('[aria-label=Method]').value === name", arg=then)
        page.click("button.need:has-text('Records that nobody can be found in')")
        page.wait_for_selector("text=-anonymous")


@pytest.mark.slow
def test_groups_by_dragging_and_by_keyboard_and_as_a_file(visit, tmp_path):
    one = visit()
    page = one.page
    one.example()
    one.step("Columns")
    one.press("[aria-label='Edit: occupation']", ".tree")
    page.select_option("[aria-label='How values are joined']", "tree")
    page.wait_for_selector(".group-tree .chip")
    names = page.locator(".chip").all_inner_texts()
    first, second, third = names[:3]
    page.click(f".chip:text-is('{first}')")
    page.focus(f".chip:text-is('{second}')")
    page.keyboard.press("Space")
    one.field("Name of a new group").fill("some")
    page.keyboard.press("Enter")
    page.wait_for_selector("[aria-label='Name of group some']")
    page.wait_for_selector(".tree:has-text('some (2)')")
    group = "li.group:has(> .group-head [aria-label='Name of group some'])"
    page.drag_and_drop(f".chip:text-is('{third}')", group)
    page.wait_for_selector(".tree:has-text('some (3)')")
    assert one.barriers() == []
    one.press("button:has-text('Undo')", ".tree:has-text('some (2)')")
    one.press("button:has-text('Redo')", ".tree:has-text('some (3)')")
    page.click(f"{group} .chip:text-is('{third}')")
    page.select_option("label:has-text('Move to') select", "*")
    page.focus("button:text-is('Move')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tree:has-text('some (2)')")
    page.fill("[aria-label='Name of group some']", third)
    page.keyboard.press("Tab")
    page.wait_for_selector(".field-error:has-text('is no new name')")
    page.fill("[aria-label='Name of group some']", "two")
    page.keyboard.press("Tab")
    page.wait_for_selector(".tree:has-text('two (2)')")
    page.reload()
    page.wait_for_selector(".tree:has-text('two (2)')")
    with page.expect_download() as taken:
        page.click("text=Save as CSV file")
    rows = list(csv.reader(io.StringIO(taken.value.path().read_text())))[1:]
    assert {row[0] for row in rows if row[1] == "two"} == {first, second}
    (tmp_path / "mine.csv").write_text("\n".join(",".join(row).replace("two", "mine") for row in rows))
    page.set_input_files("section.card input[type=file]", str(tmp_path / "mine.csv"))
    page.wait_for_selector(".tree:has-text('mine (2)')")


@pytest.mark.slow
def test_no_step_has_a_barrier_in_any_color_or_language(visit):
    one = visit()
    page = one.page
    one.example()
    one.step("Run")
    one.press("#content button.main:has-text('Run')", "h2:has-text('Done')")
    one.step("Explore")
    one.press("button:has-text('Try attacks')", "text=6 attacks were tried")
    for language, steps in STEPS.items():
        page.select_option(".tools select", language)
        page.wait_for_selector(f"nav button:has-text('{steps[1]}')")
        for step in steps:
            one.step(step)
            page.wait_for_selector("#content h1 >> nth=0")
            if step in (steps[4], steps[2]):
                page.wait_for_selector(".figures" if step == steps[4] else ".needs")
            for _ in ("light", "dark"):
                assert one.barriers() == [], (language, step)
                page.click(".tools button")
            assert page.evaluate("document.documentElement.lang") == language
            left = page.evaluate(ENGLISH) if language == "de" else []
            assert left == [], step


ENGLISH = """() => {
    const shown = ['p', 'li', '.field-hint', '.note span', 'h2', 'h3', '.field-label'].map((one) => '#content ' + one);
    const is_english = (one) => !one.closest('[lang=en]') && / (the|of|and|is|are) /.test(` ${one.innerText} `);
    return [...document.querySelectorAll(shown.join())].filter(is_english).map((one) => one.innerText);
}"""


@pytest.mark.slow
def test_nothing_is_wider_than_the_screen(visit):
    one = visit()
    page = one.page
    one.example()
    for step in STEPS["en"]:
        one.step(step)
        if step == "Columns":
            one.press("[aria-label='Edit: occupation']", ".tree")
        for width in (768, 1024, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (step, width)
