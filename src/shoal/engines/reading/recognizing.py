"""Which dataset is in a file: by its bytes, its values and its name, for the ledger of what was spent on it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from shoal.dp.ledger.fingerprint import Dataset
from shoal.engines.reading.foreign.formats import format_of
from shoal.engines.reading.layout import PLAIN, Layout
from shoal.engines.reading.source import Source, open_source
from shoal.engines.reading.value_digest import value_digests


def dataset_at(
    path: Path,
    name: str | None = None,
    *,
    missing: Collection[str] = (),
    layout: Layout = PLAIN,
) -> Dataset:
    """The dataset in a file or a folder of parts; the same in any format, and however it is sorted.

    Where cells mean something else than what stands there, it is known by both: by what is declared of them, as in a
    format that needs no such declaration, and as they stand, whatever is declared another time.

    Damaged records are read as records without values: to be recognized a table need not be one to be released.

    Args:
        path: The file or folder.
        name: What its owner calls it.
        missing: Texts that are declared to mean a missing value.
        layout: How the file writes its cells.
    """
    known = Dataset.of(path, name)
    ways = [layout]
    if layout.changes_cells or format_of(path) is not None:
        ways.append(layout.as_it_stands())
    found = [digest for way in ways for digest in value_digests(open_source(path, way, absorb=True), missing)]
    return replace(known, values=tuple(dict.fromkeys(found)))


def dataset_of(source: Source, name: str | None = None, *, missing: Collection[str] = ()) -> Dataset:
    """The dataset of rows that are in no file here, by its values and name: all of them are seen once, none is kept."""
    values = value_digests(source, missing)
    return Dataset(values[0], name, values)
