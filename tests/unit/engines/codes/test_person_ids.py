"""Persons get the same numbers however they come, in whatever batches."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.data.schema import Role
from shoal.engines.codes import encoding
from shoal.engines.codes.coding import Coder
from shoal.engines.codes.encoding import encode
from shoal.engines.codes.person_ids import PersonIds, has_short_way
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import TableSource

WHOLE = st.integers(-3, 12)
TEXTS = st.sampled_from(["", "a", "b", "?", "1", "01", "1 ", "ä", "-1"])
MIXED = st.tuples(st.lists(WHOLE.map(str), min_size=3), st.lists(TEXTS)).map(lambda parts: parts[0] + parts[1])
"""Texts that are written as whole numbers are, and later others."""
TOKENS = ("", "?", "-1", "01", "x")


def same_partition(numbers, others):
    """Whether two lists are equal in the same places, and missing (0) in the same places."""
    return len(set(zip(numbers, others, strict=True))) == len(set(numbers)) == len(set(others)) and all(
        (a == 0) == (b == 0) for a, b in zip(numbers, others, strict=True)
    )


@given(
    values=st.one_of(
        st.lists(st.none() | WHOLE), st.lists(st.none() | TEXTS), st.lists(st.none() | WHOLE.map(str)), MIXED
    ),
    cuts=st.lists(st.booleans(), min_size=40, max_size=40),
    form=st.sampled_from(["plain", "coded", "large", "view"]),
)
@examples(150)
def test_they_are_told_apart_as_their_texts_are(values, cuts, form):
    """Batch by batch, with settling in between or not, beside the coder that looks at texts one by one."""
    kind = pa.int64() if values and all(v is None or isinstance(v, int) for v in values) else pa.string()
    column = pa.array(values, kind)
    if form == "coded":
        column = column.dictionary_encode()
    elif form in {"large", "view"} and kind == pa.string():
        column = column.cast(pa.large_string() if form == "large" else pa.string_view())
    fast, slow = PersonIds("who", TOKENS), Coder("who", None, TOKENS)
    numbers, wanted = np.zeros(0, dtype=np.int64), []
    for start in range(0, len(values), 3):
        batch = column[start : start + 3]
        where, codes = fast.local(batch)
        numbers = np.concatenate([numbers, codes[where]])
        if cuts[start % 40]:
            numbers = fast.settled(numbers)
        where, codes = slow.local(batch.cast(pa.string()) if form == "view" else batch)
        wanted += codes[where].tolist()
    numbers = fast.settled(numbers)
    assert same_partition(numbers.tolist(), wanted)
    assert numbers.max(initial=0) < fast.cardinality


def test_parts_of_a_table_may_have_them_as_numbers_or_as_texts():
    ids = PersonIds("who", ())
    found = [codes[where] for batch in (pa.array([1, 2]), pa.array(["2", "3"])) for where, codes in [ids.local(batch)]]
    assert ids.settled(np.concatenate(found)).tolist() == [1, 2, 2, 3]


@pytest.mark.parametrize(
    ("kind", "short"),
    [
        (pa.int8(), True),
        (pa.uint64(), True),
        (pa.string(), True),
        (pa.dictionary(pa.int32(), pa.string()), True),
        (pa.float64(), False),
        (pa.decimal128(9, 2), False),
        (pa.date32(), False),
    ],
    ids=str,
)
def test_what_is_equal_where_its_texts_are_takes_the_short_way(kind, short):
    assert has_short_way(kind) is short


@pytest.mark.parametrize("as_text", [False, True], ids=["numbers", "texts"])
@pytest.mark.parametrize("domain", [(0, 3), None], ids=["declared", "observed"])
def test_pairs_are_those_of_the_rows_however_many_batches_wait(as_text, domain, monkeypatch):
    rng = np.random.default_rng(4)
    who, age = rng.integers(0, 40, 500), rng.integers(0, 4, 500)
    frame = pa.table({"who": pa.array(who).cast(pa.string()) if as_text else pa.array(who), "age": age})
    schema = shoal.Schema(person="who").with_column("age", role="quasi-identifier", domain=domain)
    monkeypatch.setattr(encoding, "_PENDING", 60)
    monkeypatch.setattr(
        TableSource,
        "batches",
        lambda self, names, _: ((b, 0.0) for b in self.table.select(list(names)).to_batches(max_chunksize=50)),
    )
    table = encode(LocalEngine(TableSource(frame)), schema, schema.names(Role.QUASI_IDENTIFIER))
    persons = table.persons
    assert persons is not None
    found = Counter()
    for record, person, rows in zip(persons.record, persons.person, persons.rows, strict=True):
        found[int(table.counts.column("age")[record]), int(person)] += int(rows)
    wanted = Counter(zip(age.tolist(), who.tolist(), strict=True))
    assert sorted(found.values()) == sorted(wanted.values())
    by_person = sorted(sorted((a, n) for (a, p), n in found.items() if p == q) for q in range(persons.people))
    assert by_person == sorted(sorted((a, n) for (a, p), n in wanted.items() if p == q) for q in set(who.tolist()))
    assert (np.diff(persons.record) >= 0).all()
