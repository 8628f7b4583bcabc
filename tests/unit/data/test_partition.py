from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, samples

from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.shown import TreeNodes
from shoal.engines.writing.publishing import Dealt
from shoal.quality import Loss


@st.composite
def partitions(draw, table):
    """Every distinct record in one or two parts; every class has a part."""
    source, label, sizes = [], [], []
    for record, size in enumerate(table.counts.sizes.tolist()):
        first = draw(st.integers(1, size))
        for part in (first, size - first):
            if part:
                source.append(record)
                label.append(draw(st.integers(0, 3)))
                sizes.append(part)
    _, dense = np.unique(label, return_inverse=True)
    return Partition(np.array(source), dense.astype(np.int64), np.array(sizes))


@given(data=st.data())
@examples(60)
def test_the_published_records_of_a_partition_are_those_of_its_parts_with_the_codes_of_their_class(data):
    sample = data.draw(samples(sensitive=(0, 1)))
    table = sample.table
    partition = data.draw(partitions(table))
    roots = {a.name: (TreeNodes(np.array([a.hierarchy.root, 0])), np.arange(partition.groups) % 2)
             for a in table.quasi_identifiers}  # fmt: skip
    left_out = np.arange(partition.groups) == partition.groups - 1
    outcome = Outcome.local(table, partition, roots, suppressed=left_out)
    expected = Counter()
    for record, label, size in zip(partition.source, partition.label, partition.sizes, strict=True):
        if not left_out[label]:
            row = tuple(
                label % 2 if name in roots else table.counts.column(name)[record] for name in table.counts.names
            )
            expected[row] += int(size)
    rows = zip(*(column.tolist() for column in outcome.published.codes), strict=True)
    assert dict(zip(rows, outcome.published.sizes.tolist(), strict=True)) == expected
    assert outcome.published.total == table.total
    assert sum(outcome.classes.sizes[left_out]) == outcome.published.suppressed
    assert Loss().on(table).loss(outcome.classes, left_out) <= 1 + 1e-9


@given(data=st.data(), batches=st.integers(1, 4))
@examples(60)
def test_dealing_gives_every_part_its_records_whatever_the_batches(data, batches):
    table = data.draw(samples()).table
    partition = data.draw(partitions(table))
    kept = partition.kept(np.arange(partition.groups) != 0)
    rows = np.array(data.draw(st.permutations(np.repeat(np.arange(len(table.counts)), table.counts.sizes).tolist())))
    dealt, found = Dealt(kept, table.counts.sizes), Counter()
    for part in np.array_split(rows, batches):
        for record, label in zip(part.tolist(), dealt.next(part).tolist(), strict=True):
            found[record, label] += 1
    expected = Counter()
    for record, label, size in zip(kept.source, kept.label, kept.sizes, strict=True):
        expected[int(record), int(label)] += int(size)
    for record, size in enumerate(table.counts.sizes.tolist()):
        gone = size - sum(n for (r, _), n in expected.items() if r == record)
        if gone:
            expected[record, -1] = gone
    assert found == expected


@pytest.mark.parametrize("labels", [[0], [0, 1]], ids=["one of two is left out", "two classes"])
def test_the_order_of_the_rows_does_not_decide_who_of_equal_ones_is_where(labels):
    """(k, ε)-anonymity rests on it. That 64 fair coins fall alike has a probability of 2^−63."""
    parts = Partition(np.zeros(len(labels), dtype=np.int64), np.array(labels), np.ones(len(labels), dtype=np.int64))
    first = {int(Dealt(parts, np.array([2])).next(np.array([0, 0]))[0]) for _ in range(64)}
    assert first == {0, 1 if len(labels) == 2 else -1}
