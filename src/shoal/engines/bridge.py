"""Between Arrow and NumPy, over their buffers.

pyarrow's own conversions import pandas whenever it is installed, which costs more than counting a small table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa


def to_numpy(array: pa.Array) -> NDArray[Any]:
    """The values of a number array; what stands where it is null has no meaning."""
    dtype = np.dtype(array.type.to_pandas_dtype())
    values = array.buffers()[1]
    if values is None:
        return np.zeros(len(array), dtype=dtype)
    return np.frombuffer(values, dtype=dtype)[array.offset : array.offset + len(array)]


def is_null(array: pa.Array) -> NDArray[np.bool_]:
    """Where an array is null."""
    if array.null_count == 0:
        return np.zeros(len(array), dtype=np.bool_)
    bits = np.frombuffer(array.buffers()[0], dtype=np.uint8)
    valid = np.unpackbits(bits, bitorder="little")[array.offset : array.offset + len(array)]
    return np.asarray(valid == 0)


def from_numpy(values: NDArray[Any], absent: NDArray[np.bool_] | None = None) -> pa.Array:
    """A number array, null where `absent`."""
    import pyarrow as pa

    values = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [_validity(absent), pa.py_buffer(values)])


def from_mask(mask: NDArray[np.bool_]) -> pa.Array:
    """A boolean array."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, pa.py_buffer(np.packbits(mask, bitorder="little"))])


def from_texts(texts: Sequence[str | None]) -> pa.Array:
    """A text array, null where a text is None."""
    import pyarrow as pa

    encoded = [b"" if text is None else text.encode() for text in texts]
    ends = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum([len(text) for text in encoded], out=ends[1:])
    absent = np.array([text is None for text in texts], dtype=np.bool_)
    buffers = [_validity(absent), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def _validity(absent: NDArray[np.bool_] | None) -> pa.Buffer | None:
    import pyarrow as pa

    if absent is None or not absent.any():
        return None
    return pa.py_buffer(np.packbits(~absent, bitorder="little"))
