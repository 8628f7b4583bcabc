"""Connections to databases, and how each of them writes a table whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from shoal.errors import ParameterError


class Connection(Protocol):
    """An open database; temporary tables live as long as it does."""

    def table(self, name: str) -> Any:
        """A table, `schema.table` if it is not in the usual schema."""
        ...

    def query(self, text: str) -> Any:
        """What a query finds."""
        ...

    def names(self) -> Collection[str]:
        """The tables that are there."""
        ...

    def one_view(self) -> AbstractContextManager[None]:
        """For as long as it is entered, the database is seen as it was then, where that can be had."""
        ...

    def write(self, name: str, frame: Any, require: Callable[[int], None]) -> None:
        """Make a table of a frame; `require` refuses a number of rows, and then there is no table."""
        ...

    def drop(self, name: str) -> None:
        """Remove a table."""
        ...

    def close(self) -> None:
        """Let go of the database; nothing is asked of it after."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ByIbis:
    """A database that Ibis knows."""

    backend: Any

    def table(self, name: str) -> Any:
        """An Ibis table."""
        schema, _, own = name.rpartition(".")
        return self.backend.table(own, database=schema or None)

    def query(self, text: str) -> Any:
        """An Ibis table."""
        return self.backend.sql(text)

    def names(self) -> Collection[str]:
        """The tables of the usual schema."""
        return list(self.backend.list_tables())

    @contextmanager
    def one_view(self) -> Iterator[None]:
        """In PostgreSQL one transaction for all that is asked and written."""
        if self.backend.name != "postgres":
            yield
            return
        with self.backend.con.transaction():
            self.backend.con.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield

    def write(self, name: str, frame: Any, require: Callable[[int], None]) -> None:
        """In the transaction of `one_view`, or in one statement and taken back."""
        made = self.backend.create_table(name, obj=frame)
        try:
            require(int(self.backend.to_pyarrow(made.count()).as_py()))
        except BaseException:
            self.backend.drop_table(name, force=True)
            raise

    def drop(self, name: str) -> None:
        """As Ibis does."""
        self.backend.drop_table(name, force=True)

    def close(self) -> None:
        """Ibis leaves it to the collector, and Python complains of that."""
        self.backend.con.close()


@dataclass(frozen=True, slots=True, eq=False)
class SQLite(ByIbis):
    """A SQLite file: Ibis ends a transaction with whatever it does, so a table is written without it."""

    def write(self, name: str, frame: Any, require: Callable[[int], None]) -> None:
        """In one transaction."""
        quoted = _quoted(name)
        columns = ", ".join(column.sql("sqlite") for column in frame.schema().to_sqlglot_column_defs("sqlite"))
        query = self.backend.compile(frame)
        with self.backend.con as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"CREATE TABLE {quoted} ({columns})")
            connection.execute(f"INSERT INTO {quoted} {query}")
            ((rows,),) = connection.execute(f"SELECT count(*) FROM {quoted}")  # noqa: S608  a quoted name
            require(rows)

    def drop(self, name: str) -> None:
        """Ibis writes a sentence for it that SQLite does not understand."""
        self.backend.con.execute(f"DROP TABLE {_quoted(name)}")


@dataclass(frozen=True, slots=True, eq=False)
class DuckDBFile:
    """A DuckDB file, asked without Ibis, which knows other versions of it."""

    connection: Any

    def table(self, name: str) -> Any:
        """A relation."""
        return self.connection.table(name)

    def query(self, text: str) -> Any:
        """A relation."""
        return self.connection.sql(text)

    def names(self) -> Collection[str]:
        """The tables and views of the file."""
        return [name for (name,) in self.connection.sql("SELECT table_name FROM information_schema.tables").fetchall()]

    def one_view(self) -> AbstractContextManager[None]:
        """Nobody else writes to a file that is open here."""
        return nullcontext()

    def write(self, name: str, frame: Any, require: Callable[[int], None]) -> None:
        """In one transaction."""
        self.connection.begin()
        try:
            frame.create(_quoted(name))
            require(int(self.connection.table(_quoted(name)).count("*").fetchall()[0][0]))
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise

    def drop(self, name: str) -> None:
        """Remove it."""
        self.connection.execute(f"DROP TABLE {_quoted(name)}")

    def close(self) -> None:
        """Others may write to the file again."""
        self.connection.close()


def connect(url: str, scheme: str, file: Path | None) -> Connection:
    """Open a database: credentials come from the environment, or from the files of its driver."""
    if scheme == "duckdb" and file is not None:
        try:
            import duckdb
        except ImportError:
            raise ParameterError("DuckDB is not installed; `pip install 'shoal[duckdb]'` brings it.") from None
        return DuckDBFile(duckdb.connect(file))
    try:
        import ibis
    except ImportError:
        raise ParameterError(
            "a database is reached through Ibis, which is not installed; `pip install 'shoal[ibis]'` brings it."
        ) from None
    return ByIbis(ibis.connect(url)) if file is None else SQLite(ibis.sqlite.connect(file))


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
