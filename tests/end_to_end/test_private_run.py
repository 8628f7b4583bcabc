"""A private release: paid before a record is looked at, refused when the budget is spent, checked like any other."""

import gzip
import json

import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from desk import NAMES, SECRET, listing, people

PRIVATE = """[method]
name = "safepub"
epsilon = 2.0
delta = 1e-3
schemes = [{ age = 3, town = 1, day = 3 }]

[budget]
limit = { epsilon = 3.0, delta = 1e-2 }
ledger = "books"
"""


@pytest.fixture
def private(desk):
    desk.write("people.csv", "\n".join([NAMES, *people(2000), f"{SECRET},5,{SECRET},{SECRET},{SECRET},{SECRET}"]))
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    desk.change('[method]\nname = "optimal-lattice"\nk = 3\n', PRIVATE)
    return desk


def test_a_private_release_is_proved_checked_and_booked(private):
    printed = private.done("run", "release.toml")
    assert "(2, 0.001)-DP (proved)" in printed
    certificate = json.loads((private.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    assert [guarantee["basis"] for guarantee in certificate["guarantees"]] == ["proved", "verified"]
    assert SECRET not in (private.folder / "release" / "data.csv").read_text(encoding="utf-8")
    assert "holds" in private.done("check", "release")
    booked = json.loads(private.done("ledger", "people.csv", "--store", "books", "--json"))
    assert booked["ledger"] == "books"
    assert booked["spent"] == [{"epsilon": 2.0, "delta": 0.001, "neighbors": "add/remove one record"}]


def test_a_budget_that_is_spent_is_refused_and_the_release_stays_as_it_was(private):
    private.done("run", "release.toml")
    before = {name: content for name, content in listing(private.folder).items() if not name.startswith("books")}
    result = private.shoal("run", "release.toml", "--force")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "epsilon" in result.stderr or "limit" in result.stderr
    after = {name: content for name, content in listing(private.folder).items() if not name.startswith("books")}
    assert after == before


def test_a_value_outside_its_domain_is_no_error_for_that_would_tell_of_a_record(private):
    private.change("limit = { epsilon = 3.0, delta = 1e-2 }\n", "")
    private.done("run", "release.toml")
    private.write("people.csv", "\n".join([NAMES, *people(2000)]))
    private.done("run", "release.toml", "--force")


@pytest.mark.parametrize("content", ["", "name,age\n", "\x00\x01"])
def test_a_table_that_cannot_be_read_costs_nothing(private, content):
    private.write("people.csv", content)
    private.refused()
    assert not (private.folder / "books").exists()


def test_a_second_release_file_without_a_budget_is_bound_by_the_first(private):
    private.change("limit = { epsilon = 3.0, delta = 1e-2 }\n", "")
    private.done("run", "release.toml")
    raised = private.done("ledger", "release.toml", "--raise", "epsilon=3,delta=1e-2")
    assert "left are epsilon = 1, " in " ".join(raised.split())  # the release file says where the books are
    again = private.shoal("run", "release.toml", "--force")
    assert again.exit_code == 1
    assert "set by its owner on" in again.stderr
    private.done("ledger", "release.toml", "--raise", "epsilon=4,delta=1e-2")
    private.done("run", "release.toml", "--force")


@pytest.mark.parametrize("name", ["sorted.csv", "people.csv.gz", "people.parquet"])
def test_another_copy_of_the_table_has_the_same_budget(private, name):
    private.done("run", "release.toml")
    header, *rows = (private.folder / "people.csv").read_text(encoding="utf-8").splitlines()
    if name == "sorted.csv":
        private.write(name, "\n".join([header, *sorted(rows, reverse=True)]))
    elif name == "people.csv.gz":
        private.write(name, gzip.compress((private.folder / "people.csv").read_bytes()))
    else:
        pq.write_table(pc.read_csv(private.folder / "people.csv"), private.folder / name)
    private.change("people.csv", name)
    private.change("limit = { epsilon = 3.0, delta = 1e-2 }\n", "")
    again = private.shoal("run", "release.toml", "--force")
    assert again.exit_code == 1
    assert "the limit is epsilon = 3, delta = 0.01 (add/remove one record), set by release" in again.stderr


def test_a_limit_may_name_its_relation(private):
    limit = "limit = { epsilon = 3.0, delta = 1e-2 }"
    private.change(limit, 'limit = { epsilon = 3.0, delta = 1e-2, neighbors = "replace" }')
    refused = private.shoal("run", "release.toml")
    assert refused.exit_code == 1
    assert "it costs epsilon = 4," in refused.stderr  # add/remove counts double
    private.change("epsilon = 3.0, delta", "epsilon = 5.0, delta")
    private.done("run", "release.toml")
    told = json.loads(private.done("ledger", "release.toml", "--json"))
    assert told["limits"][0]["neighbors"] == "replace one record, the number of records is public"
    assert told["limits"][0]["left"]["epsilon"] == 1
