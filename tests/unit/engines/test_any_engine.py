"""Every engine is as good as the local one: coding and counting do not ask who hands over the records."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import people
import pyarrow as pa
import pytest

import shoal
from shoal.data.people.persons import watched_columns
from shoal.engines.base import Tallied
from shoal.engines.codes.encoding import encode, without_records
from shoal.engines.local import LocalEngine
from shoal.engines.reading.distinct_values import DistinctValues
from shoal.engines.reading.source import TableSource

HOUSE = Path(shoal.__file__).parent


class Tallying:
    """An engine that counts before it hands over, as a database would, in batches of any length."""

    def __init__(self, table, length, missing=("",)):
        self.table, self.length, self.missing = table, length, missing
        self.where, self.is_typed, self.is_literal = "somewhere else", True, False

    def types(self):
        return {field.name: field.type for field in self.table.schema}

    def distinct(self, names, watched=None, coders=(), varied=()):  # noqa: ARG002  an engine may code what it likes
        for name, values in (watched or {}).items():
            values.add(self.table.column(name).combine_chunks())
        rows = self.table.select(list(names))
        tally = Counter(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        records = pa.Table.from_pylist([dict(zip(names, record, strict=True)) for record in tally], schema=rows.schema)
        sizes = np.array(list(tally.values()), dtype=np.int64)
        at = 0
        for batch in records.to_batches(max_chunksize=self.length):
            yield Tallied(batch, sizes[at : at + batch.num_rows], 1.0)
            at += batch.num_rows


def same(one, other):
    assert one.counts.names == other.counts.names
    assert [a.domain for a in one.attributes] == [a.domain for a in other.attributes]
    assert all(map(np.array_equal, (*one.counts.codes, one.counts.sizes), (*other.counts.codes, other.counts.sizes)))
    assert dict(one.clamped) == dict(other.clamped)


@pytest.mark.parametrize("length", [1, 7, 1000])
@pytest.mark.parametrize("settings", [{}, {"absorb": True}, {"absorb": True, "clamp": True}], ids=str)
def test_an_engine_that_tallies_gives_the_table_of_the_local_one(length, settings):
    table, schema = people.arrow(people.rows(300)), people.schema()
    counted = ("age", "town", "day")
    here = encode(LocalEngine(TableSource(table)), schema, counted, **settings)
    there = encode(Tallying(table, length), schema, counted, **settings)
    same(here, there)
    assert here.total == 300


def test_numbers_that_were_moved_are_counted_by_rows_and_not_by_records():
    table = pa.table({"x": [1, 12, 12, 12, 5, -3]})
    schema = shoal.Schema().with_column("x", role="quasi-identifier", domain=(0, 9))
    for engine in (LocalEngine(TableSource(table)), Tallying(table, 2)):
        assert encode(engine, schema, ["x"], absorb=True, clamp=True).clamped == {"x": 4}


def test_watched_columns_are_seen_in_full_whatever_is_tallied():
    table, schema = people.arrow(people.rows(60)), people.schema()
    for engine in (LocalEngine(TableSource(table)), Tallying(table, 5)):
        watched = {name: DistinctValues(("",)) for name in watched_columns(schema)}
        encode(engine, schema, ["town"], watched=watched)
        assert watched
        assert all(values.count().present == 60 for values in watched.values())


def test_what_is_public_about_a_table_is_found_without_its_records():
    table, schema = people.arrow(people.rows(60)), people.schema()

    class Closed(Tallying):
        def distinct(self, *_):
            raise AssertionError("it was read")

    found = without_records(Closed(table, 5), schema, ("age", "town"), absorb=True)
    assert found.total == 0


def test_one_place_chooses_the_engine():
    """Everybody else knows the protocol."""
    naming = [path for path in HOUSE.rglob("*.py") if re.search(r"\bLocalEngine\b", path.read_text(encoding="utf-8"))]
    assert sorted(path.relative_to(HOUSE).as_posix() for path in naming) == ["engines/local.py", "engines/opening.py"]
