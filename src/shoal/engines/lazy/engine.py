"""One engine for every table that stays where it is: it groups raw records there, and only counts come here.

What is written once in narwhals runs on DuckDB, Spark, polars' lazy frames and, through Ibis, in databases. Nothing is
coded there: what a value means is decided by the same coder as everywhere, on distinct records. What the coder would
treat alike is made one value before it is grouped (`pushing.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.data.people.persons import DistinctCount
from shoal.engines.base import Tallied
from shoal.engines.bridge import to_numpy
from shoal.engines.codes.coding import Coder, is_text
from shoal.engines.lazy.expressions import one_where, unlike
from shoal.engines.lazy.libraries import Ibis, Library, Spark, library_of, told
from shoal.engines.lazy.pushing import counted_as, pushed
from shoal.engines.lazy.returning import Returned
from shoal.engines.reading.source import checked_names
from shoal.engines.writing.publishing import Publication
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema
    from shoal.engines.reading.distinct_values import DistinctValues


@dataclass(frozen=True, eq=False)
class LazyEngine:
    """A table that is asked for counts.

    Attributes:
        table: The table, in narwhals' hands.
        library: Where it lives.
        where: How messages call it.
        missing: Texts that mean a missing value.
        is_typed: Whether columns have types of their own.
        came_as: The types that columns had where the library has read them from, if it changes some.
    """

    is_elsewhere: ClassVar[bool] = True

    table: Any
    library: Library
    where: str = "the table"
    missing: Collection[str] = ("",)
    is_typed: bool = True
    came_as: Mapping[str, pa.DataType] | None = None

    @staticmethod
    def of(frame: Any, where: str = "the table", library: Library | None = None, **how: Any) -> LazyEngine:
        """The engine of a DuckDB relation, a Spark frame, an Ibis table or a polars lazy frame."""
        import narwhals as nw

        wrapped = nw.from_native(frame)
        return LazyEngine(wrapped, library or library_of(frame, wrapped), where, **how)

    @property
    def is_literal(self) -> bool:
        """What looks like a number or a day is one."""
        return False

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        return dict(self._types if self.came_as is None else self.came_as)

    @cached_property
    def _types(self) -> dict[str, pa.DataType]:
        with told(self.where, self.library):
            schema = self.library.schema(self.table.to_native())
        return checked_names(dict(zip(schema.names, schema.types, strict=True)), schema.names, self.where)

    def distinct(
        self,
        names: Sequence[str],
        watched: Mapping[str, DistinctValues] | None = None,
        coders: Sequence[Coder] = (),
        varied: Collection[str] = (),
    ) -> Iterator[Tallied]:
        """Grouped where the table is; of watched columns too only numbers come here."""
        del varied  # they come tallied
        import narwhals as nw

        for name, values in (watched or {}).items():
            values.take(self._repetitions(name, values.missing))
        if not names:
            return
        size = unlike("size", names)
        grouped = self.valued(names, coders).group_by(*names).agg(nw.len().cast(nw.Int64).alias(size))
        for batch in self._batches(grouped):
            sizes = to_numpy(batch.column(size))
            yield Tallied(batch.select(list(names)), sizes, 1.0)

    def about(self, names: Sequence[str], more_than: int = 0, coders: Sequence[Coder] = ()) -> int | None:
        """About how many distinct records some columns have, if the library can say, and there are so many rows."""
        if isinstance(self.library, Ibis):
            return None
        with told(self.where, self.library):
            if self._rows() <= more_than:
                return None
            return self.library.about(self.valued(names, coders).to_native())

    def _rows(self) -> int:
        import narwhals as nw

        counted = self.table.select(nw.len().cast(nw.Int64).alias("rows")).to_native()
        (rows,) = (row["rows"] for batch in self.library.batches(counted) for row in batch.to_pylist())
        return int(rows)

    def valued(self, names: Sequence[str], coders: Sequence[Coder] = (), passed: Sequence[str] = ()) -> Any:
        """Some columns as they are grouped, and others as they are.

        A moment is its day, for nothing that is counted knows the time of day; one with a time zone only if the library
        finds the day in the zone that it hands it over with. What will be coded alike is one value.
        """
        import narwhals as nw
        import pyarrow as pa

        is_zoned = isinstance(self.library, Spark)

        def is_moment(kind: pa.DataType) -> bool:
            return pa.types.is_timestamp(kind) and (kind.tz is None or is_zoned)

        known = {coder.name: coder for coder in coders if self.library.keeps_types}
        values, floors = [], {}
        for name in names:
            value, kind = nw.col(name), self._types[name]
            if is_moment(kind):
                value, kind = value.dt.date(), pa.date32()
            if name in known:
                value, kind = pushed(value, kind, known[name])
            values.append(value.alias(name))
            if name in known and not (
                is_text(kind) and isinstance(self.library, Ibis)
            ):  # two texts may be the same there
                floors[name] = counted_as(known[name], kind)
        frame = self.table.select(*values, *passed)
        for name, floor in floors.items():
            if floor is not None and len(floor):
                frame = self._replaced(frame, name, floor)
        return frame.select(*names, *passed)

    def _replaced(self, frame: Any, name: str, floor: pa.Table) -> Any:
        """A frame with some values of a column replaced by others."""
        import narwhals as nw

        taken = frame.collect_schema().names()
        value, other = unlike("value", taken), unlike("other", taken)
        brought = nw.from_native(self.library.bring(floor.rename_columns([value, other])))
        joined = frame.join(brought, left_on=name, right_on=value, how="left")
        kept = nw.when(nw.col(other).is_null()).then(nw.col(name)).otherwise(nw.col(other)).alias(name)
        return joined.select(*(kept if column == name else nw.col(column) for column in taken))

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Rows as they are: for files, which are written here, and for recognizing a dataset."""
        del passed  # nothing is coded that is not
        chosen, library = self.table.select(*names), self.library
        with told(self.where, library):
            if isinstance(library, Spark):
                found = library.batches(chosen.to_native(), self._rows())
            else:
                found = library.batches(chosen.to_native())
            for batch in found:
                yield batch, 1.0

    def frame(self, schema: Schema, outcome: Outcome) -> Any:
        """The published table as a lazy frame of the same kind."""
        with told(self.where, self.library):
            return Returned(self, schema, outcome).frame()

    def groups(self, schema: Schema, outcome: Outcome) -> Any:
        """The distinct published records with their counts, as a lazy frame of the same kind."""
        return self.library.bring(self._publication(schema, outcome).groups())

    def write(self, schema: Schema, outcome: Outcome, path: Path, progress: Progress = silent) -> int:
        """Write the published table to a file here, CSV or Parquet by its ending; the number of records written."""
        return self._publication(schema, outcome).write(path, progress)

    def write_groups(self, schema: Schema, outcome: Outcome, path: Path) -> None:
        """Write the distinct published records with their counts to a file, CSV or Parquet by its ending."""
        self._publication(schema, outcome).write_groups(path)

    def _publication(self, schema: Schema, outcome: Outcome) -> Publication:
        return Publication(self, self.missing, schema, outcome)

    def _batches(self, table: Any) -> Iterator[pa.RecordBatch]:
        with told(self.where, self.library):
            yield from self.library.batches(table.to_native())

    def _repetitions(self, name: str, missing: Collection[str]) -> DistinctCount:
        """How many values of a column there are, how many different ones, and how many of these repeat."""
        import narwhals as nw
        import pyarrow as pa

        kind, value = self._types[name], nw.col(name)
        if pa.types.is_null(kind):
            return DistinctCount(0, 0, 0, 0)
        is_there = ~value.is_null()
        if pa.types.is_floating(kind):
            is_there &= ~value.is_nan()
        elif self.table.collect_schema()[name] == nw.String and missing:
            is_there &= ~value.is_in(list(missing))
        size = unlike("size", [name])
        values = self.table.select(value).filter(is_there).group_by(name).agg(nw.len().cast(nw.Int64).alias(size))
        seen = values.select(
            nw.col(size).sum().cast(nw.Int64).alias("present"),
            nw.len().cast(nw.Int64).alias("distinct"),
            one_where(nw.col(size) > 1).sum().cast(nw.Int64).alias("repeated"),
            nw.col(size).max().alias("most"),
        )
        (row,) = (row for batch in self._batches(seen) for row in batch.to_pylist())
        return DistinctCount(**{name: number or 0 for name, number in row.items()})
