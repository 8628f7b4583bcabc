"""Which dataset is in a file: by its bytes, its values and its name, for the ledger of what was spent on it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from shoal.dp.ledger.fingerprint import Dataset
from shoal.engines.reading.source import Source, open_source
from shoal.engines.reading.value_digest import value_digests


def dataset_at(
    path: Path,
    name: str | None = None,
    *,
    missing: Collection[str] = (),
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Dataset:
    """The dataset in a file or a folder of parts; the same in CSV, gzip or Parquet, and however it is sorted.

    Damaged records are read as records without values: to be recognized a table need not be one to be released.

    Args:
        path: The file or folder.
        name: What its owner calls it.
        missing: Texts that are declared to mean a missing value.
        delimiter: What stands between the cells of a CSV file, if it is not to be found out.
        encoding: How its text is written.
    """
    known = Dataset.of(path, name)
    source = open_source(path, delimiter=delimiter, encoding=encoding, absorb=True)
    return replace(known, values=value_digests(source, missing))


def dataset_of(source: Source, name: str | None = None, *, missing: Collection[str] = ()) -> Dataset:
    """The dataset of rows that are in no file here, by its values and name: all of them are seen once, none is kept."""
    values = value_digests(source, missing)
    return Dataset(values[0], name, values)
