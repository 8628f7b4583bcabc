"""shoal attack: from published files and the original to findings that only the owner sees."""

import json
import re
import shutil

import pytest
from desk import NAMES, SECRET, listing, people

from shoal.attacks import Linkage
from shoal.pipeline import publish
from shoal.plan.plan import Plan

METHOD = '[method]\nname = "optimal-lattice"\nk = 3\n'


@pytest.fixture
def released(desk):
    desk.done("run", "release.toml")
    desk.write("others.csv", "\n".join([NAMES, *people(130)[60:], ""]))
    return desk


def attacks(desk, folder="release-attack-owner"):
    return json.loads((desk.folder / folder / "attack.json").read_text(encoding="utf-8"))


def test_a_release_is_attacked_and_only_the_owner_is_told(released):
    before = listing(released.folder / "release")
    printed = released.done("attack", "release/", "--original", "people.csv", "--control", "others.csv")
    assert "picks the nearest published record is right in" in printed
    assert "asks a naive-bayes classifier trained on the release guesses illness right" in printed
    assert "the advantage over guessing is" in printed
    assert "Not tried: overlap" in printed
    assert "Not tried: epsilon. The release does not promise differential privacy" in printed
    assert "Not tried: composition" in printed
    assert "The control group has 70 people." in printed
    assert "findings (must not be published): release-attack-owner/attack.html" in printed
    assert listing(released.folder / "release") == before
    assert {p.name for p in (released.folder / "release-attack-owner").iterdir()} == {"attack.html", "attack.json"}
    page = (released.folder / "release-attack-owner" / "attack.html").read_text(encoding="utf-8")
    assert "For the owner's eyes only" in page
    assert "<script" not in page
    assert page.count("<svg") == page.count('role="img"') == len(attacks(released)["attacks"])
    for raw in ("person-1", "person-2", "note 1", "2024-01-05"):
        assert raw not in page + printed


def test_what_is_found_by_reading_files_is_what_the_release_itself_gives(released):
    printed = released.done("attack", "release", "--original", "people.csv", "--json", "--targets", "1000")
    release = publish(Plan.load(released.folder / "release.toml"))
    expected = Linkage(targets=1000).on(release.outcome)
    first = json.loads(printed)["attacks"][0]
    assert first["sentence"] == str(expected)
    assert first["rates"]["nearest record"]["value"] == pytest.approx(expected.success.value)
    assert first["details"]["known"] == ["age", "town", "day"]


def test_a_release_file_stands_for_its_release_and_its_data(released):
    by_folder = released.done("attack", "release", "--original", "people.csv", "--json", "-o", "one")
    by_file = released.done("attack", "release.toml", "--json", "-o", "two")
    one, two = json.loads(by_folder), json.loads(by_file)
    assert one["attacks"] == two["attacks"]
    assert one["attacks"] == attacks(released, "one")["attacks"]
    assert {one["findings"], two["findings"]} == {"one", "two"}


def test_two_releases_of_the_same_people_are_laid_on_top_of_each_other(released):
    released.change(METHOD, '[method]\nname = "mondrian"\nk = 2\n')
    released.done("run", "release.toml", "-o", "second")
    printed = released.done("attack", "release", "--original", "people.csv", "--also", "second")
    found = re.search(r"singles out ([0-9.]+)% .* with this release alone ([0-9.]+)%, with the other alone", printed)
    assert float(found[1]) >= float(found[2])
    assert "is certain about illness, and right," in printed


def test_overlapping_sets_are_solved(desk):
    desk.change(METHOD, '[method]\nname = "nsvdist"\nk = 3\ndiversity = 1.5\nmode = "as_published"\n')
    desk.done("run", "release.toml")
    certificate = json.loads((desk.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    disclosed = re.search(r"of ([\d,]+) \(", certificate["findings"][0])[1]
    desk.done("attack", "release", "--original", "people.csv")
    (solved,) = [one for one in attacks(desk)["attacks"] if one["attack"] == "overlap"]
    assert round(solved["details"]["certain"]["value"] * 60) == int(disclosed)


def test_a_private_method_is_run_again_and_again(desk):
    desk.write("people.csv", "\n".join([NAMES, *people(400), ""]))
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    desk.change(
        METHOD,
        '[method]\nname = "safepub"\nepsilon = 2.0\ndelta = 1e-2\nschemes = [{ age = 3, town = 1, day = 3 }]\n'
        '\n[budget]\nledger = "books"\n',
    )
    desk.done("run", "release.toml")
    books = listing(desk.folder / "books")
    desk.done("attack", "release", "--original", "people.csv", "--seconds", "2")
    found = [one for one in attacks(desk)["attacks"] if one["attack"] == "epsilon"]
    assert found[0]["details"]["promised"] == 2
    assert 0 <= found[0]["details"]["epsilon"] <= 2
    assert listing(desk.folder / "books") == books  # nothing is published, so nothing is charged
    skipped = json.loads(desk.done("attack", "release.toml", "--seconds", "0", "--force", "--json"))["not_tried"]
    assert "--seconds 0" in next(one["why"] for one in skipped if one["attack"] == "epsilon")


def test_findings_are_not_overwritten_and_never_put_into_the_release(released):
    command = ("attack", "release", "--original", "people.csv")
    released.done(*command)
    assert "exists already" in released.refused(*command)
    released.done(*command, "--force")
    assert "may be published" in released.refused(*command, "-o", "release/attack")
    assert "may be published" in released.refused(*command, "-o", "release")


def test_what_does_not_belong_together_is_refused(released):
    command = ("attack", "release", "--original")
    released.write("fewer.csv", "\n".join([NAMES, *people(40), ""]))
    assert "made from another table" in released.refused(*command, "fewer.csv")
    shifted = [line.replace("Ulm", "Bonn") for line in people()]
    released.write("shifted.csv", "\n".join([NAMES, *shifted, ""]))
    assert "made from another table" in released.refused(*command, "shifted.csv")
    released.write("renamed.csv", "\n".join([NAMES.replace("town", "city"), *people(), ""]))
    assert "'town' is declared and not in the data" in released.refused(*command, "renamed.csv")
    released.write("strange.csv", "\n".join([NAMES, *people(), f"p,20,{SECRET},2024-01-01,flu,note", ""]))
    assert "column 'town', record 61" in released.refused(*command, "strange.csv")
    assert "does not exist" in released.refused(*command, "nowhere.csv")
    assert "needs its original" in released.refused("attack", "release", code=2)


def test_a_damaged_release_is_refused(released):
    data, certificate = (released.folder / "release" / name for name in ("data.csv", "certificate.json"))
    whole, said = data.read_text(encoding="utf-8"), certificate.read_text(encoding="utf-8")
    command = ("attack", "release", "--original", "people.csv")
    released.write("release/data.csv", re.sub(r'"?(west|south|Ulm|Bonn|\*)"?', f'"{SECRET}"', whole))
    assert "is not in the domain or hierarchy" in released.refused(*command)
    released.write("release/data.csv", "\n".join(whole.splitlines()[:-1]) + "\n")
    assert "certificate says" in released.refused(*command)
    released.write("release/data.csv", whole)
    released.write("release/certificate.json", said.replace('"optimal-lattice"', '"mondrian"'))
    assert "was made with mondrian" in released.refused(*command)
    released.write("release/certificate.json", said.replace('"role"', '"roll"'))
    assert "does not fit the release file" in released.refused(*command)
    released.write("release/certificate.json", "{}")
    assert "not a certificate" in released.refused(*command)
    assert "is not a folder" in released.refused("attack", "nowhere", "--original", "people.csv")


def test_the_release_file_is_found_beside_the_release_or_named(released):
    command = ("attack", "release", "--original", "people.csv")
    shutil.rmtree(released.folder / "release-owner")
    assert "give the release file with --plan" in released.refused(*command)
    assert "nearest published record" in released.done(*command, "--plan", "release.toml")


def test_a_copied_release_file_whose_hierarchies_are_gone_asks_for_the_original_one(released):
    (released.folder / "town.csv").rename(released.folder / "elsewhere.csv")
    assert "with --plan" in released.refused("attack", "release", "--original", "people.csv")


def test_a_control_group_that_cannot_be_one_is_refused(released):
    command = ("attack", "release", "--original", "people.csv", "--control")
    assert "is the original itself" in released.refused(*command, "people.csv")
    released.write("bare.csv", "age,town\n30,Ulm\n")
    assert "has no column 'day', 'illness'" in released.refused(*command, "bare.csv")
    released.write("far.csv", f"{NAMES}\np,30,{SECRET},2024-01-01,flu,note\n")
    assert "no person whose values are all in the domains" in released.refused(*command, "far.csv")
    released.write("few.csv", "\n".join([NAMES, *people(70)[60:], f"p,30,{SECRET},2024-01-01,flu,note", ""]))
    printed = released.done(*command, "few.csv")
    assert "The control group has 10 people; 1 were left out" in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--known", "0"), "share of columns"),
        (("--known", "1.5"), "share of columns"),
        (("--targets", "0"), "number of people"),
        (("--learner", "oracle"), "is no learner"),
        (("--seconds", "-1"), "seconds must be 0 or more"),
    ],
)
def test_options_that_make_no_sense_are_refused(released, arguments, sentence):
    assert sentence in released.refused("attack", "release", "--original", "people.csv", *arguments, code=2)
