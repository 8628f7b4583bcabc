"""Rings: every record in as many sets as a set has records; values that must stand apart do."""

from collections import Counter
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nsvdist_oracle import mixed_tables
from strategies import examples

import shoal
from shoal.audit import distribution
from shoal.audit.overlap import boxes
from shoal.data.partition import Partition
from shoal.dp.coins.coins import SeededCoins
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import frame_source
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.methods.parts import rings as rings_module
from shoal.methods.parts.rings import Rings, curve, dealt_apart
from shoal.methods.rivals.nhaa import _apart


@st.composite
def partitions(draw):
    random = Random(draw(st.integers(0, 2**32 - 1)))
    source, label, sizes = [], [], []
    for record in range(random.randint(1, 12)):
        for of in random.sample(range(3), random.choice((1, 1, 2))):
            source.append(record)
            label.append(of)
            sizes.append(random.randint(1, 3))
    _, compact = np.unique(label, return_inverse=True)
    return Partition(np.array(source), compact, np.array(sizes))


@given(partitions(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_a_window_holds_the_records_that_follow_in_the_same_cluster(partition, width, random):
    place = np.array(random.sample(range(20), 20))
    rings = Rings.of(partition, place)
    width = min(width, int(np.diff(rings.starts).min()))
    leaves = np.array([[random.randrange(9) for _ in rings.record] for _ in range(2)], dtype=np.int32)
    low, high = rings.extremes(leaves, width)
    member = [rings.after(step) for step in range(width)]
    for i in range(len(rings.record)):
        window = [int(step[i]) for step in member]
        assert len(set(window)) == width
        assert {int(rings.label[j]) for j in window} == {int(rings.label[i])}
        assert low[:, i].tolist() == leaves[:, window].min(axis=1).tolist()
        assert high[:, i].tolist() == leaves[:, window].max(axis=1).tolist()
    assert set(Counter(np.concatenate(member).tolist()).values()) == {width}  # everybody in as many sets
    assert Counter(zip(rings.record.tolist(), rings.label.tolist(), strict=True)) == Counter(
        dict(
            zip(
                zip(partition.source.tolist(), partition.label.tolist(), strict=True),
                partition.sizes.tolist(),
                strict=True,
            )
        )
    )


@given(st.lists(st.lists(st.integers(1, 7), min_size=1, max_size=7), min_size=1, max_size=3), st.integers(1, 5))
def test_equal_values_are_dealt_as_far_apart_as_asked(clusters, apart):
    """docs/proofs/nsvdist.md, section 3: whenever no value has more than 1/apart of the ring."""
    clusters = [counts for counts in clusters if max(counts) <= sum(counts) // apart]
    if not clusters:
        return
    value = np.concatenate([np.repeat(np.arange(len(counts)), counts) for counts in clusters])
    sizes = [sum(counts) for counts in clusters]
    given_rings = Rings(np.arange(len(value)), np.repeat(np.arange(len(sizes)), sizes), np.cumsum([0, *sizes]))
    made = dealt_apart(given_rings, value, apart)
    for first, end in zip(made.starts[:-1], made.starts[1:], strict=True):
        order = made.record[first:end]
        assert sorted(order.tolist()) == list(range(first, end))
        dealt = value[order]
        for i in range(len(dealt)):
            window = [int(dealt[(i + step) % len(dealt)]) for step in range(apart)]
            assert len(set(window)) == apart


def test_a_curve_keeps_equal_records_together_and_visits_all():
    random = Random(1)
    points = np.array([[random.randrange(4) for _ in range(50)] for _ in range(2)])
    place = curve(points)
    assert sorted(place.tolist()) == list(range(50))
    order = np.argsort(place)
    seen, last = set(), None
    for point in map(tuple, points[:, order].T.tolist()):
        assert point == last or point not in seen
        seen.add(point)
        last = point


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 4), st.integers(1, 9))
def test_compiled_or_not_a_curve_is_the_same(seed, records, columns, values):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, values, (columns, records)) * rng.choice([0.0, 0.3, 1.0], columns)[:, None]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rings_module, "_COMPILED", 0)
        compiled = curve(points)
        patch.setattr(rings_module, "_COMPILED", 10**9)
        assert np.array_equal(compiled, curve(points))


# NHAA


@given(mixed_tables(records=(6, 40), widest=6), st.integers(2, 3))
@examples(30)
def test_nhaa_publishes_every_value_once_within_closures_of_different_values(table, diversity):
    method = shoal.NHAA(diversity=diversity)
    name = table.sensitive[0].name
    try:
        outcome = method.run(table, coins=SeededCoins(3))
    except InfeasibleError:
        assert table.marginal(name).max() * diversity > table.total
        return
    assert outcome.published.kept == table.total
    values = outcome.published.column(name)
    assert np.array_equal(
        np.bincount(values, weights=outcome.published.sizes, minlength=table.sensitive[0].domain.size),
        table.marginal(name),
    )
    low, high = boxes(outcome)
    leaf = np.stack([table.counts.column(a.name) for a in table.quasi_identifiers]).astype(np.int64)
    inside = ((leaf[:, None, :] >= low[:, :, None]) & (leaf[:, None, :] <= high[:, :, None])).all(axis=0)
    original = table.counts.column(name)
    for record, covered in enumerate(inside):
        assert len(set(original[covered].tolist())) >= diversity
        assert values[record] in original[covered]


@given(mixed_tables(records=(6, 30), widest=6))
@examples(15)
def test_neighbors_in_a_ring_of_nhaa_have_different_values(table):
    value = table.counts.column(table.sensitive[0].name)
    if table.marginal(table.sensitive[0].name).max() * 2 > table.total:
        return
    whole = Partition.whole(np.zeros(len(table.counts), dtype=np.int64), table.counts.sizes)
    rings = _apart(table, whole, np.ones(len(table.quasi_identifiers)), 2)
    assert (value[rings.record] != value[rings.record[rings.after(1)]]).all()


def test_every_value_of_a_set_is_equally_likely_to_be_published():
    """The exact law on one ring of three, by following every branch of the coins: each distance 1/2."""
    frame = pa.table({"age": [10, 20, 40], "ill": ["a", "b", "c"]})
    said = (
        shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99)).with_column("ill", role="sensitive")
    )
    engine = LocalEngine(frame_source(frame)[0])
    table = encode(engine, said, ("age", "ill"), lambda *_: None)
    two = shoal.NHAA(diversity=2)

    def published(coins):
        outcome = two.run(table, coins=coins)
        return tuple(zip(*(outcome.published.column(name).tolist() for name in ("age", "ill")), strict=True))

    found = distribution(published)
    assert len(found.masses) == 2
    assert set(found.masses.values()) == {0.5}


@pytest.mark.parametrize("diversity", [1, 2.5, "5/2", 0, True])
def test_nhaa_takes_whole_numbers_from_2_up(diversity):
    with pytest.raises(ParameterError, match=r"diversity must be a (whole number, 2|number .*, 1) or more"):
        shoal.NHAA(diversity=diversity)


@pytest.mark.parametrize("diversity", [2, 2.0, "2", "4/2"])
def test_nhaa_reads_diversity_as_every_method_does(diversity):
    promised = shoal.NHAA(diversity=diversity).guarantees(None)
    assert promised == shoal.NHAA(diversity=2).guarantees(None)


def test_nhaa_refuses_fewer_records_than_its_diversity_by_the_name_of_its_parameter():
    table = pa.table({"age": [30], "illness": ["flu"]})
    said = shoal.Schema().with_column("age", role="quasi-identifier").with_column("illness", role="sensitive")
    with pytest.raises(InfeasibleError, match="diversity = 2 is more than the table has records"):
        shoal.NHAA().anonymize(table, said)


def test_nhaa_takes_exactly_one_sensitive_column():
    said = shoal.Schema().with_column("age", role="quasi-identifier")
    with pytest.raises(SchemaError, match="exactly one sensitive column, and 0 have"):
        shoal.NHAA().counted(said)
    both = said.with_column("a", role="sensitive").with_column("b", role="sensitive")
    with pytest.raises(SchemaError, match="and 2 have"):
        shoal.NHAA().counted(both)
