"""A release in the words of other programs."""

import json
from collections import Counter

import pandas as pd
import pyarrow as pa
import pytest
from jsonschema import Draft7Validator

import shoal
from shoal.promises.checking.check import check_release
from shoal.promises.describing.certificate_schema import certificate_schema
from shoal.promises.describing.published_types import Kind, published_kinds

PEOPLE = pd.DataFrame(
    {
        "age": [31, 33, 38, 52, 55, 57],
        "zip": ["01067", "01067", "01069", "89073", "89073", "89075"],
        "stay": [1.5, 2.0, 0.5, 3.0, 1.0, 2.5],
        "note, with a comma": ["a", None, "b", "c", "d", "e"],
    }
)
SCHEMA = (
    shoal.Schema(person="row")
    .with_column("age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.intervals(10, 20))
    .with_column("zip", role="quasi-identifier", hierarchy=shoal.prefixes(2))
    .with_column("stay", role="insensitive")
    .with_column("note, with a comma", role="insensitive")
)


@pytest.fixture(scope="module")
def release():
    made = shoal.OptimalLattice(k=3).anonymize(PEOPLE, SCHEMA)
    return made.described(title="People of 2024", owner="Data office", contact="office@example.org")


@pytest.fixture(scope="module")
def folder(release, tmp_path_factory):
    folder = tmp_path_factory.mktemp("described") / "release"
    release.write(folder, metadata=["datapackage", "csvw", "prov"])
    return folder


def read(folder, name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def test_a_data_package_has_the_files_size_and_digest_and_the_columns_in_order(folder):
    package, certificate = read(folder, "datapackage.json"), read(folder, "certificate.json")
    (resource,) = package["resources"]
    assert (package["name"], package["title"]) == ("people-of-2024", "People of 2024")
    assert resource["hash"] == certificate["files"]["data.csv"]
    assert resource["bytes"] == (folder / "data.csv").stat().st_size
    fields = [(field["name"], field["type"], field["shoal:role"]) for field in resource["schema"]["fields"]]
    assert fields == [
        ("age", "string", "quasi-identifier"),
        ("zip", "string", "quasi-identifier"),
        ("stay", "number", "insensitive"),
        ("note, with a comma", "string", "insensitive"),
    ]
    assert resource["schema"]["fields"][0]["description"].startswith("quasi-identifier; generalized to level ")
    assert "3-anonymous" in package["description"]


def test_csv_on_the_web_names_columns_as_their_titles(folder):
    described = read(folder, "data.csv-metadata.json")
    assert described["url"] == "data.csv"
    columns = described["tableSchema"]["columns"]
    header = (folder / "data.csv").read_text(encoding="utf-8").splitlines()[0]
    assert [column["titles"] for column in columns] == list(pd.read_csv(folder / "data.csv").columns)
    assert header
    assert columns[3]["name"] == "note%2C%20with%20a%20comma"
    assert [column["datatype"] for column in columns] == ["string", "string", "number", "string"]


def test_provenance_is_a_graph_whose_ends_are_all_there_and_says_nothing_of_the_original(folder):
    told = read(folder, "prov.json")
    nodes = {*told["entity"], *told["activity"], *told["agent"]}
    for relation in ("used", "wasGeneratedBy", "wasAssociatedWith", "wasAttributedTo"):
        for edge in told[relation].values():
            assert set(edge.values()) <= nodes
    assert told["entity"]["release:original"] == {"prov:label": "the original table, which is not published"}
    made = {edge["prov:entity"] for edge in told["wasGeneratedBy"].values()}
    assert made == {"release:data.csv", "release:README.md", "release:certificate.json"}
    assert told["agent"]["release:owner"]["prov:label"] == "Data office"


def test_descriptions_have_their_digests_in_the_certificate_and_are_checked(folder, release, tmp_path):
    assert set(read(folder, "certificate.json")["files"]) == {
        "data.csv",
        "README.md",
        "datapackage.json",
        "data.csv-metadata.json",
        "prov.json",
    }
    check_release(folder)
    again = tmp_path / "release"
    release.write(again, metadata=["prov"])
    (again / "prov.json").write_text("{}")
    with pytest.raises(shoal.DataError, match=r"prov\.json.* is not the file that"):
        check_release(again)


def test_certificates_are_as_their_schema_says(folder, release):
    schema = certificate_schema()
    Draft7Validator.check_schema(schema)
    written = read(folder, "certificate.json")
    Draft7Validator(schema).validate(written)
    Draft7Validator(schema).validate(json.loads(release.certificate.to_json()))
    for broken in ({"format": 2}, {"records": -1}, {"seeded": "no"}, {"unit": "flock"}, {"more": 1}):
        assert not Draft7Validator(schema).is_valid(written | broken)


@pytest.mark.parametrize("metadata", [["frictionless"], "prov", ["csvw"]], ids=["unknown", "text", "no CSV"])
def test_what_cannot_be_described_is_refused_before_anything_is_written(release, tmp_path, metadata):
    form = "parquet" if metadata == ["csvw"] else "csv"
    with pytest.raises(shoal.ParameterError, match="metadata must be a list of datapackage, csvw, prov"):
        release.write(tmp_path / "release", form, metadata=metadata)
    assert not list(tmp_path.iterdir())


def test_kinds_of_values_are_those_that_all_cells_have(tmp_path):
    columns = {
        "whole": (["1", "-2", ""], Kind.INTEGER),
        "number": (["1.5", "2", "3e-2"], Kind.NUMBER),
        "code": (["01", "12", "13"], Kind.TEXT),
        "day": (["2024-01-01", "", "1999-12-31"], Kind.DATE),
        "text": (["1", "2", "three"], Kind.TEXT),
        "range": (["1-2", "3-4", "5-6"], Kind.TEXT),
        "inf": (["inf", "1", "nan"], Kind.TEXT),
    }
    path = tmp_path / "data.csv"
    pd.DataFrame({name: cells for name, (cells, _) in columns.items()}).to_csv(path, index=False)
    assert published_kinds(path) == {name: kind for name, (_, kind) in columns.items()}
    pa.parquet = pytest.importorskip("pyarrow.parquet")
    pa.parquet.write_table(pa.table({"a": [1], "b": [1.5], "c": ["x"]}), tmp_path / "data.parquet")
    assert Counter(published_kinds(tmp_path / "data.parquet").values()) == {
        Kind.INTEGER: 1,
        Kind.NUMBER: 1,
        Kind.TEXT: 1,
    }
