"""What kind of values each published column has, found out from the published file alone."""

from __future__ import annotations

from csv import reader
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 24


class Kind(Enum):
    """Kinds of values that all descriptions know, from the narrowest."""

    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    TEXT = "string"


def published_kinds(path: Path) -> dict[str, Kind]:
    """The columns of a published CSV or Parquet file in their order, with the narrowest kind that holds all values."""
    return _of_parquet(path) if path.suffix == ".parquet" else _of_csv(path)


def _of_parquet(path: Path) -> dict[str, Kind]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds: dict[str, Kind] = {}
    for field in pq.read_schema(path):
        is_whole, is_number = pa.types.is_integer(field.type), pa.types.is_floating(field.type)
        is_day = pa.types.is_date(field.type)
        kinds[field.name] = (
            Kind.INTEGER if is_whole else Kind.NUMBER if is_number else Kind.DATE if is_day else Kind.TEXT
        )
    return kinds


def _of_csv(path: Path) -> dict[str, Kind]:
    import pyarrow as pa
    from pyarrow import csv

    casts = {Kind.INTEGER: pa.int64(), Kind.NUMBER: pa.float64(), Kind.DATE: pa.date32()}
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(reader(file), [])
    texts = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
    )
    left = {name: list(casts) for name in names}
    parsed = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    with csv.open_csv(path, csv.ReadOptions(block_size=_BLOCK), parsed, texts) as batches:
        for batch in batches:
            for name in names:
                values = batch.column(batch.schema.get_field_index(name)).unique()
                left[name] = [kind for kind in left[name] if _fits(values, casts[kind])]
    return {name: kinds[0] if kinds else Kind.TEXT for name, kinds in left.items()}


def _fits(values: pa.Array, kind: Any) -> bool:
    """Whether all texts are of a kind, and written as it writes them: a leading zero makes a code."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        values.cast(kind)
    except pa.ArrowException:
        return False
    return not pc.any(pc.match_substring_regex(values, r"^[+-]?0\d|^[^\d-]|[^\d.eE+-]")).as_py()
