"""What a file says about its columns beside their values: labels of columns and of codes, and how they are measured."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEY = b"shoal codebook"
"""Where it stands in the metadata of an Arrow schema on its way from one process to the other."""

_FEWEST_LABELS = 2
_SPECIAL = re.compile(r"-.*|9+[5-9]")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is said of one column.

    Attributes:
        label: What the column is, in words.
        labels: What codes stand for, by the code as a domain writes it; none for codes that mean a missing value.
        is_scale: Whether its values are measured on a scale, so that a label marks a special number.
    """

    label: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    is_scale: bool = False

    @property
    def names_values(self) -> bool:
        """Whether its codes are to become labels where nobody says otherwise.

        That hangs on what the file says of the column and on no record. Labels of -9 or 98 alone mark special numbers,
        as in `98 or older`.
        """
        usual = [code for code in self.labels if not _SPECIAL.fullmatch(code)]
        return not self.is_scale and len(usual) >= _FEWEST_LABELS


@dataclass(frozen=True, slots=True)
class Codebook:
    """What a file says of its columns, and which sheets it has."""

    columns: Mapping[str, Entry] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()

    def __getitem__(self, column: str) -> Entry:
        return self.columns.get(column, Entry())

    def to_bytes(self) -> bytes:
        """As JSON."""
        columns = {name: [e.label, dict(e.labels), e.is_scale] for name, e in self.columns.items()}
        return json.dumps({"columns": columns, "sheets": self.sheets}).encode()

    @staticmethod
    def of(metadata: Mapping[bytes, bytes] | None) -> Codebook:
        """What came with an Arrow schema."""
        found: Any = json.loads((metadata or {}).get(KEY, b"{}"))
        columns = {name: Entry(*parts) for name, parts in found.get("columns", {}).items()}
        return Codebook(columns, tuple(found.get("sheets", ())))
