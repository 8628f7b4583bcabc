"""Tables of databases, by their address: opened, fetched, and written in one transaction."""

from __future__ import annotations

import atexit
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.engines.lazy.addresses import Address
from shoal.engines.lazy.connections import Connection, connect
from shoal.engines.lazy.engine import LazyEngine
from shoal.engines.lazy.libraries import told
from shoal.errors import DataError, OutputError, ParameterError, ShoalError
from shoal.files.remains import scratch_folder

if TYPE_CHECKING:
    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema


def engine_of_database(address: Address, missing: Collection[str] = ("",)) -> LazyEngine:
    """The engine of a table, or of what a query finds."""
    connection = _connected(address)
    with _opened(address):
        asked = address.query
        table = connection.table(str(address.table)) if asked is None else connection.query(asked.rstrip("; \n"))
    return LazyEngine.of(table, address.where, missing=missing)


def has_table(address: Address, name: str) -> bool:
    """Whether a database has a table."""
    connection = _connected(address)
    with _opened(address):
        return name in connection.names()


def refuse_existing_table(address: Address, name: str) -> None:
    """Stop before any work if a table would be overwritten: one of a database may be anybody's, so none ever is."""
    if has_table(address, name):
        raise OutputError(
            f"{address.place} has a table {name!r} already, and tables are not overwritten, even with --force; name "
            "another in [output] table, or drop it yourself."
        )


def write_table(engine: LazyEngine, address: Address, schema: Schema, outcome: Outcome, name: str) -> None:
    """Write the published table into the database it comes from, whole or not at all."""
    connection = _connected(address)
    with told(address.place, engine.library), connection.one_view():
        frame = engine.frame(schema, outcome)
        connection.write(name, frame, lambda rows: _require_all(engine, rows, outcome.published.kept))


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
    with scratch_folder() as folder:
        path = folder / "data.parquet"
        types = engine.types()
        with pq.ParquetWriter(path, pa.schema(types)) as writer:
            for batch, _ in engine.batches(list(types)):
                writer.write_batch(pa.record_batch(batch.columns, schema=pa.schema(types)))
        yield path


def drop_table(address: Address, name: str) -> None:
    """Take back what was written."""
    with _opened(address):
        _connected(address).drop(name)


def _connected(address: Address) -> Connection:
    """The connection, one for each database: temporary tables live in it."""
    file = address.file
    if file is not None and not file.is_file():
        raise DataError(f"{file} does not exist; check [data] path, which is relative to the release file.")
    with _opened(address):
        return _connection(address.url, address.scheme, None if file is None else file.resolve())


@cache
def _connection(url: str, scheme: str, file: Path | None) -> Connection:
    """One for each database, for as long as the process lives: frames that were handed out are read through it."""
    connection = connect(url, scheme, file)
    atexit.register(connection.close)
    return connection


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
