"""Files of Stata, SPSS and SAS: values in their types, codes with their labels aside, missing values as such."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.reading.foreign.codebook import Codebook, Entry

if TYPE_CHECKING:
    import pyarrow as pa

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_WITH_RANGES = (".sav", ".zsav")


def read(path: Path, sheet: str | None) -> tuple[pa.Table, Codebook]:
    """The table; what the owner declared missing (SPSS) and missing values of several kinds (Stata, SAS) are null."""
    import pyarrow as pa
    import pyreadstat

    del sheet
    reader = getattr(pyreadstat, _READERS[path.suffix.lower()])
    values, found = reader(str(path), output_format="dict")
    kinds = found.readstat_variable_types
    declared = (
        reader(str(path), metadataonly=True, user_missing=True, output_format="dict")[1]
        if path.suffix.lower() in _WITH_RANGES
        else found
    )
    columns = {name: _column(values[name], kinds.get(name)) for name in found.column_names}
    book = {name: _entry(found, name, declared.missing_ranges.get(name, [])) for name in found.column_names}
    return pa.table(columns), Codebook(book)


def _column(values: Sequence[Any], kind: str | None) -> pa.Array:
    """In the type that the file says; days and times in theirs."""
    import pyarrow as pa

    first = next((value for value in values if value is not None), None)
    if isinstance(first, dt.datetime):
        return pa.array(values, pa.timestamp("us"))
    if isinstance(first, dt.date):
        return pa.array(values, pa.date32())
    if isinstance(first, dt.time):
        return pa.array(values, pa.time64("us"))
    numbers = {"int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "float": pa.float32()}
    wanted = pa.string() if kind == "string" else numbers.get(kind or "", pa.float64())
    try:
        return pa.array(values, wanted)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array(values)


def _entry(found: Any, name: str, ranges: Sequence[Any]) -> Entry:
    is_text = found.readstat_variable_types.get(name) == "string"
    labels = {
        _written(code): str(label)
        for code, label in found.variable_value_labels.get(name, {}).items()
        if str(label).strip() and not _is_away(code, ranges, is_text=is_text)
    }
    is_scale = found.variable_measure.get(name) == "scale"
    return Entry(found.column_names_to_labels.get(name) or "", labels, is_scale)


def _is_away(code: Any, ranges: Sequence[Any], *, is_text: bool) -> bool:
    """Whether a code means a missing value: in SPSS one that the owner declared so, in Stata and SAS a letter."""
    if is_text or isinstance(code, str):
        return not is_text or any(part["lo"] == code for part in ranges)
    return any(part["lo"] <= code <= part["hi"] for part in ranges)


def _written(code: Any) -> str:
    """A code as a domain writes it."""
    if isinstance(code, str):
        return code
    text = f"{Decimal(str(code)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
