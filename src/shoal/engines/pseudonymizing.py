"""Pseudonyms of identifiers: with which key, and the table that holds them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.data.schema import Pseudonyms, Role, Schema
from shoal.dp.ledger.key import LedgerKey, read_key, write_first_key
from shoal.engines.base import Engine
from shoal.engines.opening import reading_through
from shoal.engines.reading.keyed_source import KeyedSource
from shoal.engines.reading.source import Source
from shoal.errors import SchemaError, listed
from shoal.files.owner_only import owners_folder
from shoal.files.remains import data_folder

KEY = "pseudonyms.key"
"""Beside the ledger, for its owner alone: who loses it cannot make the same pseudonyms again."""


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where the key of pseudonyms is kept, and for which release it is used.

    Attributes:
        folder: That of the ledger; the usual one if it is not given.
        release: What the release is called; None if it has no name: then pseudonyms of one release cannot be made
        again.
    """

    folder: Path | None = None
    release: str | None = None

    def secret(self, column: str, kind: Pseudonyms) -> bytes:
        """The secret for the identifiers of one column."""
        if kind is Pseudonyms.LINKED:
            return self._key().sign("pseudonyms", column.encode())
        if self.release is None:
            return secrets.token_bytes(32)
        return self._key().sign("pseudonyms of a release", column.encode(), self.release.encode())

    def _key(self) -> LedgerKey:
        home = data_folder() if self.folder is None else self.folder
        path = home / KEY
        if (key := read_key(path)) is not None:
            return key
        for absent in reversed([folder for folder in (home, *home.parents) if not folder.exists()]):
            with suppress(FileExistsError):  # another run may make it just now
                owners_folder(absent)
        return write_first_key(path, LedgerKey.new())


def pseudonymized(engine: Engine, schema: Schema, place: KeyPlace) -> tuple[Engine, Schema]:
    """The table with pseudonyms in place of the identifiers of which the owner wishes them, and its schema."""
    wished = {column.name: column.pseudonym for column in schema if column.pseudonym is not None}
    through = reading_through(engine, lambda source: _with_pseudonyms(source, engine, wished, place))
    if through is None:
        raise SchemaError(
            f"pseudonyms of {listed(wished)} are made on this machine, and the table stays where it is; leave out "
            "pseudonym, or read the table from files."
        )
    columns = tuple(replace(c, role=Role.KEYED) if c.name in wished else c for c in schema)
    return through, replace(schema, columns=columns)


def _with_pseudonyms(source: Source, engine: Engine, wished: Mapping[str, Pseudonyms], place: KeyPlace) -> Source:
    return KeyedSource(source, {name: place.secret(name, kind) for name, kind in wished.items()}, engine.missing)
