"""Where a table is: a URL says it, and no password is in it, or in what is said about it."""

from pathlib import Path

import pytest

from shoal.engines.lazy.addresses import Address, is_url
from shoal.engines.lazy.files import Computing
from shoal.errors import ParameterError

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{SECRET}@host/db",
        f"postgresql://me:{SECRET}@x@host/db",
        f"postgresql://:{SECRET}@host/db",
        f"postgresql://host/db?password={SECRET}",
        f"snowflake://me@account/db?warehouse=w&private_key={SECRET}",
        f"databricks://host/db?access_token={SECRET}",
        f"postgresql://host:{SECRET}/db",
        f"postgresql://[{SECRET}/db",
        f"postgresql:/me:{SECRET}@host/db",
    ],
)
def test_a_password_is_refused_and_not_repeated(url):
    assert is_url(url)
    with pytest.raises(ParameterError) as found:
        Address(url, "people")
    assert SECRET not in str(found.value)
    assert found.value.__cause__ is None


def test_who_connects_and_how_is_not_shown():
    address = Address("postgresql://me@host:5433/db?sslmode=require", "people")
    assert address.where == "postgresql://host:5433/db, table 'people'"
    assert Address("postgresql://host/db", query="SELECT 'SECRET123'").where == "postgresql://host/db, query"


def test_files_are_no_urls_and_drives_neither():
    assert not any(map(is_url, ("people.csv", "a/b.csv", "C:/people.csv", "/data/x:y.csv")))
    assert is_url("s3a://bucket/people")


@pytest.mark.parametrize(
    ("url", "wanted"),
    [("sqlite://people.db", "desk/people.db"), ("sqlite:///data/people.db", "/data/people.db"), ("mysql://h/d", None)],
)
def test_a_database_in_a_file_is_found_from_the_release_file(url, wanted):
    found = Address(url, "people", folder=Path("desk")).file
    assert found == (None if wanted is None else Path(wanted))


def test_a_database_has_a_table_or_a_query_and_a_lake_neither():
    for asked in ({}, {"table": "people", "query": "SELECT 1"}):
        with pytest.raises(ParameterError, match="give either table or query"):
            Address("sqlite://people.db", **asked)
    with pytest.raises(ParameterError, match="no tables or queries"):
        Address("hdfs://host/people", "people")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("dask",), "no engine 'dask'"),
        (("spark", "2GB"), "Spark has its own limits"),
        (("duckdb", "much"), "a size such as 2GB"),
        (("duckdb", "2GB'; DROP"), "a size such as 2GB"),
        (("duckdb", None, "local[2]"), "a Spark cluster"),
    ],
)
def test_an_engine_that_makes_no_sense_is_refused(given, said):
    with pytest.raises(ParameterError, match=said):
        Computing.named(*given)
