"""How a file writes its cells: what the owner declares once, so that nothing about it is found out from records.

The same text means different values in different files: `1.234` is a number near one, or more than a thousand;
`01.02.2024` is in January or in February; `-999` is a number, or says that there is none.
"""

from __future__ import annotations

import codecs
import datetime as dt
import re
from dataclasses import dataclass, replace
from typing import ClassVar

from shoal.errors import ParameterError, listed
from shoal.parameters import read_parameters

_NOT_OF_FILES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")
"""What Python calls an encoding and no file is written in."""

THOUSANDS = (".", ",", "'", "’", " ", "_")
"""What may stand between groups of three digits."""
_SPACES = " \u00a0\u202f\u2009"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PARTS = {
    "Y": r"(?P<year>\d{4})",
    "y": r"(?P<short>\d{2})",
    "m": r"(?P<month>\d{1,2})",
    "d": r"(?P<day>\d{1,2})",
    "b": r"(?P<name>[A-Za-z]{3})[a-z]*\.?",
    "H": r"\d{1,2}",
    "M": r"\d{2}",
    "S": r"\d{2}(?:\.\d+)?",
    "%": "%",
}
LAST_SHORT_YEAR = 2068
"""Two digits of a year are of the hundred years that end here, as POSIX has it, if a domain does not end earlier."""


@dataclass(frozen=True, slots=True)
class DateFormat:
    """One way to write days, such as `%d.%m.%Y` for 31.12.2024; what a clock says is passed over.

    >>> DateFormat("%d.%m.%Y").iso("31.12.2024"), DateFormat("%m/%d/%Y %H:%M").iso("12/31/2024 23:59")
    ('2024-12-31', '2024-12-31')
    >>> DateFormat("%d %b %y").iso("1 Feb 99"), DateFormat("%d.%m.%Y").iso("31.02.2024")
    ('1999-02-01', None)
    """

    known: ClassVar[str] = "%d, %m or %b, %Y or %y, and %H, %M, %S"

    written: str

    def __post_init__(self) -> None:
        read_parameters(self)
        codes = re.findall(r"%(.?)", self.written)
        parts = [code for code in codes if code in "Yymdb"]
        wrong = [code for code in codes if code not in _PARTS or not code]
        if wrong or sorted("m" if c == "b" else "Y" if c == "y" else c for c in parts) != ["Y", "d", "m"]:
            raise ParameterError(
                f"dates are written as {self.written!r}, which is no way to write a day; expected each of day, month "
                f"and year once ({self.known}), such as '%d.%m.%Y' for 31.12.2024."
            )

    def pattern(self) -> re.Pattern[str]:
        """What finds the parts of a day."""
        pieces = re.split(r"%(.)", self.written)
        parts = [_PARTS[piece] if i % 2 else re.escape(piece) for i, piece in enumerate(pieces)]
        return re.compile("".join(parts), re.ASCII)

    def iso(self, text: str) -> str | None:
        """A day as 2024-12-31; None if it is not written like this."""
        found = self.pattern().fullmatch(text)
        return None if found is None else day_of(found)


def day_of(found: re.Match[str], last_year: int = LAST_SHORT_YEAR) -> str | None:
    """The day whose parts were found; None if the calendar has no such day.

    Two digits of a year are of the hundred years that end with the last year.
    """
    parts = found.groupdict()
    year = int(parts["year"]) if parts.get("year") else last_year - (last_year - int(parts["short"])) % 100
    if parts.get("name"):
        name = parts["name"].lower()
        month = _MONTHS.index(name) + 1 if name in _MONTHS else 0
    else:
        month = int(parts["month"])
    try:
        return dt.date(year, month, int(parts["day"])).isoformat()
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """How the cells of one column are written.

    Attributes:
        name: The column.
        dates: How its days are written; the first way that fits is taken. ISO 8601 if not given.
        missing: What stands for a missing value in this column, beside what does so everywhere.
        labels: Whether codes become the labels that the file has for them, if not as for the whole file.
        names: Values that are declared by name: a cell that is one of them is not taken for a number.
        last_year: Two digits of a year are of the hundred years that end with this one.
    """

    name: str
    dates: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    labels: bool | None = None
    names: tuple[str, ...] = ()
    last_year: int = LAST_SHORT_YEAR

    def __post_init__(self) -> None:
        read_parameters(self)
        for written in self.dates:
            DateFormat(written)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file is written.

    Attributes:
        delimiter: What stands between the cells of a CSV file; found out from its header if not given.
        encoding: The encoding of a CSV file.
        sheet: The sheet of a workbook; its first one if not given.
        decimal: What stands before the digits behind the point.
        thousands: What stands between groups of three digits.
        trim: Whether spaces around texts are removed.
        labels: Whether codes become the labels that a file of Stata, SPSS or SAS has for them.
        columns: What differs from column to column.
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    sheet: str | None = None
    decimal: str = "."
    thousands: str | None = None
    trim: bool = False
    labels: bool = True
    columns: tuple[ColumnLayout, ...] = ()

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise ParameterError(f'a delimiter is one character such as "," or ";"; got {self.delimiter!r}.')
        try:
            "".encode(self.encoding)
            is_known = codecs.lookup(self.encoding).name not in _NOT_OF_FILES
        except (LookupError, UnicodeError, ValueError):
            is_known = False
        if not is_known:
            raise ParameterError(
                f'there is no encoding {self.encoding!r}; expected a name such as "utf-8", "latin-1" or "cp1252".'
            )
        if self.decimal not in (".", ","):
            raise ParameterError(f'decimal is "." or ","; got {self.decimal!r}.')
        if self.thousands is not None and self.thousands not in THOUSANDS:
            raise ParameterError(f"thousands is one of {listed(THOUSANDS, 9)}; got {self.thousands!r}.")
        if self.thousands == self.decimal:
            raise ParameterError(f"decimal and thousands are both {self.decimal!r}; numbers cannot be read so.")

    @property
    def changes_cells(self) -> bool:
        """Whether cells mean something else than what stands there."""
        has_own = any(column.dates or column.missing for column in self.columns)
        return self.decimal != "." or self.thousands is not None or self.trim or has_own

    def of(self, column: str) -> ColumnLayout:
        """What is said of one column."""
        return next((own for own in self.columns if own.name == column), ColumnLayout(column))

    def as_it_stands(self) -> Layout:
        """The same file with every cell as it stands there: no label, no day, no number made of it."""
        return replace(self, decimal=".", thousands=None, trim=False, labels=False, columns=())

    def number(self) -> re.Pattern[str] | None:
        """What finds numbers that are written otherwise than Python does; None if none are."""
        if self.decimal == "." and self.thousands is None:
            return None
        whole = r"\d+"
        if self.thousands is not None:
            between = f"[{_SPACES}]" if self.thousands == " " else "['’]" if self.thousands in "'’" else self.thousands
            between = re.escape(between) if len(between) == 1 else between
            whole = rf"\d{{1,3}}(?:{between}\d{{3}})+|\d+"
        return re.compile(rf"([+-]?)({whole})(?:{re.escape(self.decimal)}(\d+))?([eE][+-]?\d{{1,3}})?", re.ASCII)


PLAIN = Layout()
"""UTF-8, a delimiter that the header tells, numbers and days as everywhere."""
