"""Cells of local recodings: sets that are equal are one entry, however many values a column has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.parts import cells
from shoal.methods.parts.cells import _numbered_sets


@given(
    st.integers(1, 200).flatmap(
        lambda width: st.lists(st.frozensets(st.integers(0, width - 1), min_size=1, max_size=5), min_size=1)
    )
)
def test_sets_share_a_number_exactly_if_they_are_equal(sets: list[frozenset[int]]) -> None:
    label = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    value = np.concatenate([np.sort(list(one)) for one in sets])
    number, one_of = _numbered_sets(label, value, len(sets))
    assert [sets[one_of[i]] for i in number] == sets
    assert len(one_of) == len(set(sets)) == len(set(number.tolist()))


def test_sets_in_one_word_are_numbered_in_the_order_of_their_bits() -> None:
    sets = [[5], [0, 1], [5], [63], [0]]
    label, value = np.repeat(np.arange(5), [1, 2, 1, 1, 1]), np.concatenate(sets)
    number, _ = _numbered_sets(label, value, 5)
    assert number.tolist() == [2, 1, 2, 3, 0]


@given(st.lists(st.frozensets(st.integers(0, 61), min_size=1, max_size=5), min_size=1))
def test_sets_of_few_values_are_numbered_as_integers_or_as_words_alike(sets: list[frozenset[int]]) -> None:
    label = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    value = np.concatenate([np.sort(list(one)) for one in sets])
    by_integers, one_of = _numbered_sets(label, value, len(sets))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "_ONE_INTEGER", 0)
        by_words, another_of = _numbered_sets(label, value, len(sets))
    assert by_integers.tolist() == by_words.tolist()
    assert [sets[i] for i in one_of] == [sets[i] for i in another_of]
