"""Tables of databases: opened through Ibis, and written in one transaction."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.lazy.addresses import Address
from shoal.engines.lazy.engine import LazyEngine
from shoal.engines.lazy.libraries import told
from shoal.errors import DataError, OutputError, ParameterError, ShoalError

if TYPE_CHECKING:
    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema


def engine_of_database(address: Address, missing: Collection[str] = ("",)) -> LazyEngine:
    """The engine of a table, or of what a query finds."""
    backend = _connected(address)
    with _opened(address):
        if address.query is not None:
            table = backend.sql(address.query.rstrip().rstrip(";"))
        else:
            schema, _, name = str(address.table).rpartition(".")
            table = backend.table(name, database=schema or None)
    return LazyEngine.of(table, address.where, missing=missing)


def refuse_existing_table(address: Address, name: str) -> None:
    """Stop before any work if a table would be overwritten: one of a database may be anybody's, so none ever is."""
    backend = _connected(address)
    with _opened(address):
        is_there = name in backend.list_tables()
    if is_there:
        raise OutputError(
            f"{address.place} has a table {name!r} already, and tables are not overwritten, even with --force; name "
            "another in [output] table, or drop it yourself."
        )


def write_table(engine: LazyEngine, address: Address, schema: Schema, outcome: Outcome, name: str) -> None:
    """Write the published table into the database it comes from, whole or not at all."""
    backend = _connected(address)
    with told(address.place, engine.library), _one_view(backend):
        frame = engine.frame(schema, outcome)
        if backend.name == "sqlite":
            _write_sqlite(engine, backend, name, frame, outcome.published.kept)
        else:
            made = backend.create_table(name, obj=frame)
            try:
                (row,) = (row for batch in engine.library.batches(made.count().as_table()) for row in batch.to_pylist())
                _require_all(engine, next(iter(row.values())), outcome.published.kept)
            except BaseException:
                backend.drop_table(name, force=True)
                raise


def _write_sqlite(engine: LazyEngine, backend: Any, name: str, frame: Any, kept: int) -> None:
    """In a transaction of our own: Ibis ends one with whatever it does."""
    quoted = '"{}"'.format(name.replace('"', '""'))
    columns = ", ".join(column.sql("sqlite") for column in frame.schema().to_sqlglot_column_defs("sqlite"))
    query = backend.compile(frame)
    with backend.con as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"CREATE TABLE {quoted} ({columns})")
        connection.execute(f"INSERT INTO {quoted} {query}")
        ((rows,),) = connection.execute(f"SELECT count(*) FROM {quoted}")  # noqa: S608
        _require_all(engine, rows, kept)


def _require_all(engine: LazyEngine, rows: int, kept: int) -> None:
    """Inside of the transaction, which goes with it if there are others."""
    if rows != kept:
        raise DataError(
            f"{engine.where} changed while it was being read; nothing was written. Run again when nobody writes to it."
        )


@contextmanager
def fetched(address: Address) -> Iterator[Path]:
    """A table that was published, as a Parquet file for as long as it is looked at."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    engine = engine_of_database(address, ())
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        path = Path(folder) / "data.parquet"
        types = engine.types()
        with pq.ParquetWriter(path, pa.schema(types)) as writer:
            for batch, _ in engine.batches(list(types)):
                writer.write_batch(pa.record_batch(batch.columns, schema=pa.schema(types)))
        yield path


def drop_table(address: Address, name: str) -> None:
    """Take back what was written."""
    backend = _connected(address)
    with _opened(address):
        if backend.name == "sqlite":  # for which Ibis writes a sentence that SQLite does not understand
            backend.con.execute('DROP TABLE "{}"'.format(name.replace('"', '""')))
        else:
            backend.drop_table(name, force=True)


@contextmanager
def _one_view(backend: Any) -> Iterator[None]:
    """One transaction, which sees the database as it was when it began, where it can be had."""
    if backend.name != "postgres":
        yield
        return
    with backend.con.transaction():
        backend.con.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _connected(address: Address) -> Any:
    """The connection, one for each database: temporary tables live in it."""
    file = address.file
    if file is not None and not file.is_file():
        raise DataError(f"{file} does not exist; check [data] path, which is relative to the release file.")
    with _opened(address):
        return _connection(address.url, address.scheme, None if file is None else file.resolve())


@cache
def _connection(url: str, scheme: str, file: Path | None) -> Any:
    try:
        import ibis
    except ImportError:
        raise ParameterError(
            "a database is reached through Ibis, which is not installed; `pip install 'shoal[ibis]'` brings it."
        ) from None
    return ibis.connect(url) if file is None else getattr(ibis, scheme).connect(file)


@contextmanager
def _opened(address: Address) -> Iterator[None]:
    """What a driver says may hold what it connects with: it is not passed on."""
    try:
        yield
    except (ShoalError, MemoryError):
        raise
    except ImportError:
        raise ParameterError(
            f"{address.place}: the driver of {address.scheme} is not installed; "
            f"`pip install 'ibis-framework[{address.scheme}]'` may bring it."
        ) from None
    except Exception as error:  # noqa: BLE001  every driver has its own
        raise DataError(
            f"{address.where} cannot be opened ({type(error).__name__}); check its names, and that the credentials are "
            "where the driver looks for them: the environment, or files of its own."
        ) from None
