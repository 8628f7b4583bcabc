"""Files that DuckDB or Spark reads instead of this process."""

from __future__ import annotations

import atexit
import os
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from shoal.engines.lazy.engine import LazyEngine
from shoal.engines.lazy.libraries import DuckDB, no_warnings
from shoal.engines.memory import bytes_of
from shoal.engines.reading.source import FolderSource, ParquetSource, Source
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.files.remains import scratch_folder
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    import pyarrow as pa

_QUIET: dict[str, Any] = {"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}
"""For a session that Shoal starts: standard error is where it says what is wrong."""
_PATTERN = re.compile(r"[*?\[\]{}]")
"""What DuckDB and Spark take for several files."""


Engines: TypeAlias = Literal["local", "duckdb", "spark"]


@dataclass(frozen=True, slots=True)
class Computing:
    """What reads the files of a table.

    Attributes:
        engine: `local`: this process; `duckdb`: with a limit to its memory, and a place on the disk beyond it; `spark`.
        memory: The most memory to be taken, such as `2GB`: by DuckDB, which goes on on the disk beyond it, or by this
            process, which refuses what needs more.
        master: The Spark cluster; as Spark is set up, if not given.
    """

    engine: Engines = "local"
    memory: str | None = None
    master: str | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.memory is not None:
            bytes_of(self.memory)
            if self.engine == "spark":
                raise ParameterError("Spark has its own limits to memory (spark.driver.memory); leave out memory.")
        if self.master is not None and self.engine != "spark":
            raise ParameterError(f"master is a Spark cluster, and the engine is {self.engine}; leave it out.")

    @staticmethod
    def named(engine: str, memory: str | None = None, master: str | None = None) -> Computing:
        """The same by a name that may be no engine's."""
        for known in get_args(Engines):
            if engine == known:
                return Computing(known, memory, master)
        raise ParameterError(f"there is no engine {engine!r}; expected one of {', '.join(get_args(Engines))}.")


def duckdb_engine(source: Source, missing: Collection[str], memory: str | None = None) -> LazyEngine:
    """The engine of files that DuckDB groups: Parquet it reads by itself, others as Shoal reads them everywhere."""
    try:
        import duckdb
    except ImportError:
        raise ParameterError("DuckDB is not installed; `pip install 'shoal[duckdb]'` brings it.") from None
    connection = duckdb.connect(config={"temp_directory": _folder(), "preserve_insertion_order": False})
    if memory is not None:
        connection.execute(f"SET memory_limit = '{memory}'")
    types, files = source.types(), _parquet_files(source)
    refusals: list[ShoalError] = []
    if files is None:
        rows = _Rows(source, refusals)
        relation = connection.from_arrow(rows)
    else:
        relation = connection.read_parquet([str(file) for file in files], hive_partitioning=False, union_by_name=True)
    return LazyEngine.of(
        relation,
        source.where,
        DuckDB(relation, refusals),
        missing=missing,
        is_typed=source.is_typed,
        came_as=types,
    )


def spark_engine(paths: list[str], where: str, missing: Collection[str], master: str | None = None) -> LazyEngine:
    """The engine of Parquet files that Spark reads; in a session that is there, or a new one."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # not whatever is called python on the path
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ParameterError("Spark is not installed; `pip install 'shoal[spark]'` brings it.") from None
    builder = SparkSession.builder.appName("shoal").config(map=_QUIET)
    try:
        with no_warnings():
            session = (builder if master is None else builder.master(master)).getOrCreate()
            frame = session.read.parquet(*paths)
    except Exception as error:  # noqa: BLE001  what Spark says may quote a record, or how to connect
        raise DataError(
            f"{where}: Spark could not begin ({type(error).__name__}); check that it runs here, and the path."
        ) from None
    return LazyEngine.of(frame, where, missing=missing)


def spark_files(source: Source) -> list[str]:
    """The Parquet files of a source, for Spark; refuses others, which it reads in its own ways."""
    files = _parquet_files(source)
    if files is None:
        raise ParameterError(
            f"{source.where}: --engine spark reads Parquet files, and these are others (or their names hold signs that "
            "stand for several files); write the table as Parquet, or take --engine duckdb."
        )
    return [file.absolute().as_uri() for file in files]


def _parquet_files(source: Source) -> list[Path] | None:
    parts = source.parts if isinstance(source, FolderSource) else (source,)
    files = [part.path for part in parts if isinstance(part, ParquetSource) and not _PATTERN.search(str(part.path))]
    return files if len(files) == len(parts) else None


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of a source as a stream of Arrow batches, from the beginning whenever it is asked for."""

    source: Source
    refusals: list[ShoalError]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        import pyarrow as pa

        kinds = self.source.types()
        reader = pa.RecordBatchReader.from_batches(pa.schema(kinds), self._batches(list(kinds)))
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        try:
            for batch, _ in self.source.batches(names, names):
                yield batch
        except ShoalError as error:
            self.refusals.append(error)
            raise


def _folder() -> str:
    """Where DuckDB puts what does not fit: for the owner alone, and gone when the process ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    return str(stack.enter_context(scratch_folder()))
