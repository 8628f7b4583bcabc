"""The engine of a table, by where the table is: the one place that chooses an implementation."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from shoal.engines.base import Engine
from shoal.engines.lazy.engine import LazyEngine
from shoal.engines.lazy.libraries import is_lazy
from shoal.engines.local import LocalEngine
from shoal.engines.reading.native import ArrowTables
from shoal.engines.reading.published_source import open_published
from shoal.engines.reading.source import frame_source, open_source


def engine_at(
    path: Path, *, delimiter: str | None = None, encoding: str = "utf-8", missing: Collection[str] = ("",)
) -> Engine:
    """The engine of a file or of a folder of files."""
    return LocalEngine(open_source(path, delimiter=delimiter, encoding=encoding), missing)


def engine_of_frame(frame: Any) -> tuple[Engine, Callable[[Any, Collection[str]], Any]]:
    """The engine of a table in memory or of a lazy frame, and what makes that kind of what the engine gives back."""
    if is_lazy(frame):
        return LazyEngine.of(frame), ArrowTables()
    source, native = frame_source(frame)
    return LocalEngine(source), native


def engine_of_published(path: Path) -> Engine:
    """The engine of a published file, in which every cell is taken as it is written."""
    return LocalEngine(open_published(path), missing=(), is_literal=True)
