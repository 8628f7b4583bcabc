"""What an engine is: it knows where rows live, hands over distinct records with their counts, and writes rows.

Coding (`codes/encoding.py`), deciding and certifying are the same whatever the engine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from shoal.arrays import Sizes
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema
    from shoal.engines.codes.coding import Coder
    from shoal.engines.reading.distinct_values import DistinctValues


class Tallied(NamedTuple):
    """Some records, as they are written in the table, and how many rows each of them stands for.

    Attributes:
        records: Raw values; the same record may come in several batches.
        sizes: The rows of each record; None if each stands for one.
        done: The share of the table that has been read.
    """

    records: pa.RecordBatch
    sizes: Sizes | None
    done: float


class Engine(Protocol):
    """A table somewhere, and the two passes over it: one to count, one to write."""

    @property
    def where(self) -> str:
        """How messages call the table."""
        ...

    @property
    def missing(self) -> Collection[str]:
        """Texts that mean a missing value."""
        ...

    @property
    def is_typed(self) -> bool:
        """Whether columns have types of their own; if not, all are text and may mean numbers or days."""
        ...

    @property
    def is_elsewhere(self) -> bool:
        """Whether rows stay where they are, so that the distinct records of the table come all at once."""
        ...

    @property
    def is_literal(self) -> bool:
        """Whether values without a declared domain are names, even if they look like numbers or days."""
        ...

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        ...

    def distinct(
        self,
        names: Sequence[str],
        watched: Mapping[str, DistinctValues] | None = None,
        coders: Sequence[Coder] = (),
        varied: Collection[str] = (),
    ) -> Iterator[Tallied]:
        """The records of some columns, with how often they occur; `watched` see every value of theirs in the same pass.

        An engine may tally as far as it likes, or not at all: whoever asks merges what is equal. In place of a value it
        may hand over another one that the coder of the column treats alike. Columns that are `varied` have so many
        different values that they need not be coded.
        """
        ...

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """The rows of some columns as they are, each batch with the share of the table that has been read.

        So an engine is a `Source` too, for whoever has to see every row. Columns that are only `passed` on need not be
        coded.
        """
        ...

    def frame(self, schema: Schema, outcome: Outcome) -> Any:
        """The published table: an Arrow table, or a frame of the engine's own kind."""
        ...

    def groups(self, schema: Schema, outcome: Outcome) -> Any:
        """The distinct published records with their counts, likewise."""
        ...

    def write(self, schema: Schema, outcome: Outcome, path: Path, progress: Progress = silent) -> int:
        """Write the published table to a file, CSV or Parquet by its ending; the number of records written."""
        ...

    def write_groups(self, schema: Schema, outcome: Outcome, path: Path) -> None:
        """Write the distinct published records with their counts to a file, CSV or Parquet by its ending."""
        ...
