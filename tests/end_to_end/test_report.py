"""The owner's report through the command line: who made what, the verdict, rows before and after."""

import json
import re
from html.parser import HTMLParser

from desk import SECRET, listing, people

ABOUT = (
    '[release]\ntitle = "Patients <2024> & others"\nowner = "City Hospital"\ncontact = "data@city.example"\n\n[data]'
)


class Outline(HTMLParser):
    """What a reader finds: headings, links within the page, anchors, and the text of each section."""

    def __init__(self, html):
        super().__init__()
        self.ids, self.links, self.outside, self.text, self.section, self.tags = [], [], [], {"": ""}, "", set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.add(tag)
        if "id" in found and tag == "section":
            self.section = found["id"]
            self.ids.append(self.section)
            self.text[self.section] = ""
        reference = found.get("href") or found.get("src") or ""
        (self.links if reference.startswith("#") else self.outside).append(reference) if reference else None

    def handle_data(self, data):
        self.text[self.section] += data


def report(desk):
    return (desk.folder / "release-owner" / "report.html").read_text(encoding="utf-8")


def test_who_made_it_stands_on_the_report_in_the_certificate_and_in_the_readme(desk):
    desk.change("[data]", ABOUT)
    desk.done("run", "release.toml")
    page = Outline(report(desk))
    head = page.text[""]
    for said in ("Patients <2024> & others", "City Hospital", "data@city.example", "people.csv", "optimal-lattice"):
        assert said in head
    certificate = json.loads((desk.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["release"]["title"] == "Patients <2024> & others"
    assert certificate["date"] in head
    readme = (desk.folder / "release" / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# Patients <2024> & others\n\nAn anonymized table, made by City Hospital on 2")
    assert "Questions: data@city.example" in readme
    desk.done("check", "release/")
    assert desk.done("run", "release.toml", "--force").startswith("Patients <2024> & others: 60 records")


def test_what_is_said_of_a_release_is_one_line(desk):
    desk.change("[data]", '[release]\ntitle = "two\\nlines"\n\n[data]')
    assert "[release]: title of a release must be one line" in desk.refused(code=2)
    desk.change('title = "two\\nlines"', 'titel = "x"')
    assert "Did you mean 'title'" in desk.refused(code=2)


def test_the_page_has_a_verdict_a_list_of_contents_and_needs_nothing_else(desk):
    desk.done("run", "release.toml")
    html = report(desk)
    page = Outline(html)
    assert [f"#{anchor}" for anchor in page.ids] == page.links
    assert len(page.ids) == len(set(page.ids)) >= 8
    assert page.outside == []
    assert not {"script", "link", "img", "iframe"} & page.tags
    assert re.search(r"Nothing was found|To be weighed|Not to be published", page.text[""])
    assert html.index("@media print") < html.index("</style>")
    columns = page.text["what-became-of-each-column"]
    assert re.search(r"name\s*identifier\s*left out", columns)
    assert re.search(r"age\s*quasi-identifier\s*(10|20)-year bands", columns)
    assert re.search(r"note\s*insensitive\s*published as it is", columns)


def test_records_of_the_original_stand_in_the_report_and_nowhere_else(desk):
    """Ages are published in bands, so a day together with an age is a record of the original."""
    desk.done("run", "release.toml")
    rows = Outline(report(desk)).text["ten-records-before-and-after"]
    assert rows.count("original") == 10 + 2
    assert "records of real people" in rows
    assert any(line.split(",")[3] in rows for line in people())
    assert "person-" not in rows
    for name, content in listing(desk.folder / "release").items():
        text = content.decode()
        assert "person-" not in text, name
        assert not any(",".join(line.split(",")[1:4]) in text.replace('"', "") for line in people()), name
    desk.write("release.toml", (desk.folder / "release.toml").read_text() + "\n[output]\nexamples = false\n")
    desk.done("run", "release.toml", "--force")
    page = report(desk)
    assert "Ten records" not in page
    assert not any(line.split(",")[3] in page for line in people())


def test_values_that_look_like_markup_are_shown_and_not_obeyed(desk):
    nasty = '<img src=x onerror=alert(1)>&"quoted"'
    quoted = '"' + nasty.replace('"', '""') + '"'
    desk.table(*[f"{SECRET}-{i},{30 + i},{quoted},2024-01-0{1 + i},flu,n{i}" for i in range(6)])
    desk.write("town.csv", f"Ulm,south,*\nBonn,west,*\nKöln,west,*\n{quoted},{quoted},*\n")
    desk.done("run", "release.toml")
    html = report(desk)
    page = Outline(html)
    assert "img" not in page.tags
    assert nasty in page.text["ten-records-before-and-after"] + page.text["each-column-before-and-after"]
    assert "<img" not in html
