"""What an engine does: count once, write once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from shoal.progress import Progress

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema
    from shoal.engines.reading.distinct_values import DistinctValues


class Engine(Protocol):
    """A table somewhere, and the two passes over it."""

    def names(self) -> tuple[str, ...]:
        """Its columns."""
        ...

    def encode(
        self,
        schema: Schema,
        counted: Sequence[str],
        progress: Progress,
        *,
        absorb: bool | Collection[str] = False,
        clamp: bool = False,
        watched: Mapping[str, DistinctValues] | None = None,
    ) -> EncodedTable:
        """Settle domains and hierarchies, and count the distinct records of some columns.

        With `absorb`, whatever a domain does not hold counts as missing, and no record can raise an error. With
        `clamp`, a number or day outside of its domain counts as the nearest inside. `watched` are shown the values of
        their columns in the same pass.
        """
        ...

    def frame(self, schema: Schema, outcome: Outcome) -> Any:
        """The published table as the kind of frame that came in."""
        ...

    def write(self, schema: Schema, outcome: Outcome, path: Path, progress: Progress) -> int:
        """Write the published table to a file, CSV or Parquet by its ending; the number of records written."""
        ...
