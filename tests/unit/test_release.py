"""The certificate survives the way to a file and back; the report is one page for the owner, and safe to open."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

import pyarrow as pa
import pytest

import shoal
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors, attributes
from shoal.errors import DataError
from shoal.promises.certificate import Certificate
from shoal.promises.guarantee import Basis, Guarantee

NASTY = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def release():
    """A release in which names and values are as nasty as they can be."""
    table = pa.table(
        {
            NASTY: ["<b>bold</b>", "<b>bold</b>", "&amp;", "&amp;"],
            "a\nb": [1, 2, 3, 4],
            "'sick'": ["y", "n", "y", "n"],
        }
    )
    schema = shoal.Schema().with_column(NASTY, role="quasi-identifier").with_column("a\nb", role="quasi-identifier")
    schema = schema.with_column("'sick'", role="sensitive")
    return shoal.OptimalLattice(k=2, diversity=1.5, suppression_limit=0.0).anonymize(table, schema)


# Certificate


def test_a_certificate_survives_the_way_to_a_file_and_back(tmp_path, release):
    path = tmp_path / "certificate.json"
    path.write_text(release.certificate.to_json(), encoding="utf-8")
    back = Certificate.load(path)
    assert back == release.certificate
    assert back.to_json() == release.certificate.to_json()


def test_a_private_guarantee_survives_with_its_numbers(tmp_path):
    cost = PrivacyCost.of("0.9", "1e-6")
    guarantee = Guarantee("(0.9, 1e-06)-DP", Basis.PROVED, ("one record for each person",), Neighbors.ADD_REMOVE, cost)
    certificate = Certificate("safepub", {"epsilon": 0.9}, (guarantee,), (), (), 17, "0.1.0")
    path = tmp_path / "certificate.json"
    path.write_text(certificate.to_json(), encoding="utf-8")
    assert Certificate.load(path) == certificate


def test_a_certificate_reads_as_sentences(release):
    lines = str(release.certificate).splitlines()
    assert lines[0] == "4 records, anonymized with optimal-lattice."
    assert lines[1].startswith(
        "- 2-anonymous: every record shares its quasi-identifiers with at least 1 other (verified)"
    )
    assert lines[3] == "This takes for granted:"
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.pop("method"),
        lambda said: said.update(method=[]),
        lambda said: said.update(records="many"),
        lambda said: said.update(guarantees=5),
        lambda said: said["guarantees"][0].update(basis="hoped"),
        lambda said: said["guarantees"][0].update(neighbors="far"),
    ],
)
def test_a_damaged_certificate_is_refused(tmp_path, release, change):
    said = json.loads(release.certificate.to_json())
    change(said)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(said))
    with pytest.raises(DataError, match="is not a certificate of Shoal, or is damaged"):
        Certificate.load(path)


def test_a_certificate_names_the_protected_columns_and_is_read_back_with_them(tmp_path, release):
    cost = shoal.PrivacyCost.of(1, 0, attributes("age", "income"))
    private = replace(release.certificate, guarantees=(shoal.Guarantee("promise", shoal.Basis.PROVED, cost=cost),))
    path = tmp_path / "certificate.json"
    path.write_text(private.to_json())
    assert Certificate.load(path).guarantees[0].cost == cost
    said = json.loads(private.to_json())
    assert said["guarantees"][0]["protected"] == ["age", "income"]
    for change in (
        {"protected": []},
        {"protected": "age"},
        {"protected": [1]},
        {"neighbors": shoal.Neighbors.ADD_REMOVE.value},
    ):
        path.write_text(json.dumps(said | {"guarantees": [said["guarantees"][0] | change]}))
        with pytest.raises(DataError, match="is not a certificate of Shoal, or is damaged"):
            Certificate.load(path)


# Report


class Page(HTMLParser):
    """What a browser would see: tags, and what they ask for."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.asked, self.text, self.styles = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.asked += [
            value for name, value in attrs if name in ("src", "href", "action", "srcdoc", "data", "xlink:href")
        ]
        self.styles += [value for name, value in attrs if name.startswith("on")]

    def handle_data(self, data):
        self.text.append(data)


def test_the_report_needs_nothing_from_anywhere(release):
    html = release.report().html()
    page = Page(html)
    assert all(value.startswith("#") for value in page.asked)  # a part of the same picture
    assert page.styles == []
    assert not {"script", "iframe", "object", "link", "img", "form"} & {tag for tag, _ in page.tags}
    assert "@import" not in html
    assert re.findall(r"url\((?!#)", html) == []
    assert set(re.findall(r"https?://[^\"'\s<]+", html)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_the_report_is_marked_for_the_owner_at_its_top(release):
    html = release.report().html()
    assert "For the owner's eyes only: computed from the original records. Do not publish." in html
    body = html[html.index("<body") :]
    assert body.index("For the owner's eyes only") < body.index("<h1>")


def test_names_and_labels_are_shown_and_not_obeyed(release):
    html = release.report().html()
    assert NASTY not in html
    assert "<b>bold</b>" not in html
    assert NASTY in "".join(Page(html).text)


def test_every_picture_says_in_words_what_it_shows(release):
    pictures = re.findall(r"<svg[^>]*>.*?</svg>", release.report().html(), flags=re.DOTALL)
    assert len(pictures) >= 2
    titles = {}
    for picture in map(ET.fromstring, pictures):
        assert picture.get("role") == "img"
        titles[picture[0].text] = picture[1].text
    assert titles["Loss by quality model"].startswith("loss ")
    assert "Published groups by size" in titles
    assert all(titles.values())
    assert len(titles) == len(pictures)


def test_every_tag_that_is_opened_is_closed(release):
    html = release.report().html()
    for tag in ("table", "tbody", "tr", "td", "th", "svg", "ul", "li", "div", "h2", "p", "main", "body", "html"):
        assert len(re.findall(rf"<{tag}[\s>]", html)) == html.count(f"</{tag}>")


def test_the_report_gives_the_numbers_of_the_release(release):
    text = "".join(Page(release.report().html()).text)
    assert "All 4 records are represented by 4 published ones; the release is" in text
    for name, loss in release.facts.losses.items():
        assert name in text
        assert f"{loss:.4g}" in text


def test_the_report_saves_itself_and_shows_itself_in_a_notebook(tmp_path, release):
    path = release.report().save(str(tmp_path / "report.html"))
    assert path.read_text(encoding="utf-8") == release.report().html()
    shown = Page(release.report()._repr_html_())
    assert [tag for tag, _ in shown.tags] == ["iframe"]
    assert shown.tags[0][1]["srcdoc"] == release.report().html()


def test_what_was_computed_of_a_release_stays_computed_when_it_is_described(release):
    """In a paid run it was computed where a failure is contained."""
    facts = release.facts
    described = release.described(title="Visits")
    assert described.certificate.about.title == "Visits"
    assert described.facts is facts
