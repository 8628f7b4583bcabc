"""From `shoal init` to a private release: what was taken from the data is refused until the owner has confirmed it."""

import json

import pytest

METHOD = """[method]
name = "safepub"
epsilon = 3.0
delta = 1e-2
schemes = [{ visits = 2, town = 1 }]

[budget]
ledger = "books"
"""


@pytest.fixture
def begun(desk):
    """A release file that `init` made, with a private method in it."""
    towns = ("Ulm", "Bonn", "Köln")
    lines = [f"person-{i},{20 + i % 40},{towns[i % 3]}" for i in range(3000)]
    desk.write("people.csv", "\n".join(["name,visits,town", *lines, ""]))
    desk.done("init", "people.csv", "--force")
    text = (desk.folder / "release.toml").read_text(encoding="utf-8")
    desk.write("release.toml", text.split("[method]")[0] + METHOD)
    return desk


def said(desk):
    return (desk.folder / "release.toml").read_text(encoding="utf-8")


def assumptions(desk):
    certificate = json.loads((desk.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    return [text for guarantee in certificate["guarantees"] for text in guarantee["assumptions"]]


def refused_after_list(desk, *arguments):
    """The sentence with which a command refuses, after it may have listed what was taken."""
    result = desk.shoal(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")
    return result.stderr


def test_what_init_took_from_the_data_is_refused(begun):
    assert "confirm that with `shoal declare`" in begun.refused()
    assert not (begun.folder / "books").exists()


def test_removing_observed_is_not_enough(begun):
    begun.write(
        "release.toml", said(begun).replace(", observed = true", "").replace("domain = { observed = true }", "")
    )
    assert "observed" not in said(begun).split("[data]")[1]
    sentence = begun.refused()
    assert "the values of 'town' in " in sentence
    assert "were seen in the data" in sentence
    assert not (begun.folder / "books").exists()


def test_what_the_owner_confirms_is_published_and_stands_in_the_certificate(begun):
    before = said(begun)
    told = begun.done("declare", "release.toml", "--yes")
    assert "visits: numbers from 20 to 59 in steps of 1\n" in told
    assert "town: 3 values in hierarchies/town.csv\n" in told
    assert "without having seen the table" in told
    assert said(begun) == before[: (at := before.index("[data]"))] + before[at:].replace("observed", "confirmed")
    begun.done("run", "release.toml")
    (about,) = {text for text in assumptions(begun) if "taken from" in text}
    assert about == (
        "domains, hierarchies and parameters are public and were not taken from the data, but for values first taken "
        "from it which the owner confirmed to be public knowledge (visits, town)"
    )
    assert begun.done("declare", "release.toml") == "Nothing in release.toml is marked as taken from the data.\n"


def test_values_that_the_owner_edits_are_the_owners_and_the_certificate_says_so(begun):
    file = begun.folder / "hierarchies" / "town.csv"
    begun.write("hierarchies/town.csv", file.read_text(encoding="utf-8") + "Mainz,*\n")
    begun.change("from = 20, to = 59, step = 1, observed = true", "from = 0, to = 99")
    begun.change("domain = { observed = true }", "")
    begun.done("run", "release.toml")
    (about,) = {text for text in assumptions(begun) if "taken from" in text}
    assert about.endswith("but for values first taken from it which the owner has edited, and so declared (town)")


def test_of_a_method_that_takes_no_domain_for_granted_the_values_stand_by_themselves(begun):
    begun.done("declare", "release.toml", "--yes")
    begun.change(said(begun)[said(begun).index("[method]") :], '[method]\nname = "ola"\nk = 2\n')
    begun.done("run", "release.toml")
    (about,) = {text for text in assumptions(begun) if "taken from" in text}
    assert about == "values first taken from the data, which the owner confirmed to be public knowledge: visits, town"


def test_values_that_another_init_takes_have_to_be_confirmed_again(begun):
    begun.done("declare", "release.toml", "--yes")
    kept = said(begun)
    begun.write("people.csv", (begun.folder / "people.csv").read_text(encoding="utf-8") + "somebody,33,Aalen\n")
    begun.done("init", "people.csv", "--force")
    begun.write("release.toml", kept)
    assert "were seen in the data" in begun.refused()


def test_columns_are_confirmed_one_by_one(begun):
    told = json.loads(begun.done("declare", "release.toml", "--column", "town", "--json"))
    assert told["confirmed"] == ["town"]
    assert told["left"] == ["visits"]
    assert len(told["files"]) == 2
    assert "the domain of 'visits' is not declared" in begun.refused()
    sentence = refused_after_list(begun, "declare", "release.toml", "--column", "visitss")
    assert "Did you mean 'visits'?" in sentence


def test_a_hierarchy_file_is_confirmed_by_itself(begun):
    assert "town.csv: 3 values" in begun.done("declare", "hierarchies/town.csv", "--yes")
    assert "the domain of 'visits', 'town' is not declared" in begun.refused()
    assert "Nothing in" in begun.done("declare", "hierarchies/town.csv")


def test_nobody_is_asked_where_nobody_is(begun):
    before = said(begun)
    assert "--yes" in refused_after_list(begun, "declare", "release.toml")
    assert said(begun) == before


@pytest.mark.parametrize(
    ("answers", "confirmed"), [([True, False], "visits"), ([False, True], "town"), ([False, False], "")]
)
def test_the_owner_is_asked_about_each(begun, monkeypatch, answers, confirmed):
    import typer

    replies = iter(answers)
    monkeypatch.setattr(typer, "confirm", lambda *_, **__: next(replies))
    monkeypatch.setattr("shoal.cli.declare._is_terminal", lambda: True)
    told = begun.done("declare", "release.toml")
    assert (f"noted in {1 + (confirmed == 'town')} file" in told) if confirmed else ("Nothing was confirmed" in told)
    assert told.count(f": {confirmed}.") == bool(confirmed)


@pytest.mark.parametrize("path", ["absent.toml", "absent.csv", "people.csv", "hierarchies"])
def test_what_cannot_be_declared_is_refused(begun, path):
    result = begun.shoal("declare", path, "--yes")
    assert result.exit_code in (1, 2), result.output
    assert result.stderr.count("\n") == 1


ODD = [
    "[columns.visits]\nrole = 'quasi-identifier'\n[columns.visits.domain]\nfrom = 0\nto = 9\nobserved = true\n",
    """[columns."visits"] # observed = true
role = 'quasi-identifier'
domain = { observed = true, from = 0, to = 9 }
""",
    "[columns]\nvisits = { role = 'quasi-identifier', domain = { observed = true, from = 0, to = 9 } }\n",
]


@pytest.mark.parametrize("columns", ODD)
def test_a_release_file_is_changed_rightly_or_not_at_all(desk, columns):
    desk.write("odd.toml", f'[data]\npath = "people.csv"\n{columns}[method]\nname = "optimal-lattice"\nk = 3\n')
    before = (desk.folder / "odd.toml").read_bytes()
    result = desk.shoal("declare", "odd.toml", "--yes")
    if columns in ODD[:2]:
        assert result.exit_code == 0, result.output
        assert "# observed = true" in columns or "observed" not in (desk.folder / "odd.toml").read_text()
        assert "Nothing in" in desk.done("declare", "odd.toml")
    else:
        assert result.exit_code == 2
        assert "write confirmed = true instead of observed = true in the domain of 'visits' yourself" in result.stderr
        assert (desk.folder / "odd.toml").read_bytes() == before


def test_observed_and_confirmed_is_refused(begun):
    begun.change("observed = true }  # the smallest", "observed = true, confirmed = true }  # the smallest")
    assert "observed, or confirmed, and not both" in begun.refused(code=2)


def test_there_must_be_values_to_confirm(desk):
    desk.change('domain = ["flu", "cold", "none"]', "domain = { confirmed = true }")
    assert "there are no values to confirm" in desk.refused(code=2)


def test_a_table_is_no_hierarchy_and_none_of_its_values_is_shown(desk):
    desk.write("people.csv", "name,town\nQuokka,Ulm\nWombat,Bonn\n")
    sentence = desk.refused("declare", "people.csv")
    assert "people.csv is no hierarchy file" in sentence
    assert not any(value in sentence for value in ("Quokka", "Wombat", "Ulm", "Bonn", "town"))
