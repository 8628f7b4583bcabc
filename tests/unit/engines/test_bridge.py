"""Arrays cross between Arrow and NumPy unchanged, whatever their offset and wherever they are null."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from shoal.engines.bridge import from_mask, from_numpy, from_texts, is_null, to_numpy

NUMBERS = ("int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64")


@pytest.mark.parametrize("kind", NUMBERS)
@given(cells=st.lists(st.none() | st.integers(0, 100)), cut=st.integers(0, 5))
@examples(20)
def test_numbers_and_nulls_survive_the_way_to_numpy_from_any_offset(kind, cells, cut):
    array = pa.array(cells, type=pa.from_numpy_dtype(np.dtype(kind))).slice(min(cut, len(cells)))
    values, gone = to_numpy(array), is_null(array)
    assert values.dtype == np.dtype(kind)
    assert [None if null else int(value) for value, null in zip(values, gone, strict=True)] == cells[cut:]


@pytest.mark.parametrize("kind", NUMBERS)
@given(cells=st.lists(st.integers(0, 100)), data=st.data())
@examples(20)
def test_numbers_survive_the_way_to_arrow_null_where_said(kind, cells, data):
    absent = data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells)))
    array = from_numpy(np.array(cells, dtype=kind), np.array(absent, dtype=np.bool_))
    array.validate(full=True)
    assert array.to_pylist() == [None if gone else cell for cell, gone in zip(cells, absent, strict=True)]
    assert from_numpy(np.array(cells, dtype=kind)[::2]).to_pylist() == cells[::2]


@given(mask=st.lists(st.booleans()))
@examples(30)
def test_a_mask_becomes_a_boolean_array(mask):
    array = from_mask(np.array(mask, dtype=np.bool_))
    array.validate(full=True)
    assert array.to_pylist() == mask


@given(texts=st.lists(st.none() | st.text(st.characters(codec="utf-8"))))
@examples(50)
def test_texts_become_a_text_array(texts):
    array = from_texts(texts)
    array.validate(full=True)
    assert array.to_pylist() == texts
