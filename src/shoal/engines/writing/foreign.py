"""Published tables as files of Excel, SPSS and Stata, with the labels that the original has for its columns and codes.

A label of a code is written where the code is published, and only then: which others a file knew of may tell of records
that are left out.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.codes.coding import as_labels, is_plain
from shoal.engines.reading.foreign.codebook import Codebook
from shoal.errors import OutputError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_OF_A_SHEET = (1 << 20) - 1
"""Records that a sheet of Excel holds below its header; more go to further sheets."""

_LIBRARIES = {
    "xlsx": ("Excel", ("xlsxwriter",)),
    "sav": ("SPSS", ("pyreadstat", "pandas")),
    "dta": ("Stata", ("pyreadstat", "pandas")),
}
FORMATS = tuple(_LIBRARIES)
"""What can be written here."""

_NAMES = {
    "sav": (re.compile(r"[^\W\d_][\w.@#$]{0,62}(?<![.])"), "begin with a letter, then letters, digits, _ . @ # or $"),
    "dta": (re.compile(r"[^\W\d]\w{0,31}"), "at most 32 letters, digits and _, and begin with no digit"),
}
_LONGEST = {"sav": 32_767, "dta": 2_045}
"""Bytes of a text."""
_MADE = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
"""So that the same table gives the same file whenever it is written."""


def require_writable(form: str, names: Collection[str]) -> None:
    """Refuse a format whose library is not here, or that has no room for the name of a column."""
    program, libraries = _LIBRARIES[form]
    lacking = [library for library in libraries if find_spec(library) is None]
    if lacking:
        raise ParameterError(
            f"{lacking[0]}, which files of {program} are written with, is not installed; `pip install 'shoal[files]'` "
            "brings it."
        )
    if form not in _NAMES:
        return
    pattern, rule = _NAMES[form]
    for name in names:
        if not pattern.fullmatch(name):
            raise ParameterError(
                f"the column {name!r} cannot be called so in a file of {program}: names {rule}. Rename it, or choose "
                "another format."
            )


def write_table(table: pa.Table, path: Path, book: Codebook, unlabeled: Collection[str] = ()) -> None:
    """Write a published table; columns that are `unlabeled` as text, whatever labels the original has for them."""
    form = path.suffix[1:]
    require_writable(form, table.column_names)
    for name, kind in zip(table.column_names, table.schema.types, strict=True):
        if not is_plain(kind):
            raise OutputError(
                f"a file of {_LIBRARIES[form][0]} cannot hold column {name!r}, whose values are of the type {kind}; "
                "set format = 'parquet' in [output], or leave the column out with the role 'dropped'."
            )
    if form == "xlsx":
        _write_workbook(table, path)
    else:
        _write_statistics(table, path, book, unlabeled)


def _write_workbook(table: pa.Table, path: Path) -> None:
    """Texts as texts: none of them is a formula or an address, however it begins."""
    import xlsxwriter

    texts = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(path, {"constant_memory": True, **texts}) as book:
        book.set_properties({"created": _MADE})
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        for first in range(0, max(table.num_rows, 1), ROWS_OF_A_SHEET):
            sheet = book.add_worksheet("data" if first == 0 else f"data {first // ROWS_OF_A_SHEET + 1}")
            for j, name in enumerate(table.column_names):
                sheet.write_string(0, j, name)
            part = table.slice(first, ROWS_OF_A_SHEET)
            for i, row in enumerate(zip(*(_cells(column) for column in part.columns), strict=True), start=1):
                for j, value in enumerate(row):
                    match value:
                        case None:
                            continue
                        case bool():
                            sheet.write_boolean(i, j, value)
                        case int() | float():
                            sheet.write_number(i, j, value)
                        case dt.datetime():
                            sheet.write_datetime(i, j, value, moment)
                        case dt.date():
                            sheet.write_datetime(i, j, value, day)
                        case _:
                            sheet.write_string(i, j, value)


def _cells(column: pa.ChunkedArray) -> Sequence[Any]:
    """Values that a cell of a sheet can hold as what they are; others as text."""
    import pyarrow as pa

    kind = column.type
    first = dt.date(1900, 3, 1)  # before it Excel counts a day that there never was
    if pa.types.is_date(kind):
        return [day if day is None or day >= first else day.isoformat() for day in column.to_pylist()]
    if pa.types.is_integer(kind):
        return [value if value is None or abs(value) <= 1 << 53 else str(value) for value in column.to_pylist()]
    if pa.types.is_floating(kind):
        return [None if value is None or value - value != 0 else value for value in column.to_pylist()]
    if pa.types.is_boolean(kind):
        return list(column.to_pylist())
    return [text for chunk in column.chunks for text in as_labels(chunk)]


def _write_statistics(table: pa.Table, path: Path, book: Codebook, unlabeled: Collection[str]) -> None:
    import pandas as pd
    import pyreadstat

    form = path.suffix[1:]
    columns: dict[str, Any] = {}
    labels: dict[str, dict[float, str]] = {}
    for name in table.column_names:
        values = _values(table[name])
        known = {} if name in unlabeled else _codes(values, book[name].labels, is_whole=form == "dta")
        if known:
            labels[name] = {code: label for label, code in known.items()}
            values = [None if value is None else known[value] for value in values]
        elif any(isinstance(value, str) and len(value.encode()) > _LONGEST[form] for value in values):
            raise OutputError(
                f"column {name!r} has a text that is longer than the {_LONGEST[form]:,} bytes that a file of "
                f"{_LIBRARIES[form][0]} holds; choose another format in [output]."
            )
        columns[name] = pd.Series(values, dtype="float64" if known else _kept_as(table[name].type))
    frame = pd.DataFrame(columns, columns=table.column_names)
    said = {name: book[name].label for name in table.column_names if book[name].label}
    given: dict[str, Any] = {"column_labels": said or None, "variable_value_labels": labels or None}
    if form == "dta" and labels:
        given["variable_value_labels"] = {n: {int(c): label for c, label in some.items()} for n, some in labels.items()}
    writer = pyreadstat.write_sav if form == "sav" else pyreadstat.write_dta
    try:
        writer(frame, str(path), **given)
    except pyreadstat.PyreadstatError as error:  # its text may quote a value
        raise OutputError(
            f"the table cannot be written as a file of {_LIBRARIES[form][0]} ({type(error).__name__}); choose another "
            "format in [output]."
        ) from None


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Numbers, days and moments as such; all else as text."""
    import pyarrow as pa

    kind = column.type
    is_day = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    if is_day or pa.types.is_floating(kind):
        return list(column.to_pylist())
    if pa.types.is_integer(kind):
        return [value if value is None else float(value) for value in column.to_pylist()]
    return [text for chunk in column.chunks for text in as_labels(chunk)]


def _kept_as(kind: pa.DataType) -> str:
    """The type of a column of pandas that holds such values."""
    import pyarrow as pa

    if pa.types.is_timestamp(kind):
        return "datetime64[us]"
    return "float64" if pa.types.is_floating(kind) or pa.types.is_integer(kind) else "object"


def _codes(values: Sequence[Any], labels: Mapping[str, str], *, is_whole: bool) -> dict[str, float]:
    """The codes of the labels that occur, if every value is the label of one code and no other's; else none."""
    present = {value for value in values if value is not None}
    codes: dict[str, float] = {}
    for code, label in labels.items():
        if label in present:
            if label in codes:
                return {}
            try:
                codes[label] = float(code)
            except ValueError:  # the code is a text itself
                return {}
    is_usable = len(codes) == len(present) and not (is_whole and any(code != int(code) for code in codes.values()))
    return codes if is_usable else {}
