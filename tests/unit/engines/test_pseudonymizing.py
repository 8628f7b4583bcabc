"""Pseudonyms of identifiers: the same for the same key, one for each record, refused where they would link or tell."""

import hmac
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.data.schema import Pseudonyms
from shoal.engines import pseudonymizing
from shoal.engines.pseudonymizing import KEY, KeyPlace
from shoal.engines.reading.keyed_source import KeyedSource
from shoal.engines.reading.source import TableSource
from shoal.errors import DataError, SchemaError

IDS = [f"P{i:03d}" for i in range(40)]


@pytest.fixture(autouse=True)
def at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def people(ids=IDS):
    return pa.table({"id": ids, "age": [20 + i % 4 for i in range(len(ids))], "ill": list("ab") * (len(ids) // 2)})


def schema(pseudonym, **data):
    made = shoal.Schema(**data).with_column("id", role="identifier", pseudonym=pseudonym)
    made = made.with_column("age", role="quasi-identifier", domain=(0, 99))
    return made.with_column("ill", role="sensitive")


METHODS = [shoal.Mondrian(k=5), shoal.LocalRecoding(k=5), shoal.MDAV(k=5), shoal.OLA(k=5), shoal.CellSuppression(k=5)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_record_has_the_pseudonym_of_its_identifier(method, tmp_path):
    release = method.anonymize(people(), schema("linked"))
    secret = KeyPlace(tmp_path / "shoal").secret("id", Pseudonyms.LINKED)
    expected = {hmac.digest(secret, name.encode(), "sha256").hex()[:20]: i for i, name in enumerate(IDS)}
    rows = release.data.to_pylist()
    assert sorted(row["id"] for row in rows) == sorted(expected)
    assert all(row["ill"] == "ab"[expected[row["id"]] % 2] for row in rows)
    assert {"name": "id", "role": "keyed"} in release.certificate.columns
    told = [text for guarantee in release.certificate.guarantees for text in guarantee.assumptions]
    assert any(text.endswith("whoever has it knows whose records are whose: id") for text in told)
    assert any("whoever has several can join them" in text for text in told)


def test_linked_pseudonyms_are_the_same_in_all_releases_and_others_in_none(tmp_path):
    def published(kind):
        return set(shoal.Mondrian(k=5).anonymize(people(), schema(kind)).data["id"].to_pylist())

    assert published("linked") == published("linked")
    assert not published("release") & published("release")
    assert (tmp_path / "shoal" / KEY).stat().st_mode & 0o077 == 0
    place = KeyPlace(tmp_path / "shoal", "june")
    same, other = place, KeyPlace(tmp_path / "shoal", "july")
    secrets = [p.secret("id", Pseudonyms.RELEASE) for p in (place, same, other)]
    assert secrets[0] == secrets[1] != secrets[2]
    assert place.secret("name", Pseudonyms.LINKED) != place.secret("id", Pseudonyms.LINKED)


def test_runs_that_begin_at_once_share_one_key(tmp_path, monkeypatch):
    place = KeyPlace(tmp_path / "shoal")
    monkeypatch.setattr(pseudonymizing, "read_key", lambda _: None)  # each of them has looked before any wrote
    with ThreadPoolExecutor(8) as threads:
        secrets = set(threads.map(lambda _: place.secret("id", Pseudonyms.LINKED), range(8)))
    assert len(secrets) == 1
    assert [path.name for path in (tmp_path / "shoal").iterdir()] == [KEY]
    monkeypatch.undo()
    assert {place.secret("id", Pseudonyms.LINKED)} == secrets


def test_missing_identifiers_stay_missing_and_numbers_are_named_as_text():
    source = KeyedSource(TableSource(pa.table({"id": [7, None, 8], "x": [1, 2, 3]})), {"id": b"k" * 32}, ("8",))
    ((batch, _),) = source.batches(["x", "id"])
    assert batch.column(1).to_pylist() == [hmac.digest(b"k" * 32, b"7", "sha256").hex()[:20], None, None]
    assert source.types()["id"] == pa.string()
    frame = shoal.Mondrian(k=5).anonymize(people().to_pandas(), schema("release")).data
    assert isinstance(frame, pd.DataFrame)
    assert frame["id"].str.fullmatch("[0-9a-f]{20}").all()


def test_what_would_link_records_or_tell_of_them_is_refused():
    with pytest.raises(DataError, match=r"2 of its values stand in more than one record, which it would link"):
        shoal.Mondrian(k=5).anonymize(people(IDS[:38] + IDS[:2]), schema("release"), one_record_each=True)
    declared = schema("release").with_column("ill", domain=["a", "b"])
    with pytest.raises(SchemaError, match="void what safepub promises"):
        shoal.SafePub(epsilon=1, delta=1e-5).anonymize(people(), declared.with_person("row"))
    with pytest.raises(SchemaError, match="does not say which published record is whose"):
        shoal.NHAA(diversity=2).anonymize(people(), schema("release"))
    table = people().append_column("who", [[name[:3] for name in IDS]])
    with pytest.raises(SchemaError, match=r"would link the records of a person; .* pseudonym = true in \[data\]"):
        shoal.Mondrian(k=3).anonymize(table, schema("release", person="who"))
    with pytest.raises(SchemaError, match="made on this machine"):
        shoal.Mondrian(k=5).anonymize(pl.from_arrow(people()).lazy(), schema("release"))
    with pytest.raises(SchemaError, match="no meaning with the role 'sensitive'"):
        schema("release").with_column("id", role="sensitive")
    with pytest.raises(SchemaError, match="is what a release makes of an identifier"):
        shoal.data.schema.Column("id", shoal.Role.KEYED)


def test_a_release_file_says_it(tmp_path):
    from shoal.plan.plan import Plan

    text = '[data]\npath = "x.csv"\n[columns.id]\nrole = "identifier"\npseudonym = {}\n[columns.age]\n'
    text += 'role = "quasi-identifier"\n[method]\nname = "mondrian"\n'
    kinds = {"true": Pseudonyms.RELEASE, '"linked"': Pseudonyms.LINKED, "false": None}
    for said, kind in kinds.items():
        (tmp_path / "release.toml").write_text(text.format(said))
        assert Plan.load(tmp_path / "release.toml").schema["id"].pseudonym is kind
    (tmp_path / "release.toml").write_text(text.format('"same"'))
    with pytest.raises(shoal.PlanError, match='pseudonym is true, "release" or "linked"'):
        Plan.load(tmp_path / "release.toml")
