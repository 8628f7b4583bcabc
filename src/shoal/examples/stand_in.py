"""Records that nobody has, drawn evenly from declared domains: to try a private method on without paying for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.data.attribute import declared
from shoal.data.schema import Schema
from shoal.errors import SchemaError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


def drawn_from_domains(schema: Schema, columns: Sequence[str], records: int, rng: np.random.Generator) -> pa.Table:
    """A table of some columns; every value that is declared is equally likely, and columns do not depend on each other.

    Nothing in it was read from a record, so nothing in it needs protection; nor does it look like the table.
    """
    import pyarrow as pa

    drawn: dict[str, list[str]] = {}
    for name in columns:
        domain = declared(schema[name], ())
        if domain is None:
            raise SchemaError(f"column {name!r}: its domain is not declared, so that no values can be drawn from it.")
        possible = domain.size - (domain.missing is not None)
        drawn[name] = domain.labels(rng.integers(0, max(possible, 1), records).tolist())
    return pa.table(drawn)
