"""Files of Stata, SPSS and SAS: values in their types, codes with their labels aside, missing values as such."""

from __future__ import annotations

import datetime as dt
import re
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
_FORMS = {
    r"(DATETIME|YMDHMS)": ("seconds", False),
    r"(DATE|ADATE|EDATE|SDATE|JDATE|MMDDYY|DDMMYY|YYMMDD)": ("days", True),
    r"%-?t[cC]": ("milliseconds", False),
    r"%-?(td|d)": ("days", True),
}
"""How formats of days and moments begin in SPSS, SAS and Stata: what SAS and Stata count, and whether it is a day."""


def read(path: Path, sheet: str | None) -> tuple[pa.Table, Codebook]:
    """The table; what the owner declared missing (SPSS) and missing values of several kinds (Stata, SAS) are null."""
    import pyarrow as pa
    import pyreadstat

    del sheet
    reader = getattr(pyreadstat, _READERS[path.suffix.lower()])
    try:
        values, found = reader(str(path), output_format="dict")
    except OverflowError:  # a day beyond year 9999 in one record, which must not decide whether the others are read
        values, found = reader(str(path), output_format="dict", disable_datetime_conversion=True)
        values = {name: _moments(values[name], path, found.original_variable_types[name]) for name in values}
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


def _moments(values: Sequence[Any], path: Path, written: str | None) -> Sequence[Any]:
    """Days and moments of a column that is said to have such, counted from where its program begins; else as it is."""
    is_spss = path.suffix.lower() in _WITH_RANGES
    form = next((form for form in _FORMS if re.match(form, written or "")), None)
    if form is None:
        return values
    unit, is_day = _FORMS[form]
    start = dt.datetime.combine(dt.date(1582, 10, 14) if is_spss else dt.date(1960, 1, 1), dt.time.min)
    unit = "seconds" if is_spss else unit

    def moment(value: Any) -> Any:
        try:
            found = start + dt.timedelta(**{unit: value})
        except (OverflowError, TypeError, ValueError):  # no day of the calendar, a letter, or missing
            return None
        return found.date() if is_day else found

    return [moment(value) for value in values]


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
