"""Descriptions of tables go in with `shoal init --metadata` and come out with `metadata` in [output]."""

import json
import tomllib

import pytest
from desk import listing

FIELDS = [
    {"name": "name", "type": "string", "title": "Full name", "shoal:role": "identifier"},
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 110}},
    {"name": "town", "type": "string", "constraints": {"enum": ["Ulm", "Bonn", "Köln", "Wien"]}},
    {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}},
    {"name": "illness", "type": "string", "categories": [{"value": "flu"}, {"value": "cold"}, {"value": "none"}]},
    {"name": "note", "type": "string"},
]
PACKAGE = {
    "name": "people",
    "resources": [
        {"name": "other", "path": "other.csv", "schema": {"fields": []}},
        {"name": "people", "path": "data/people.csv", "schema": {"fields": FIELDS, "missingValues": ["", "-"]}},
    ],
}
CSVW = {
    "@context": "http://www.w3.org/ns/csvw",
    "url": "people.csv",
    "tableSchema": {
        "columns": [
            {"titles": "name", "datatype": "string"},
            {"titles": ["age"], "datatype": {"base": "integer", "minimum": "0", "maximum": 110}, "null": ["", "-"]},
            {"titles": {"en": "town"}, "datatype": {"base": "string", "format": "Ulm|Bonn|Köln|Wien"}},
            {"name": "day", "datatype": {"base": "date", "minInclusive": "2024-01-01", "maxInclusive": "2024-12-31"}},
            {"name": "illness", "datatype": {"format": "flu|cold|none"}},
        ]
    },
}
DDI = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5"><dataDscr>
<var name="age"><labl>Age in years</labl><valrng><range min="0" max="110"/></valrng>
  <catgry missing="Y"><catValu>-</catValu></catgry></var>
<var name="town"><catgry><catValu>Ulm</catValu></catgry><catgry><catValu>Bonn</catValu></catgry>
  <catgry><catValu>Köln</catValu></catgry><catgry><catValu>Wien</catValu></catgry></var>
</dataDscr></codeBook>
"""
KINDS = {"datapackage.json": json.dumps(PACKAGE), "people.csv-metadata.json": json.dumps(CSVW), "codebook.xml": DDI}


@pytest.mark.parametrize("name", KINDS)
def test_what_a_description_lists_is_declared_and_a_private_method_takes_it(desk, name):
    desk.write(name, KINDS[name])
    desk.done("init", "people.csv", "--metadata", name, "-o", "guessed.toml")
    text = (desk.folder / "guessed.toml").read_text(encoding="utf-8")
    told = tomllib.loads(text)["columns"]
    age = told["age"].get("domain", {})
    assert {key: age.get(key) for key in ("from", "to", "observed")} in (
        {"from": 0, "to": 110, "observed": None},
        {"from": None, "to": None, "observed": None},  # a public hierarchy declares the ages
    )
    town = told["town"]
    values = town.get("domain") or [
        line.partition(",")[0] for line in (desk.folder / town["hierarchy"]).read_text().splitlines()[1:]
    ]
    assert sorted(values) == ["Bonn", "Köln", "Ulm", "Wien"]
    assert f"as {name} says" in text
    if name != "codebook.xml":
        assert (told["day"]["domain"]["from"].isoformat(), "observed" in told["day"]["domain"]) == ("2024-01-01", False)
        assert tomllib.loads(text)["data"]["missing"] == [""]  # of those that are listed, what occurs
    if name == "datapackage.json":
        assert told["name"]["role"] == "identifier"
        assert "Full name: " in text
    desk.done("run", "guessed.toml", "-o", "out")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", r"cannot be understood \(JSONDecodeError\)"),
        ("[]", "is a list or a single value"),
        ('{"resources": []}', "0 resources"),
        ('{"fields": [{"name": "other"}]}', "describes none of the columns"),
        ('{"fields": 3}', "no table schema with fields"),
        ('{"tableSchema": {}}', "no tableSchema with columns"),
        ("<codeBook/>", "describes no variables"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><x/>", "declares entities"),
        ("<x", "cannot be read as XML"),
    ],
)
def test_what_is_no_description_is_refused(desk, matches, content, sentence):
    desk.write("said.json", content)
    matches(sentence, desk.refused("init", "people.csv", "--metadata", "said.json", "-o", "guessed.toml", code=2))


def test_a_run_describes_its_release_and_the_description_is_read_again(desk, matches):
    desk.change("[method]", '[output]\nmetadata = ["datapackage", "csvw", "prov"]\n[method]')
    desk.done("run", "release.toml")
    assert set(listing(desk.folder / "release")) == {
        "README.md",
        "certificate.json",
        "data.csv",
        "data.csv-metadata.json",
        "datapackage.json",
        "prov.json",
    }
    desk.done("check", "release")
    desk.done("run", "release.toml", "--force")
    desk.done("init", "release/data.csv", "--metadata", "release/datapackage.json", "-o", "again.toml")
    roles = {
        name: column["role"]
        for name, column in tomllib.loads((desk.folder / "again.toml").read_text())["columns"].items()
    }
    assert roles["illness"] == "sensitive"
    desk.change('metadata = ["datapackage", "csvw", "prov"]', 'metadata = ["datapackages"]')
    matches(
        r"metadata must be a list of .*Did you mean 'datapackage'\?",
        desk.refused("run", "release.toml", "-o", "x", code=2),
    )
    desk.change('metadata = ["datapackages"]', 'format = "parquet"\nmetadata = ["csvw"]')
    matches("csvw describes a CSV file", desk.refused("run", "release.toml", "-o", "x", code=2))


def test_the_schema_of_certificates_is_printed(desk, matches):
    printed = json.loads(desk.done("schema", "certificate"))
    assert printed["title"] == "Certificate of a release made by Shoal"
    matches(r"got 'certificates'\. Did you mean 'certificate'\?", desk.refused("schema", "certificates", code=2))
