"""The engine of a table, by where the table is: the one place that chooses an implementation."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.engines.base import Engine
from shoal.engines.lazy.addresses import LAKES, Address
from shoal.engines.lazy.databases import engine_of_database
from shoal.engines.lazy.engine import LazyEngine
from shoal.engines.lazy.files import Computing, duckdb_engine, spark_engine, spark_files
from shoal.engines.lazy.libraries import is_lazy
from shoal.engines.local import LocalEngine
from shoal.engines.reading.layout import PLAIN, Layout
from shoal.engines.reading.native import ArrowTables
from shoal.engines.reading.published_source import open_published, published_rows
from shoal.engines.reading.source import Source, frame_source, open_source
from shoal.errors import ParameterError

HERE = Computing()


def engine_at(
    path: Path | Address,
    *,
    layout: Layout = PLAIN,
    missing: Collection[str] = ("",),
    computing: Computing = HERE,
    absorb: bool | tuple[str, ...] = False,
) -> Engine:
    """The engine of a file or of a folder of files, or of a table of a database; `absorb` as for `open_source`."""
    if isinstance(path, Address):
        if layout.changes_cells:
            raise ParameterError(
                f"{path.place} is no file, and decimal, thousands, trim, dates and missing of a column say how a file "
                "writes its cells; leave them out, and convert the values in a query."
            )
        return _engine_of_address(path, missing, computing)
    source = open_source(path, layout, absorb=absorb)
    match computing.engine:
        case "duckdb":
            return duckdb_engine(source, missing, computing.memory)
        case "spark":
            return spark_engine(spark_files(source), source.where, missing, computing.master)
        case _:
            return LocalEngine(source, missing)


def _engine_of_address(address: Address, missing: Collection[str], computing: Computing) -> Engine:
    if address.scheme in LAKES:
        if computing.engine != "spark":
            raise ParameterError(f"{address.place} is where Spark reads Parquet files; say --engine spark.")
        return spark_engine([address.url], address.where, missing, computing.master)
    if computing.engine != "local":
        raise ParameterError(
            f"{address.place} is a database, which counts by itself; leave out --engine {computing.engine}."
        )
    return engine_of_database(address, missing)


def engine_of_frame(frame: Any) -> tuple[Engine, Callable[[Any, Collection[str]], Any]]:
    """The engine of a table in memory or of a lazy frame, and what makes that kind of what the engine gives back."""
    if is_lazy(frame):
        return LazyEngine.of(frame), ArrowTables()
    source, native = frame_source(frame)
    return LocalEngine(source), native


def engine_of_published(path: Path, *, is_marked: bool = False) -> Engine:
    """The engine of a published file, in which every cell is taken as it is written; `is_marked` as it was opened."""
    return LocalEngine(open_published(path, is_marked=is_marked), missing=(), is_literal=True)


def engine_of_release(path: Path, missing: Collection[str]) -> Engine:
    """The engine of a release's data taken as a table like any other, in which some texts stand for a missing value."""
    return LocalEngine(published_rows(path), missing)


def with_missing(engine: Engine, missing: Collection[str]) -> Engine:
    """The engine of the same table, in which these stand for a missing value too; as it is, if its rows stay there."""
    if not isinstance(engine, LocalEngine):
        return engine
    return replace(engine, missing=tuple(dict.fromkeys((*engine.missing, *missing))))


def reading_through(engine: Engine, wrap: Callable[[Source], Source]) -> Engine | None:
    """The engine of the same table, with its source as `wrap` makes it; None if rows stay where they are."""
    return replace(engine, source=wrap(engine.source)) if isinstance(engine, LocalEngine) else None
