"""From weighted records of leaves to what is published. Sees noisy numbers only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Keys
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.recoding import Cut, Lookup
from shoal.methods.marginals.leaves import is_wide
from shoal.methods.marginals.support import evenly

if TYPE_CHECKING:
    from shoal.arrays import Sizes
    from shoal.data.encoded import EncodedTable
    from shoal.methods.marginals.leaves import Leaves

MOST_ROWS = 20_000_000
"""Up to so many records each gets numbers of its own; beyond, equal ones share them."""
_SEED = 1


class Numbers(Enum):
    """How wide numbers are published."""

    VALUES = "values"
    """As numbers, spread evenly over the interval that was counted."""
    INTERVALS = "intervals"
    """As the intervals that were counted."""


def published_records(
    table: EncodedTable,
    leaves: Sequence[Leaves],
    codes: Mapping[str, Keys],
    sizes: Sizes,
    numbers: Numbers,
    search: Mapping[str, object],
) -> Outcome:
    """Records that stand so often in a release; `codes` are leaves of the columns of `leaves`, values of others."""
    rows = np.repeat(np.arange(len(sizes)), sizes if int(sizes.sum()) <= MOST_ROWS else np.minimum(sizes, 1))
    each = np.ones(len(rows), dtype=np.int64) if len(rows) == int(sizes.sum()) else sizes[rows]
    rng = np.random.default_rng(_SEED)
    columns = {name: column[rows] for name, column in codes.items()}
    lookups = {}
    for of_column in leaves:
        attribute, leaf = of_column.attribute, columns[of_column.attribute.name]
        if numbers is Numbers.INTERVALS and is_wide(attribute):
            lookups[attribute.name] = Lookup.of_spans(of_column.of(np.arange(attribute.domain.size)))
            continue
        values, widths = of_column.firsts[leaf], of_column.lasts - of_column.firsts + 1
        if (widths > 1).any():
            values = values + np.floor(evenly(leaf, len(of_column), rng) * widths[leaf]).astype(np.int64)
        columns[attribute.name] = values
    return _made_up(table, Cut(lookups), columns, each, numbers, search)


def no_records(table: EncodedTable, numbers: Numbers) -> Outcome:
    """A release of nobody, in which wide numbers were never halved."""
    none = np.zeros(0, dtype=np.int64)
    wide = [attribute for attribute in table.attributes if numbers is Numbers.INTERVALS and is_wide(attribute)]
    whole = {a.name: Lookup.of_spans(np.zeros(a.domain.size, dtype=np.int64)) for a in wide}
    return _made_up(table, Cut(whole), {a.name: none for a in table.attributes}, none, numbers, {})


def _made_up(
    table: EncodedTable,
    cut: Cut,
    columns: Mapping[str, Keys],
    sizes: Sizes,
    numbers: Numbers,
    search: Mapping[str, object],
) -> Outcome:
    """Only intervals make new records comparable with those that are published."""
    names = [attribute.name for attribute in table.attributes]
    shown = {attribute.name: cut.lookup(attribute).shown for attribute in table.attributes}
    published = Counts.of(names, [columns[name] for name in names], [len(shown[name]) for name in names], sizes)
    recoding = cut if numbers is Numbers.INTERVALS else None
    return Outcome(table=table, published=published, shown=shown, recoding=recoding, is_made_up=True, search=search)
