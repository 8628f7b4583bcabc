"""Who has the same records, equally often: against counting one by one."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from shoal.kernels.sequences import same_sequences

ENTRIES = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 2)), max_size=4)
MANY = st.integers(30, 36).flatmap(lambda n: st.permutations([(i // 2, 1 + i % 2) for i in range(n)]))


def same(persons):
    """What the kernel says of the (key, rows) of each person."""
    starts = np.cumsum([0, *map(len, persons)])
    keys, rows = (np.array([entry[i] for own in persons for entry in own], dtype=np.int64) for i in (0, 1))
    return same_sequences(starts, keys, rows).tolist()


def multiset(own):
    """The keys of a person, each as often as it is there."""
    counted = Counter()
    for key, rows in own:
        counted[key] += rows
    return frozenset(counted.items())


@examples(200)
@given(st.lists(st.one_of(ENTRIES, MANY), max_size=12))
def test_persons_are_the_same_if_and_only_if_their_multisets_are(persons):
    found, wanted = same(persons), [multiset(own) for own in persons]
    assert [[a == b for b in found] for a in found] == [[a == b for b in wanted] for a in wanted]
    assert [number < 0 for number in found] == [not own for own in persons]


def test_neither_order_nor_how_rows_are_divided_matters_but_their_number_does():
    assert len(set(same([[(1, 2), (0, 1)], [(0, 1), (1, 1), (1, 1)]]))) == 1
    assert len(set(same([[(0, 1)], [(0, 2)], [(0, 1), (1, 1)], [(1, 1)], [(2**40, 1)]]))) == 5
