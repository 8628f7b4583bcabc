"""One column while it streams by: every distinct value with its count, or, once there are too many, its range alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Sizes
from shoal.data.attribute import observed_domain
from shoal.data.domain import Categorical, Dates, Domain, Grid, Origin
from shoal.engines.codes.coding import Coder, as_labels
from shoal.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

MOST_VALUES = 200_000
"""Distinct values that are remembered per column."""

_ANY_TEXT = Categorical((), origin=Origin.OBSERVED)


class Tally:
    """Counts the values of one column; memory is bounded by `most` distinct ones.

    Attributes:
        records: Values seen, missing ones included.
        is_complete: Whether every distinct value is remembered; once it is not, the others stand in.
        domain: What the values of an incomplete tally have in common; None if no domain holds them.
        distinct: There are more than so many distinct values.
        uniqueness: Distinct values per value when the tally gave up.
        largest_share: The share of the most frequent value at that time.
    """

    def __init__(self, name: str, tokens: Sequence[str], most: int = MOST_VALUES) -> None:
        self.name, self.records, self.is_complete = name, 0, True
        self.domain: Domain | None = None
        self.distinct, self.uniqueness, self.largest_share = 0, 1.0, 0.0
        self._tokens, self._most = tokens, most
        self._coder = Coder(name, None, ())
        self._sizes: Sizes = np.zeros(1, dtype=np.int64)
        self._kept: Counter[str] = Counter()
        self._nulls = 0

    def add(self, column: pa.Array) -> None:
        """The next values."""
        self.records += len(column)
        if not self.is_complete:
            self._widen(column)
            return
        where, codes = self._coder.local(column)
        sizes = np.bincount(codes[where], minlength=self._coder.cardinality).astype(np.int64)
        sizes[: len(self._sizes)] += self._sizes
        self._sizes = sizes
        if len(self._coder.seen) > self._most:
            self._give_up()

    @property
    def nulls(self) -> int:
        """Values that are missing without a text that says so."""
        return self._nulls + int(self._sizes[0])

    def counts(self) -> dict[str, int]:
        """How often each value occurs; of an incomplete tally, only the texts that may mean a missing value."""
        if not self.is_complete:
            return dict(self._kept)
        return {label: n for label, n in zip(self._coder.seen, self._sizes[1:].tolist(), strict=True) if n}

    def _give_up(self) -> None:
        counts = self.counts()
        self.distinct, self.uniqueness = self._most, len(counts) / max(self.records - self.nulls, 1)
        self.largest_share = max(counts.values()) / self.records
        self._kept = Counter({label: counts[label] for label in self._tokens if label in counts})
        self._nulls, self.is_complete = self.nulls, False
        self._coder, self._sizes = Coder(self.name, None, ()), np.zeros(1, dtype=np.int64)
        domain = domain_of([label for label in counts if label not in self._tokens])
        self.domain = _ANY_TEXT if isinstance(domain, Categorical) else domain

    def _widen(self, column: pa.Array) -> None:
        """Take in more values without remembering them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        is_float = pa.types.is_floating(column.type)
        self._nulls += column.null_count + (pc.sum(pc.is_nan(column)).as_py() or 0 if is_float else 0)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            is_token = pc.is_in(column, value_set=pa.array(self._tokens, type=column.type))
            self._kept.update(column.filter(is_token).to_pylist())
            column = column.filter(pc.invert(is_token))
        if self.domain is None or isinstance(self.domain, Categorical):
            return
        if pa.types.is_integer(column.type):
            ends = pc.min_max(column).as_py().values()
            labels = [str(end) for end in ends if end is not None]
        else:
            labels = [text for text in as_labels(column.unique()) if text is not None]
        if labels:
            self.domain = _joined(self.domain, labels)


def domain_of(labels: Sequence[str]) -> Domain | None:
    """The observed domain; spaces around numbers are overlooked, as the engine does. None for numbers off any grid."""
    try:
        domain = observed_domain(labels, has_missing=False)
        if isinstance(domain, Categorical) and any(label != label.strip() for label in labels):
            stripped = observed_domain(list({label.strip() for label in labels}), has_missing=False)
            domain = domain if isinstance(stripped, Categorical) and not stripped.ordered else stripped
    except SchemaError:
        return None
    return None if isinstance(domain, Categorical) and domain.ordered else domain  # its numbers span too many steps


def _joined(domain: Grid | Dates, labels: Sequence[str]) -> Domain | None:
    other = domain_of(labels)
    if isinstance(domain, Dates) and isinstance(other, Dates):
        return Dates(min(domain.first, other.first), max(domain.last, other.last), origin=Origin.OBSERVED)
    if isinstance(domain, Grid) and isinstance(other, Grid):
        ends = [Decimal(end) for grid in (domain, other) for end in grid.labels([0, grid.steps])]
        step = Decimal(1).scaleb(-max(domain.decimals, other.decimals))
        try:
            return Grid.between(min(ends), max(ends), step, origin=Origin.OBSERVED)
        except SchemaError:
            return None
    return None if other is None else _ANY_TEXT
