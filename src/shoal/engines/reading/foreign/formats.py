"""Which files are read by which library, and what brings it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Format:
    """Files of one program.

    Attributes:
        program: Whose files they are, for messages.
        reader: The module beside this one that reads them, in a process of its own.
        library: What that module needs.
        extra: What brings the library along.
        is_typed: Whether columns have types of their own; in a workbook each cell has.
    """

    program: str
    reader: str
    library: str
    extra: str
    is_typed: bool = True


_WORKBOOK = Format("Excel", "workbooks", "fastexcel", "files", is_typed=False)
_SPSS = Format("SPSS", "statistics", "pyreadstat", "files")
_STATA = Format("Stata", "statistics", "pyreadstat", "files")
_SAS = Format("SAS", "statistics", "pyreadstat", "files")

FOREIGN = {
    ".xlsx": _WORKBOOK,
    ".xlsm": _WORKBOOK,
    ".xlsb": _WORKBOOK,
    ".xls": _WORKBOOK,
    ".ods": Format("OpenDocument", "workbooks", "fastexcel", "files", is_typed=False),
    ".sav": _SPSS,
    ".zsav": _SPSS,
    ".dta": _STATA,
    ".sas7bdat": _SAS,
    ".xpt": _SAS,
    ".rds": Format("R", "r_frames", "rdata", "r"),
}
"""By the ending of a file's name."""


def format_of(path: Path) -> Format | None:
    """The format of a file by its ending; None if it is none of these."""
    return FOREIGN.get(path.suffix.lower())
