"""The hierarchies of a release file as files that ARX reads: semicolons, no header, a row per value.

Shoal reads such files as they are (`hierarchy = "age.csv"`), so that hierarchies can go both ways.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from shoal.data.attribute import declared, settle
from shoal.data.hierarchies.standards.showing import rows_of
from shoal.data.schema import Role, Schema
from shoal.errors import HierarchyError

_MOST_VALUES = 1_000_000
"""Values of a column that are still written out."""


def arx_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows of values and what they become, as ARX reads them."""
    file = io.StringIO()
    csv.writer(file, delimiter=";", lineterminator="\n").writerows(rows)
    return file.getvalue()


def arx_hierarchies(schema: Schema) -> tuple[dict[str, str], dict[str, str]]:
    """The files of all columns with declared values, by their names; and the columns left out, each with the reason.

    No data are read: a column whose values nobody declared has none to write.
    """
    files: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for column in schema:
        if column.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            continue
        domain = declared(column, ())
        if domain is None:
            left_out[column.name] = "whose values are not declared"
        elif domain.size > _MOST_VALUES:
            left_out[column.name] = f"which has {domain.size:,} values"
        else:
            attribute = settle(column, domain)
            rows = rows_of(attribute)
            kept = [row for code, row in enumerate(rows) if code != attribute.domain.missing]
            files[_file_name(column.name, files)] = arx_text(kept)
    if not files:
        raise HierarchyError("no column of the release file has declared values; give their domain or a hierarchy.")
    return files, left_out


def _file_name(column: str, taken: Iterable[str]) -> str:
    plain = re.sub(r"[^\w .-]", "_", column).strip(" .") or "column"
    names = [f"{plain}.csv", *(f"{plain}-{number}.csv" for number in range(2, 10_000))]
    return next(name for name in names if name not in taken)
