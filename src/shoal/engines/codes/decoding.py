"""Codes back to values: in the type they came in where they are kept, as labels where they are generalized."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from shoal.data.domain import Categorical, Dates, Domain, Grid
from shoal.data.shown import (
    Distributions,
    Numbers,
    Shown,
    Spans,
    TreeNodes,
    ValueSets,
    absent,
    leaves_kept,
    texts,
    titles,
)
from shoal.engines.bridge import from_numpy, from_texts
from shoal.engines.codes.coding import as_labels, is_text

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.arrays import Codes
    from shoal.data.attribute import Attribute


def published_values(attribute: Attribute, shown: Shown, *, is_recoded: bool = True) -> pa.Array:
    """What is written for each code: values of a type if all are leaves, else texts; null for missing.

    The type is the one that values came in, or under a private method that of the declared domain. There, without a
    recoding (`is_recoded`) that fixes whether categories are generalized, they are texts even where none is.
    """
    match shown:
        case Numbers():
            return _numbers(shown)
        case Distributions(as_columns=True):
            return _columns_of_shares(attribute, shown)
        case Distributions():
            return from_texts(_distributions(attribute, shown))
        case TreeNodes() | Spans() | ValueSets():
            gone, leaves = absent(attribute, shown), leaves_kept(attribute, shown)
            is_open = attribute.is_covered and not is_recoded and isinstance(attribute.domain, Categorical)
            if leaves is not None and not is_open:
                return _leaf_values(attribute, leaves, gone)
            return _texts(texts(attribute, shown), gone)
        case _:
            assert_never(shown)


def _numbers(shown: Numbers) -> pa.Array:
    missing = np.isnan(shown.values)
    if shown.decimals == 0:
        return from_numpy(np.where(missing, 0, np.rint(shown.values)).astype(np.int64), missing)
    values = shown.values if shown.decimals is None else np.round(shown.values, shown.decimals)
    return from_numpy(values, missing)


def _distributions(attribute: Attribute, shown: Distributions) -> list[str]:
    """JSON objects from value to share, values that do not occur left out."""
    labels = attribute.domain.labels(range(attribute.domain.size))
    written = []
    for shares, whole in zip(shown.shares, shown.whole.tolist(), strict=True):
        occurring = np.flatnonzero(shares).tolist()
        written.append(json.dumps({labels[v]: int(shares[v]) / whole for v in occurring}, ensure_ascii=False))
    return written


def _columns_of_shares(attribute: Attribute, shown: Distributions) -> pa.Array:
    """One field for each value that occurs."""
    import pyarrow as pa

    occurring = np.flatnonzero(shown.shares.any(axis=0))
    shares = shown.shares[:, occurring] / shown.whole[:, None]
    return pa.StructArray.from_arrays([from_numpy(column.copy()) for column in shares.T], titles(attribute, shown))


def _texts(labels: list[str], gone: NDArray[np.bool_]) -> pa.Array:
    return from_texts([None if is_gone else label for label, is_gone in zip(labels, gone, strict=True)])


def _leaf_values(attribute: Attribute, codes: Codes, gone: NDArray[np.bool_]) -> pa.Array:
    """Leaves in the type they came in, or of their domain; where there was no type but text, numbers as numbers."""
    import pyarrow as pa

    domain, wanted = attribute.domain, attribute.source_type
    if attribute.is_covered:
        wanted = declared_type(domain)
    elif wanted is not None:
        wanted = plain_type(wanted)
    natural = _natural_values(domain, codes, gone)
    if wanted is None or natural.type == wanted:
        return natural
    named = _texts(domain.labels(codes.tolist()), gone)
    try:
        if isinstance(domain, Dates) and pa.types.is_timestamp(wanted):
            return midnights(natural, wanted)
        if pa.types.is_time(wanted):
            return pa.array([label and dt.time.fromisoformat(label) for label in named.to_pylist()], wanted)
        if isinstance(domain, Categorical) or is_text(wanted) or pa.types.is_decimal(wanted):
            return named.cast(wanted)
        return natural.cast(wanted, safe=False)
    except (pa.ArrowException, ValueError):  # a declared name that the type cannot hold
        return named


def midnights(days: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Days as the moments they begin, where the clock of a time zone says so."""
    import pyarrow as pa
    import pyarrow.compute as pc

    moments = days.cast(pa.timestamp(wanted.unit))
    if wanted.tz is None:
        return moments
    return pc.assume_timezone(moments, wanted.tz, ambiguous="earliest", nonexistent="earliest")


def _natural_values(domain: Domain, codes: Codes, gone: NDArray[np.bool_]) -> pa.Array:
    import pyarrow as pa

    match domain:
        case Grid():
            scaled = domain.scaled(codes.astype(np.int64))
            numbers: NDArray[Any] = scaled / 10**domain.decimals if domain.decimals else scaled
            return from_numpy(numbers, gone)
        case Dates():
            epoch = (domain.first - dt.date(1970, 1, 1)).days
            return from_numpy((codes.astype(np.int64) + epoch).astype(np.int32), gone).cast(pa.date32())
        case Categorical():
            return _texts(domain.labels(codes.tolist()), gone)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values themselves: not coded, and text in a form that every format knows."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.string() if pa.types.is_string_view(kind) else kind


def declared_type(domain: Domain) -> pa.DataType:
    """The type in which a private method publishes values of a declared domain: a function of nothing else.

    The type of a source may hang on one record: a missing value turns the whole numbers of a data frame into doubles, a
    long one widens decimals or the unit of a clock, and a column without any value has no type at all. Names are
    numbers, days or truth values only if every one of them is written exactly as such a value is; `007` stays text.
    """
    import pyarrow as pa

    match domain:
        case Grid():
            return pa.float64() if domain.decimals else pa.int64()
        case Dates():
            return pa.date32()
        case Categorical():
            names = from_texts([name for code, name in enumerate(domain.values) if code != domain.missing])
            found = (
                kind for kind in (pa.int64(), pa.float64(), pa.date32(), pa.bool_()) if _is_written_as(names, kind)
            )
            return next(found, pa.string())
        case _:
            assert_never(domain)


def _is_written_as(names: pa.Array, kind: pa.DataType) -> bool:
    """Whether every one of some names, and there is one, is how a value of a type is written."""
    import pyarrow as pa

    try:
        return len(names) > 0 and as_labels(names.cast(kind)) == names.to_pylist()
    except pa.ArrowInvalid:
        return False
