"""Where a table may live that does not come to us: DuckDB, polars' lazy frames, SQLite, PostgreSQL, Spark.

`lazily(place, table)` puts an Arrow table there and gives the lazy frame; `back(frame)` reads one again. PostgreSQL is
started in a folder of its own, once for all tests of a process, by a user who is not root; so is one Spark session.
Where either cannot be, tests say why.
"""

import atexit
import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from contextlib import closing
from functools import cache
from itertools import count
from pathlib import Path

import narwhals as nw
import pyarrow as pa
import pytest

from shoal.cli.main import end_quietly
from shoal.engines.lazy.libraries import library_of

atexit.register(end_quietly)

QUICK = ("duckdb", "polars", "sqlite")
SLOW = ("postgresql", "spark")
EVERYWHERE = [*QUICK, *(pytest.param(place, marks=pytest.mark.slow) for place in SLOW)]

_NUMBERS = count()
_IN_SQLITE = {
    "bool": "BOOLEAN", "int": "INTEGER", "double": "REAL", "date": "DATE", "timestamp": "TIMESTAMP"
}  # fmt: skip


def lazily(place, table):
    """A lazy frame of an Arrow table, in some place."""
    makers = {"duckdb": _duckdb, "polars": _polars, "sqlite": _sqlite, "postgresql": _postgresql, "spark": _spark}
    return makers[place](table)


def back(frame):
    """A lazy frame as an Arrow table; what is one already stays as it is."""
    if isinstance(frame, pa.Table):
        return frame
    library = library_of(frame, nw.from_native(frame))
    batches = list(library.batches(frame))
    return pa.Table.from_batches(batches, None if batches else library.schema(frame))


def _duckdb(table):
    import duckdb

    connection, came = duckdb.connect(), table
    connection.execute("CREATE TABLE people AS SELECT * FROM came")
    del came
    return connection.table("people")


def _polars(table):
    import polars as pl

    return pl.from_arrow(table).lazy()


def _sqlite(table):
    import ibis

    folder = Path(tempfile.mkdtemp(prefix="shoal-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    backend = ibis.sqlite.connect(sqlite_file(folder / "people.db", table))
    atexit.register(backend.con.close)
    return backend.table("people")


def sqlite_file(path, table, name="people"):
    """Write a table into a SQLite file; its path."""
    kinds = [next((t for k, t in _IN_SQLITE.items() if str(f.type).startswith(k)), "TEXT") for f in table.schema]
    columns = ", ".join(f'"{n}" {kind}' for n, kind in zip(table.column_names, kinds, strict=True))
    with closing(sqlite3.connect(path)) as connection:
        _insert(connection, name, columns, table, "?")
    return path


def _insert(connection, name, columns, table, mark):
    plain = (str, int, float, bool, type(None))
    rows = [tuple(v if isinstance(v, plain) else str(v) for v in row.values()) for row in table.to_pylist()]
    cursor = connection.cursor()
    cursor.execute(f'CREATE TABLE "{name}" ({columns})')
    cursor.executemany(f'INSERT INTO "{name}" VALUES ({", ".join([mark] * table.num_columns)})', rows)
    connection.commit()
    connection.close()


def _postgresql(table):
    name = f"people_{next(_NUMBERS)}"
    postgresql_table(name, table)
    return _ibis_postgresql().table(name)


@cache
def _ibis_postgresql():
    import ibis

    return ibis.connect(postgresql())


def postgresql_table(name, table):
    """Write a table into the database."""
    kinds = {"bool": "boolean", "int": "bigint", "double": "double precision", "date": "date", "timestamp": "timestamp"}
    told = [next((t for k, t in kinds.items() if str(f.type).startswith(k)), "text") for f in table.schema]
    columns = ", ".join(f'"{n}" {kind}' for n, kind in zip(table.column_names, told, strict=True))
    _insert(postgresql_connection(), name, columns, table, "%s")


def postgresql_connection(**settings):
    """A connection to the database."""
    return pytest.importorskip("psycopg", exc_type=ImportError).connect(postgresql(), **settings)


@cache
def postgresql():
    """The URL of a PostgreSQL server in a folder of its own, started for this process; or a reason to skip."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL is not installed here")
    server, owner = found[-1].parent, "postgres" if os.geteuid() == 0 else None
    as_owner = [] if owner is None else ["runuser", "-u", owner, "--"]
    try:
        folder = Path(tempfile.mkdtemp(prefix="shoal-postgresql-"))
        if owner is not None:
            shutil.chown(folder, pwd.getpwnam(owner).pw_uid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        data = folder / "data"
        settings = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off -c shared_buffers=32MB"
        _run([*as_owner, server / "initdb", "-D", data, "-A", "trust", "-U", "shoal", "-E", "UTF8", "--no-sync"])
        atexit.register(_stop, [*as_owner, server / "pg_ctl", "-D", data, "-m", "immediate", "stop"], folder)
        _run([*as_owner, server / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", settings, "start"])
    except (OSError, KeyError, subprocess.SubprocessError) as error:
        pytest.skip(f"PostgreSQL cannot be started here: {type(error).__name__}")
    return f"postgresql://shoal@127.0.0.1:{port}/postgres"


def _run(command):
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=60, cwd="/")


def _stop(command, folder):
    subprocess.run(list(map(str, command)), check=False, capture_output=True, timeout=60, cwd="/")
    shutil.rmtree(folder, ignore_errors=True)


def _spark(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return spark().createDataFrame(table)


@cache
def spark(master="local[2, 4]"):
    """The Spark session of this process, in which a task may fail three times; or a reason to skip."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed here")
    pytest.importorskip("pyspark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.log.level": "ERROR",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = SparkSession.builder.master(master).config(map=settings).getOrCreate()
    atexit.register(session.stop)
    return session
