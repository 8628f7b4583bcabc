"""What narwhals does not say alike for all: how a table is brought to where a lazy frame lives, and read from there."""

from __future__ import annotations

import os
import secrets
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from shoal.engines.reading.source import BATCH_ROWS
from shoal.errors import DataError, ParameterError, ShoalError

if TYPE_CHECKING:
    import pyarrow as pa


_PARTITION = 1 << 18
"""Rows that Spark's driver holds at once, where their number is known."""


class Library(Protocol):
    """Where lazy frames of one kind live."""

    @property
    def title(self) -> str:
        """How messages call it."""
        ...

    @property
    def keeps_types(self) -> bool:
        """Whether every value of a column is of its type."""
        ...

    def schema(self, frame: Any) -> pa.Schema:
        """The columns of a frame and their types; nothing is read for it."""
        ...

    def bring(self, table: pa.Table) -> Any:
        """An Arrow table as a frame of this kind, in the same place."""
        ...

    def about(self, frame: Any) -> int | None:
        """About how many distinct rows a frame has, if that is cheap to find out; None if nobody can tell."""
        ...

    def batches(self, frame: Any) -> Iterator[pa.RecordBatch]:
        """The rows of a frame, as Arrow batches."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class DuckDB:
    """Relations of a DuckDB connection."""

    relation: Any
    """One of them: a relation knows its connection, and does not tell."""
    refusals: list[ShoalError] = field(default_factory=list)
    """What Shoal's own readers found wrong with a file, in the midst of a query."""

    @property
    def title(self) -> str:
        """DuckDB."""
        return "DuckDB"

    @property
    def keeps_types(self) -> bool:
        """It does."""
        return True

    def schema(self, frame: Any) -> pa.Schema:
        """As no rows have it."""
        return frame.limit(0).to_arrow_table().schema

    def bring(self, table: pa.Table) -> Any:
        """Scanned where it is in memory: DuckDB finds it by the name of the variable."""
        brought = table
        made = self.relation.query(f"shoal_{secrets.token_hex(4)}", "SELECT * FROM brought")
        del brought
        return made

    def about(self, frame: Any) -> int | None:
        """By a sketch of hashes."""
        names = ", ".join('"{}"'.format(name.replace('"', '""')) for name in frame.columns)
        return int(frame.aggregate(f"approx_count_distinct(hash({names}))").fetchall()[0][0])

    def batches(self, frame: Any) -> Iterator[pa.RecordBatch]:
        """Streamed."""
        yield from frame.to_arrow_reader(BATCH_ROWS)


@dataclass(frozen=True, slots=True)
class Polars:
    """Lazy frames of polars."""

    @property
    def title(self) -> str:
        """Polars."""
        return "polars"

    @property
    def keeps_types(self) -> bool:
        """It does."""
        return True

    def schema(self, frame: Any) -> pa.Schema:
        """As no rows have it."""
        return frame.collect_schema().to_frame().to_arrow().schema

    def bring(self, table: pa.Table) -> Any:
        """A frame that is there already, as if it were not."""
        import polars as pl

        return pl.DataFrame(table).lazy()

    def about(self, frame: Any) -> int | None:
        """By a sketch of hashes."""
        import polars as pl

        return int(frame.select(pl.struct(pl.all()).hash().approx_n_unique()).collect(engine="streaming").item())

    def batches(self, frame: Any) -> Iterator[pa.RecordBatch]:
        """Collected piece by piece."""
        for part in frame.collect_batches(chunk_size=BATCH_ROWS):
            yield from part.to_arrow().to_batches(max_chunksize=BATCH_ROWS)


@dataclass(frozen=True, slots=True, eq=False)
class Spark:
    """Data frames of a Spark session, classic or Connect."""

    session: Any

    @property
    def title(self) -> str:
        """Spark."""
        return "Spark"

    @property
    def keeps_types(self) -> bool:
        """It does."""
        return True

    def schema(self, frame: Any) -> pa.Schema:
        """As no rows have it."""
        with no_warnings():
            return frame.limit(0).toArrow().schema

    def bring(self, table: pa.Table) -> Any:
        """Shipped with the plan."""
        with no_warnings():
            return self.session.createDataFrame(table)

    def about(self, frame: Any) -> int | None:
        """By a sketch of hashes."""
        from pyspark.sql import functions as f

        columns = [f.col("`{}`".format(name.replace("`", "``"))) for name in frame.columns]
        return int(frame.select(f.approx_count_distinct(f.xxhash64(*columns))).first()[0])

    def batches(self, frame: Any, rows: int | None = None) -> Iterator[pa.RecordBatch]:
        """Partition after partition, each batch in one cell: collected as rows, they would be Python objects.

        Spark's driver holds a partition as a whole, and hangs or fails without room for it: so none has many rows, as
        far as their number is known, or is larger than Spark thinks good for a shuffle, and all are compressed.
        """
        import pyarrow as pa

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # not whatever is called python on the path

        def shipped(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            for batch in batches:
                sink = pa.BufferOutputStream()
                packed = pa.ipc.IpcWriteOptions(compression="zstd")
                with pa.ipc.new_stream(sink, batch.schema, options=packed) as stream:
                    stream.write_batch(batch)
                cell = pa.array([sink.getvalue().to_pybytes()], pa.binary())
                yield pa.RecordBatch.from_arrays([cell], names=["batch"])

        with no_warnings():
            spread = frame.hint("rebalance") if rows is None else frame.repartition(1 + rows // _PARTITION)
            cells = spread.mapInArrow(shipped, "batch binary").toLocalIterator(prefetchPartitions=True)
        for cell in cells:
            with pa.ipc.open_stream(cell[0]) as stream:
                yield from stream


@dataclass(frozen=True, slots=True, eq=False)
class Ibis:
    """Tables of a database, as Ibis knows them."""

    backend: Any

    @property
    def title(self) -> str:
        """The database."""
        return str(self.backend.name)

    @property
    def keeps_types(self) -> bool:
        """Not in SQLite, where a column of numbers may hold a text, which is larger than every number."""
        return str(self.backend.name) != "sqlite"

    def schema(self, frame: Any) -> pa.Schema:
        """What the database says."""
        return frame.schema().to_pyarrow()

    def bring(self, table: pa.Table) -> Any:
        """A temporary table of the connection: in one way that loses nothing where Ibis knows none that is as good."""
        import ibis

        fill = {"sqlite": _fill_sqlite, "postgres": _fill_postgresql}.get(self.backend.name)
        if fill is None:
            return ibis.memtable(table)
        name = f"shoal_{secrets.token_hex(8)}"
        made = self.backend.create_table(name, schema=ibis.memtable(table.slice(0, 0)).schema(), temp=True)
        fill(self.backend.con, name, table)
        return made

    def about(self, frame: Any) -> int | None:
        """Databases that know how do not know it alike."""
        del frame
        return None

    def batches(self, frame: Any) -> Iterator[pa.RecordBatch]:
        """By a cursor of the database, where it has one."""
        if self.backend.name == "sqlite":
            yield from _read_sqlite(self.backend.con, self.backend.compile(frame), self.schema(frame))
            return
        yield from self.backend.to_pyarrow_batches(frame, chunk_size=BATCH_ROWS)


def _fill_sqlite(connection: Any, name: str, table: pa.Table) -> None:
    """Numbers as they are, all else as the text that SQLite keeps; by way of pandas, whole numbers would suffer."""
    kept = (str, int, float, bytes, type(None))
    marks = ", ".join("?" * table.num_columns)
    with connection:
        for batch in table.to_batches(max_chunksize=BATCH_ROWS):
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            some = ([value if isinstance(value, kept) else str(value) for value in row] for row in rows)
            connection.executemany(f'INSERT INTO temp."{name}" VALUES ({marks})', some)  # noqa: S608  a name of ours


def _read_sqlite(connection: Any, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """What a query finds, each column in the type it is declared with; Ibis reads all of it at once, through pandas."""
    import pyarrow as pa

    cursor = connection.execute(query)
    while rows := cursor.fetchmany(BATCH_ROWS):
        columns = [
            _typed(list(column), field.type) for column, field in zip(zip(*rows, strict=True), schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=pa.schema(schema))
    cursor.close()


def _typed(values: list[Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return pa.array([None if value is None else bool(value) for value in values], kind)
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        return pa.array([None if value is None else str(value) for value in values], pa.string()).cast(kind)
    return pa.array(values, kind)


def _fill_postgresql(connection: Any, name: str, table: pa.Table) -> None:
    """Copied, which takes a tenth of the time of inserting."""
    with connection.cursor() as cursor, connection.transaction(), cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
        for batch in table.to_batches(max_chunksize=BATCH_ROWS):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                copy.write_row(row)


def is_lazy(frame: Any) -> bool:
    """Whether a frame is one that stays where it is until it is asked for."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return False
    try:
        return isinstance(nw.from_native(frame, pass_through=True), nw.LazyFrame)
    except nw.exceptions.DuplicateError:  # which whoever reads it will say
        return False


def library_of(frame: Any, wrapped: Any) -> Library:
    """The library of a lazy frame, which narwhals has `wrapped`; refuses what Shoal has not been tried on."""
    import narwhals as nw

    known = wrapped.implementation
    if known is nw.Implementation.DUCKDB:
        return DuckDB(frame)
    if known is nw.Implementation.POLARS:
        return Polars()
    if known in (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT):
        return Spark(frame.sparkSession)
    if known is nw.Implementation.IBIS:
        return Ibis(frame.get_backend())
    raise ParameterError(
        f"{known.name.lower()} frames stay where they are in a way that Shoal has not been tried on; give a DuckDB "
        "relation, a Spark frame, an Ibis table or a polars lazy frame, or collect it."
    )


@contextmanager
def told(where: str, library: Library) -> Iterator[None]:
    """What a library says when it fails may quote a record, or how to connect: only the kind of error is told."""
    try:
        yield
    except (ShoalError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  every library has its own
        kind, title = type(error).__name__, library.title
        if isinstance(library, DuckDB) and library.refusals:
            raise library.refusals[0] from None
        raise DataError(
            f"{where}: {title} could not do what it was asked ({kind}); try the same table with {title} itself, and "
            "see that nobody changes it and that there is room for what is temporary."
        ) from None


@contextmanager
def no_warnings() -> Iterator[None]:
    """Spark warns of versions of pandas that are not used here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
