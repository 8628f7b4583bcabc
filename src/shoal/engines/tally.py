"""One column while it streams by: every distinct value with its count, or, once there are too many, its range alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Sizes
from shoal.data.domain import Categorical, Dates, Domain, Grid, Origin
from shoal.data.settle import observed_domain
from shoal.engines.coding import Coder, as_labels
from shoal.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

MOST_VALUES = 200_000
"""Distinct values that are remembered per column."""


class Tally:
    """Counts the values of one column; memory is bounded by `most` distinct ones.

    Attributes:
        records: Values seen, missing ones included.
        is_complete: Whether every distinct value is remembered; once it is not, the others stand in.
        domain: What the values of an incomplete tally have in common; None if no domain holds them.
        distinct: How many distinct values there were when the tally gave up.
        uniqueness: Distinct values per value at that time.
    """

    def __init__(self, name: str, tokens: Collection[str], most: int = MOST_VALUES) -> None:
        self.name, self.records, self.is_complete = name, 0, True
        self.domain: Domain | None = None
        self.distinct, self.uniqueness = 0, 1.0
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
        self.distinct, self.uniqueness = len(counts), len(counts) / max(self.records - self.nulls, 1)
        self._kept = Counter({label: counts[label] for label in self._tokens if label in counts})
        self._nulls, self.is_complete = self.nulls, False
        self._coder, self._sizes = Coder(self.name, None, ()), np.zeros(1, dtype=np.int64)
        self.domain = domain_of(self.name, [label for label in counts if label not in self._tokens])

    def _widen(self, column: pa.Array) -> None:
        """Take in more values without remembering them."""
        import pyarrow as pa

        self._nulls += column.null_count
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_integer(column.type):
            import pyarrow.compute as pc

            ends = pc.min_max(column).as_py()
            labels = [str(end) for end in ends.values() if end is not None]
        else:
            coded = column.dictionary_encode()
            texts = as_labels(coded.dictionary)
            for i, text in enumerate(texts):
                if text is None or text in self._tokens:
                    count = int((coded.indices.to_numpy(zero_copy_only=False) == i).sum())
                    self._nulls += count if text is None else 0
                    self._kept[text or ""] += 0 if text is None else count
            labels = [text for text in texts if text is not None and text not in self._tokens]
        if labels and self.domain is not None and not isinstance(self.domain, Categorical):
            self.domain = _joined(self.name, self.domain, labels)


def domain_of(name: str, labels: Sequence[str]) -> Domain | None:
    """The observed domain; spaces around numbers are overlooked, as the engine does. None for numbers off any grid."""
    try:
        domain = observed_domain(name, labels, has_missing=False)
        if isinstance(domain, Categorical) and any(label != label.strip() for label in labels):
            stripped = observed_domain(name, list({label.strip() for label in labels}), has_missing=False)
            domain = stripped if isinstance(stripped, Grid) else domain
    except SchemaError:  # its numbers span too many steps
        return None
    return domain


def _joined(name: str, domain: Grid | Dates, labels: Sequence[str]) -> Domain | None:
    other = domain_of(name, labels)
    if isinstance(domain, Dates) and isinstance(other, Dates):
        return Dates(min(domain.first, other.first), max(domain.last, other.last), origin=Origin.OBSERVED)
    if isinstance(domain, Grid) and isinstance(other, Grid):
        ends = [Decimal(end) for grid in (domain, other) for end in grid.labels([0, grid.steps])]
        step = Decimal(1).scaleb(-max(domain.decimals, other.decimals))
        try:
            return Grid.between(min(ends), max(ends), step, origin=Origin.OBSERVED)
        except SchemaError:
            return None
    return None if other is None else Categorical((), origin=Origin.OBSERVED)
