"""Rows come back by record, none lost, none moved to another, equal ones in an order that the input did not have."""

import tempfile
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from shoal.engines.writing import scatter
from shoal.engines.writing.scatter import Scatter


def through(records, labels, batch):
    sizes = np.bincount(records)
    with Scatter(sizes) as dealt:
        for start in range(0, len(records), batch):
            rows = pa.table({"x": labels[start : start + batch]})
            dealt.add(np.array(records[start : start + batch], dtype=np.int64), rows)
        return [(int(r), x) for got, rows in dealt.gather() for r, x in zip(got, rows["x"].to_pylist(), strict=True)]


@pytest.fixture(params=[1 << 20, 100, 7, 1], ids=lambda rows: f"buckets of {rows}")
def buckets(request, monkeypatch):
    monkeypatch.setattr(scatter, "BUCKET_ROWS", request.param)


@pytest.mark.usefixtures("buckets")
@pytest.mark.parametrize("batch", [1000, 11])
def test_rows_are_ordered_by_record_and_keep_their_company_whatever_the_buckets(batch):
    records = [(i * i) % 6 for i in range(60)]
    got = through(records, [f"{record}/{i}" for i, record in enumerate(records)], batch)
    assert [record for record, _ in got] == sorted(records)
    assert sorted(x for _, x in got) == sorted(f"{record}/{i}" for i, record in enumerate(records))
    assert all(x.startswith(f"{record}/") for record, x in got)


@pytest.mark.usefixtures("buckets")
def test_equal_records_are_shuffled():
    """64 equal rows in their own order by chance: once in 10^89; as few falls as 4: less often than once in 10^50."""
    got = [x for _, x in through([0] * 64, list(range(64)), 16)]
    assert got != list(range(64))
    assert sorted(got) == list(range(64))
    assert sum(a < b for a, b in pairwise(got)) < 60


def test_one_record_may_fill_many_buckets_and_every_bucket_stays_near_its_size(monkeypatch):
    """Far more rows in a bucket than its size: below 10^-9 by Chernoff's bound."""
    monkeypatch.setattr(scatter, "BUCKET_ROWS", 1000)
    with Scatter(np.array([20_000])) as dealt:
        dealt.add(np.zeros(20_000, dtype=np.int64), pa.table({"x": np.arange(20_000)}))
        parts = [len(records) for records, _ in dealt.gather()]
    assert len(parts) == 20
    assert max(parts) < 1300


def test_there_are_never_more_buckets_than_may_be_open_at_once(monkeypatch):
    monkeypatch.setattr(scatter, "BUCKET_ROWS", 2)
    monkeypatch.setattr(scatter, "_MOST_BUCKETS", 5)
    with Scatter(np.array([7, 94])) as dealt:
        dealt.add(np.repeat([0, 1], [7, 94]), pa.table({"x": list(range(101))}))
        parts = [(records.tolist(), rows["x"].to_pylist()) for records, rows in dealt.gather()]
    assert len(parts) == 5
    assert sorted(x for _, rows in parts for x in rows) == list(range(101))
    assert [record for records, _ in parts for record in records] == [0] * 7 + [1] * 94


def test_the_temporary_files_are_gone_afterwards_also_after_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(scatter, "BUCKET_ROWS", 2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def interrupted():
        with Scatter(np.array([3, 3])) as dealt:
            dealt.add(np.array([0, 0, 1, 1, 0, 1]), pa.table({"x": list(range(6))}))
            assert list(tmp_path.iterdir())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not list(tmp_path.iterdir())
