"""Codes back to values: in the type they came in where they are kept, as labels where they are generalized."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.domain import Categorical, Dates, Domain, Grid
from shoal.engines.bridge import from_numpy, from_texts
from shoal.engines.coding import is_text

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.arrays import Codes
    from shoal.data.schema import Attribute


def published_values(attribute: Attribute, nodes: NDArray[Any]) -> pa.Array:
    """What is written for some nodes: values of the original type if all are leaves, else labels; null for missing."""
    missing = attribute.domain.missing
    absent = nodes == missing if missing is not None else np.zeros(len(nodes), dtype=np.bool_)
    if (nodes < attribute.hierarchy.leaves).all():
        return _leaf_values(attribute, nodes, absent)
    return _texts(attribute.labels(nodes), absent)


def _texts(labels: list[str], absent: NDArray[np.bool_]) -> pa.Array:
    return from_texts([None if gone else label for label, gone in zip(labels, absent, strict=True)])


def _leaf_values(attribute: Attribute, codes: Codes, absent: NDArray[np.bool_]) -> pa.Array:
    """Leaves in the type they came in; where there was no type but text, numbers and days as what they are."""
    import pyarrow as pa

    domain, wanted = attribute.domain, attribute.source_type
    if wanted is not None:
        wanted = plain_type(wanted)
    natural = _natural_values(domain, codes, absent)
    if wanted is None or natural.type == wanted:
        return natural
    texts = _texts(domain.labels(codes.tolist()), absent)
    try:
        if isinstance(domain, Dates) and pa.types.is_timestamp(wanted):
            return _midnights(natural, wanted)
        if pa.types.is_time(wanted):
            return pa.array([label and dt.time.fromisoformat(label) for label in texts.to_pylist()], wanted)
        if isinstance(domain, Categorical) or is_text(wanted) or pa.types.is_decimal(wanted):
            return texts.cast(wanted)
        return natural.cast(wanted, safe=False)
    except (pa.ArrowException, ValueError):  # a declared name that the type cannot hold
        return texts


def _midnights(days: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Days as the moments they begin, where the clock of a time zone says so."""
    import pyarrow as pa
    import pyarrow.compute as pc

    moments = days.cast(pa.timestamp(wanted.unit))
    if wanted.tz is None:
        return moments
    return pc.assume_timezone(moments, wanted.tz, ambiguous="earliest", nonexistent="earliest")


def _natural_values(domain: Domain, codes: Codes, absent: NDArray[np.bool_]) -> pa.Array:
    import pyarrow as pa

    match domain:
        case Grid():
            scaled = domain.scaled(codes.astype(np.int64))
            numbers: NDArray[Any] = scaled / 10**domain.decimals if domain.decimals else scaled
            return from_numpy(numbers, absent)
        case Dates():
            epoch = (domain.first - dt.date(1970, 1, 1)).days
            return from_numpy((codes.astype(np.int64) + epoch).astype(np.int32), absent).cast(pa.date32())
        case Categorical():
            return _texts(domain.labels(codes.tolist()), absent)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values themselves: not coded, and text in a form that every format knows."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.string() if pa.types.is_string_view(kind) else kind
