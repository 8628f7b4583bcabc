"""Where a table is that is no file: a URL and a table or a query. No password stands in it, and none is ever shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from shoal.errors import ParameterError
from shoal.parameters import read_parameters

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""One letter before the colon is a drive."""
_SECRET = re.compile(r"pass|pwd|token|secret|credential|key|auth|sig", re.IGNORECASE)

FILES = ("sqlite", "duckdb")
"""Databases in a file of their own."""
LAKES = ("file", "hdfs", "s3", "s3a", "gs", "abfs", "abfss", "wasbs", "dbfs")
"""Where files are that Spark reads by itself."""


def is_url(text: str) -> bool:
    """Whether a path is the URL of a database or of a file system that is not this machine's."""
    return _URL.match(text) is not None


@dataclass(frozen=True, slots=True)
class Address:
    """A table of a database, or Parquet files where Spark reads them.

    Attributes:
        url: What to connect to, such as `postgresql://host/database`. Credentials are not in it: they come from the
            environment, or from the files in which the driver looks for them.
        table: The table, `schema.table` if it is not in the usual schema.
        query: What is asked instead of a table.
        folder: What the path of a database in a file is relative to.
    """

    url: str
    table: str | None = None
    query: str | None = None
    folder: Path = Path()

    def __post_init__(self) -> None:
        read_parameters(self)
        try:
            parts = urlsplit(self.url)
            keys = [key for key, _ in parse_qsl(parts.query, keep_blank_values=True)]
            _ = parts.port
        except ValueError:
            raise ParameterError(
                "path is a URL that cannot be understood (it is not repeated here, for it may hold a password); "
                "expected one such as postgresql://host/database."
            ) from None
        user = parts.netloc.rpartition("@")[0]
        if ":" in user or any(_SECRET.search(key) for key in keys) or "@" in user:
            raise ParameterError(
                "path is a URL with a password or a key in it, which is not repeated here; take it out, and let the "
                "driver find it in the environment (PGPASSWORD, for instance) or in its own files (~/.pgpass)."
            )
        if "://" not in self.url:
            raise ParameterError("path is no URL, which has // behind its colon; expected postgresql://host/database.")
        if self.scheme in LAKES:
            if self.table is not None or self.query is not None:
                raise ParameterError(f"{self.where} has no tables or queries; it is where Spark reads Parquet files.")
        elif (self.table is None) == (self.query is None):
            raise ParameterError(f"{self.where} is a database; give either table or query beside path.")

    @property
    def scheme(self) -> str:
        """What kind of place it is."""
        return urlsplit(self.url).scheme.lower()

    @property
    def file(self) -> Path | None:
        """The file of a database that is one."""
        if self.scheme not in FILES:
            return None
        parts = urlsplit(self.url)
        return self.folder / f"{parts.netloc}{parts.path}"

    @property
    def place(self) -> str:
        """The database, without who connects and how."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}"

    @property
    def where(self) -> str:
        """How messages call the table."""
        if self.table is not None:
            return f"{self.place}, table {self.table!r}"
        return self.place if self.query is None else f"{self.place}, query"
