"""What a description says about columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shoal.data.domain import Dates, Grid
from shoal.data.schema import Role


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """What is said about one column.

    Attributes:
        label: What it is called in words.
        values: All values that it may have, in their order, if they are listed.
        domain: The numbers or days that it may have, if their ends are given.
        missing: Codes that stand for a missing value in this column.
        role: Its role, if a release of Shoal says so.
    """

    label: str = ""
    values: tuple[str, ...] = ()
    domain: Grid | Dates | None = None
    missing: tuple[str, ...] = ()
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """What is said about a table.

    Attributes:
        columns: What is said about columns, by their names.
        missing: Texts that stand for a missing value in all columns; None if nothing is said.
        delimiter: What stands between cells of a CSV file.
        encoding: The encoding of a CSV file.
    """

    columns: Mapping[str, DescribedColumn] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None
    delimiter: str | None = None
    encoding: str | None = None
