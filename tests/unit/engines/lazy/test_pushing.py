"""What a domain cannot tell apart is grouped where the table is, and the counts stay those of the local engine."""

import datetime as dt
import math
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import people
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import SLOW, back, lazily
from strategies import examples

import shoal
from shoal.data.domain import Grid
from shoal.dp.coins.coins import SeededCoins
from shoal.engines.codes.coding import Coder
from shoal.engines.codes.encoding import encode, without_records
from shoal.engines.lazy import room
from shoal.engines.lazy.engine import LazyEngine
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import TableSource

PLACES = ["duckdb", "polars", *(pytest.param(place, marks=pytest.mark.slow) for place in SLOW)]
TOKENS = ("", "-9", "99.5", "1900-01-01", "9007199254740991", "Infinity", "unknown")

TENTHS = [
    *(sign * n / 20 for n in range(230) for sign in (1, -1)),
    *(np.nextafter(n / 20, side) for n in (0, 1, 2, 3, 7, 100, 199, 200) for side in (-math.inf, math.inf)),
    math.inf, -math.inf, math.nan, None, -0.0, 1e308, -1e308, 5e-324, 99.5, -9.0, 99.4, 2.0**53, 0.1 + 0.2,
]  # fmt: skip
DAYS = [dt.date.min, dt.date(1900, 1, 1), dt.date(1899, 12, 31), dt.date(2000, 1, 1), dt.date(2000, 6, 3)]
DAYS += [dt.date(2000, 12, 31), dt.date(2001, 1, 1), dt.date(2100, 1, 1), dt.date.max, None]

COLUMNS = {
    "tenths": (pa.array(TENTHS, pa.float64()), (0, 10, 0.1)),
    "below zero": (pa.array(TENTHS, pa.float64()), (-3, 3, 0.5)),
    "thirds": (pa.array(TENTHS, pa.float64()), (-0.9, 9, 0.3)),
    "whole": (pa.array([None, *range(-40, 140), 2**53 - 1, 2**53 + 1, -(2**63), 2**63 - 1], pa.int64()), (-10, 95, 7)),
    "far": (pa.array([1e6 + n / 64 for n in range(400)], pa.float64()), (1000000, 1000006, 0.25)),
    "unsure": (pa.array([1e12 + n / 64 for n in range(64)], pa.float64()), (10**12, 10**12 + 1, 0.001)),
    "day": (pa.array(DAYS, pa.date32()), (dt.date(2000, 1, 1), dt.date(2000, 12, 31))),
    "moment": (pa.array([d and dt.datetime.combine(d, dt.time(7)) for d in DAYS[1:]], pa.timestamp("us")),
               (dt.date(2000, 1, 1), dt.date(2000, 12, 31))),
    "early day": (pa.array(DAYS, pa.date32()), (dt.date.min, dt.date(1, 3, 1))),
    "end of days": (pa.array(DAYS, pa.date32()), (dt.date(9990, 1, 1), dt.date.max)),
    "town": (pa.array(["Bonn", "bonn", "Ulm ", "Ulm", "unknown", "missing", "", None], pa.string()), ["Bonn", "Ulm"]),
}  # fmt: skip


def schema(domain):
    return shoal.Schema().with_column("x", role="quasi-identifier", domain=domain)


def both(engine, table, domain, clamp):
    local = LocalEngine(TableSource(table), TOKENS)
    here, there = (encode(e, schema(domain), ["x"], absorb=True, clamp=clamp) for e in (local, engine))
    assert people.counted(there) == people.counted(here)
    assert there.clamped == here.clamped
    return here


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("clamp", [False, True], ids=["absorbed", "clamped"])
@pytest.mark.parametrize("name", COLUMNS)
def test_edges_are_counted_as_by_the_local_engine(place, clamp, name):
    """Halves, neighbors of steps, negatives, infinities, NaN, missing, words for missing, values of no domain."""
    values, domain = COLUMNS[name]
    if place == "postgresql":  # what it has no number or no day for
        values = values.filter(pa.array([v is None or v != 5e-324 for v in values.to_pylist()]))
    table = pa.table({"x": values})
    both(LazyEngine.of(lazily(place, table), missing=TOKENS), table, domain, clamp)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("clamp", [False, True], ids=["absorbed", "clamped"])
def test_as_many_groups_come_as_the_domain_can_tell(place, clamp):
    """Of 20,000 different numbers, moments and texts: a step, above it and below it for each step, and the ends."""
    rng = np.random.default_rng(16)
    asked = {
        "number": (pa.array(rng.normal(5, 3, 20_000)), (0, 10, 0.5), 3 * 21 + 3),
        "when": (pa.array(rng.integers(0, 2**51, 20_000), pa.timestamp("us")), ("1970-01-01", "1970-03-31"), 90 + 3),
        "town": (pa.array([f"town {i}" for i in range(20_000)]), ["town 7", "town 9"], 3),
    }
    for values, domain, most in asked.values():
        table = pa.table({"x": values})
        days = tuple(map(dt.date.fromisoformat, domain)) if domain[0] == "1970-01-01" else domain
        engine = LazyEngine.of(lazily(place, table), missing=TOKENS)
        read = both(engine, table, days, clamp)
        coder = Coder("x", read["x"].domain, TOKENS, absorbs=True, clamps=clamp)
        assert sum(t.records.num_rows for t in engine.distinct(["x"], coders=[coder])) <= most
    refusing = Coder("x", Grid.between(0, 9), TOKENS)
    table = pa.table({"x": [0.5, 0.6]})
    assert sum(t.records.num_rows for t in LazyEngine.of(lazily(place, table)).distinct(["x"], coders=[refusing])) == 2


@given(data=st.data(), clamp=st.booleans())
@examples(15)
def test_any_grid_and_any_numbers_are_counted_as_by_the_local_engine(data, clamp):
    """Numbers that lie on a finer grid, where halves are, and any others."""
    decimals = data.draw(st.integers(0, 4))
    lower, step = data.draw(st.integers(-(10**7), 10**7)), data.draw(st.integers(1, 300))
    steps = data.draw(st.integers(0, 50))
    domain = Grid(lower, step, steps, decimals)
    near = st.integers(-8, 4 * steps + 8).map(lambda n: (lower + n * step / 4) / 10**decimals)
    values = data.draw(st.lists(near | near.map(lambda v: np.nextafter(v, 0)) | st.floats(), min_size=1, max_size=40))
    table = pa.table({"x": pa.array(values, pa.float64())})
    both(LazyEngine.of(lazily("polars", table), missing=TOKENS), table, domain, clamp)
    both(LazyEngine.of(lazily("duckdb", table), missing=TOKENS), table, domain, clamp)


def test_a_library_whose_columns_hold_what_they_like_is_left_alone():
    """In SQLite a text is larger than every number: it must not become the largest one."""
    table = pa.table({"x": ["1.5", "much"]})
    engine = LazyEngine.of(lazily("sqlite", table))
    assert not engine.library.keeps_types
    coder = Coder("x", Grid.between(0, 9).with_missing(), ("",), absorbs=True, clamps=True)
    (tallied,) = engine.distinct(["x"], coders=[coder])
    assert sorted(tallied.records["x"].to_pylist()) == ["1.5", "much"]


# Floors


def dated(number=300):
    """Moments to the second, numbers on a grid, towns; a note beside them."""
    start = dt.datetime.fromisoformat("2020-01-01")
    return pa.table(
        {
            "born": pa.array([start + dt.timedelta(seconds=i * 98_765) for i in range(number)], pa.timestamp("s")),
            "height": pa.array([None if i % 31 == 0 else round(1.5 + 0.01 * (i * 7 % 50), 2) for i in range(number)]),
            "age": pa.array([20 + i * i % 60 for i in range(number)], pa.int32()),
            "town": [f"town {i * 3 % 20}" for i in range(number)],
            "note": [f"note {i}" for i in range(number)],
        }
    )


def dated_schema():
    towns = {f"part {j}": [f"town {i}" for i in range(20) if i % 4 == j] for j in range(4)}
    made = shoal.Schema(person="row")
    for name, domain, hierarchy in [
        ("born", (dt.date(2020, 1, 1), dt.date(2020, 12, 31)), shoal.dates("month", "quarter")),
        ("height", (1, 2.5, 0.01), shoal.intervals(0.1, 0.5)),
        ("age", (0, 99), shoal.intervals(5, 20)),
        ("town", None, shoal.tree({"*": towns})),
    ]:
        is_there = name == "height"
        made = made.with_column(name, role="quasi-identifier", domain=domain, hierarchy=hierarchy, missing=is_there)
    return made.with_column("note", role="insensitive", unlinkable=True)


FLOOR = {"born": 2, "height": 2, "age": 2, "town": 1}


@pytest.mark.parametrize("place", ["sqlite", *PLACES])
def test_records_are_counted_at_a_floor_where_they_are(place):
    """The same release as locally, columns passed through included, from as many records as the floor can tell."""
    table, schema_ = dated(), dated_schema()
    method = shoal.OptimalLattice(k=3, suppression_limit=0.3, floor=FLOOR)
    here, there = (method.anonymize(frame, schema_) for frame in (table, lazily(place, table)))
    assert there.certificate == here.certificate
    assert Counter(people.labelled(back(there.data))) == Counter(people.labelled(here.data))
    counted = method.counted(schema_)
    engine = LazyEngine.of(lazily(place, table))
    public = without_records(engine, schema_, counted, floors=method.floors)
    coders = [Coder(a.name, a.domain, ("",), floor=a.counted_leaves) for a in public.attributes]
    came = sum(tallied.records.num_rows for tallied in engine.distinct(counted, coders=coders))
    exact = len(encode(LocalEngine(TableSource(table)), schema_, counted, floors=method.floors).counts)
    assert len(encode(LocalEngine(TableSource(table)), schema_, counted).counts) == 300
    if place in ("duckdb", "polars", "spark"):  # elsewhere two texts may be the same, or a column hold anything
        assert came == exact < 200
    assert exact <= came <= 300


@pytest.mark.parametrize("place", PLACES)
def test_a_private_release_counts_at_a_floor_too(place):
    """Values of no domain are missing, and coins of the same seed fall alike."""
    table = dated(400).drop_columns(["note", "town"])
    table = table.set_column(2, "age", pa.array([i % 110 for i in range(400)], pa.int32()))
    schema_ = replace(dated_schema(), columns=tuple(c for c in dated_schema() if c.name in table.column_names))
    floor = {"born": 2, "height": 2, "age": 1}
    method = shoal.SafePub(epsilon=3, delta="1e-2", floor=floor)
    here, there = (method.anonymize(frame, schema_, coins=SeededCoins(5)) for frame in (table, lazily(place, table)))
    assert Counter(people.labelled(back(there.data))) == Counter(people.labelled(here.data))
    assert here.certificate == there.certificate
    engine, counted = LazyEngine.of(lazily(place, table)), method.counted(schema_)
    public = without_records(engine, schema_, counted, absorb=True, floors=floor)
    coders = [Coder(a.name, a.domain, ("",), absorbs=True, floor=a.counted_leaves) for a in public.attributes]
    came = sum(tallied.records.num_rows for tallied in engine.distinct(counted, coders=coders))
    local = encode(LocalEngine(TableSource(table)), schema_, counted, absorb=True, floors=floor)
    assert came == len(local.counts) < 300


def test_without_a_declared_domain_a_floor_counts_as_locally():
    table = dated().drop_columns(["height"])
    schema_ = dated_schema().with_column("age", hierarchy=shoal.intervals(5, 20))
    schema_ = replace(schema_, columns=tuple(c for c in schema_.columns if c.name != "height"))
    schema_ = replace(schema_, columns=tuple(replace(c, domain=None) if c.name == "age" else c for c in schema_))
    method = shoal.OLA(k=3, suppression_limit=0.3, floor={"age": 1, "born": 1})
    here, there = (method.anonymize(frame, schema_) for frame in (table, lazily("duckdb", table)))
    assert there.certificate == here.certificate
    assert Counter(people.labelled(back(there.data))) == Counter(people.labelled(here.data))


@pytest.mark.parametrize("place", ["duckdb", "polars", pytest.param("spark", marks=pytest.mark.slow)])
def test_more_records_than_the_machine_can_hold_are_refused_with_a_floor_that_fits(place, monkeypatch):
    """And that floor does fit; other methods are refused by name. None where a budget is spent."""
    frame, said = lazily(place, dated()), dated_schema()
    each = room.BYTES * 4 // 10
    monkeypatch.setattr(room, "_memory", lambda _: each * 150)
    with pytest.raises(shoal.InfeasibleError, match="optimal-lattice needs them all at once") as refused:
        shoal.OptimalLattice(k=3).anonymize(frame, said)
    told = re.search(r"floor = \{ (.*) \}", str(refused.value)).group(1)
    floor = {name: int(level) for name, level in (word.split(" = ") for word in told.split(", "))}
    shoal.OptimalLattice(k=3, suppression_limit=0.5, floor=floor).anonymize(frame, said)
    with pytest.raises(shoal.InfeasibleError, match="mondrian needs them all at once; take optimal-lattice or ola"):
        shoal.Mondrian(k=3).anonymize(frame, said)
