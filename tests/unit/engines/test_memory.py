"""A limit to memory: read, kept, lifted again; and refused by what is declared where a method is private."""

import time

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.engines.memory import bytes_of, kept_limit, memory_limit
from shoal.errors import InfeasibleError, ParameterError

QUASI = "quasi-identifier"


def numbers(rows):
    return pa.table({"x": np.arange(rows), "y": np.arange(rows)[::-1]})


def schema(width, **more):
    made = shoal.Schema(**more).with_column("x", role=QUASI, domain=(0, width))
    return made.with_column("y", role=QUASI, domain=(0, width))


@pytest.mark.parametrize(
    ("size", "expected"), [("2GB", 2**31), ("500 MB", 500 * 2**20), ("1.5 GiB", 3 * 2**29), ("7kb", 7168)]
)
def test_sizes_are_read(size, expected):
    assert bytes_of(size) == expected


@pytest.mark.parametrize("size", ["2", "GB", "-1GB", "2 GB or so", ""])
def test_other_sizes_are_refused(size):
    with pytest.raises(ParameterError, match="2GB or 500MB"), memory_limit(size):
        pass


def test_what_takes_more_is_stopped(monkeypatch):
    monkeypatch.setattr(shoal.engines.memory, "LIBRARIES_BYTES", 0)
    held = [0]
    monkeypatch.setattr(shoal.engines.memory, "_in_use", lambda: held[0] * 2**20 + 1)
    refused = pytest.raises(InfeasibleError, match="9MB of memory are not enough for this table and method; leave out")
    with refused, memory_limit("9MB"), kept_limit():
        held[0] = 20
        time.sleep(0.5)
    time.sleep(0.05)  # nothing comes later


@pytest.mark.parametrize(("size", "taken"), [("79MB", 80), ("200MB", 250)])
def test_a_limit_below_what_the_process_itself_takes_is_not_blamed_on_the_table(size, taken, monkeypatch):
    held = [80]
    monkeypatch.setattr(shoal.engines.memory, "_in_use", lambda: held[0] * 2**20)
    told = f"^{size} of memory are not enough: the process itself takes about 330 MB, .* allow at least 400MB.$"
    refused = pytest.raises(InfeasibleError, match=told)
    with refused, memory_limit(size), kept_limit():
        held[0] = taken
        time.sleep(0.5)


def test_what_takes_less_goes_on():
    with memory_limit("100GB"), kept_limit():
        time.sleep(0.03)
    with kept_limit():
        pass


def test_distinct_records_that_cannot_fit_are_refused_before_a_method_begins(monkeypatch):
    with memory_limit("8GB"):
        shoal.Mondrian(k=2).anonymize(numbers(100), schema(100))
        monkeypatch.setattr(shoal.engines.memory, "CELL_BYTES", 2**30)
        monkeypatch.setattr(shoal.Mondrian, "run", None)
        with pytest.raises(InfeasibleError, match="100 distinct records of 2 columns take mondrian"):
            shoal.Mondrian(k=2).anonymize(numbers(100), schema(100))


@pytest.mark.parametrize("rows", [0, 5, 2000])
def test_private_methods_are_refused_by_declared_domains_whatever_the_records(rows, tmp_path):
    ledger = shoal.Ledger(tmp_path)
    method = shoal.SafePub(epsilon=1, delta=1e-6)
    with memory_limit("500MB"):
        with pytest.raises(ParameterError, match=r"safepub is private.* or give a floor"):
            method.anonymize(numbers(rows), schema(9_999, person="row"), ledger=ledger)
        with pytest.raises(ParameterError, match=r"leave the limit out, or declare coarser domains\.$"):
            shoal.Marginals(epsilon=1).anonymize(numbers(rows), schema(9_999, person="row"), ledger=ledger)
        assert not list(tmp_path.iterdir())  # nothing was paid for
        method.anonymize(numbers(rows).slice(0, 100), schema(100, person="row"), ledger=ledger)
