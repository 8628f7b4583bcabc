"""Parts of a table: which records teach, which ones test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.errors import ParameterError


def random_parts(sizes: Sizes, shares: Sequence[float], rng: np.random.Generator) -> Sizes:
    """`parts[p, row]`: how many records of each row fall into part p, records being dealt out at random.

    Parts have their exact share of the records, up to rounding.
    """
    if not shares or min(shares) < 0 or not sum(shares) > 0:
        raise ParameterError(f"shares are numbers of 0 or more, not all 0; got {list(shares)!r}.")
    rows: Keys = np.repeat(np.arange(len(sizes)), sizes)
    ends = np.rint(np.cumsum(shares) / sum(shares) * len(rows)).astype(np.int64)
    dealt = np.searchsorted(ends, rng.permutation(len(rows)), side="right")
    cells = np.bincount(dealt * len(sizes) + rows, minlength=len(shares) * len(sizes))
    return cells.reshape(len(shares), len(sizes))


def part(table: EncodedTable, sizes: Sizes) -> EncodedTable:
    """The same table with as many records of each row as `sizes` says."""
    return table.with_counts(rows_of(table.counts, sizes))


def rows_of(counts: Counts, sizes: Sizes) -> Counts:
    """The same rows with as many records of each as `sizes` says; those that do not occur are left out."""
    rows = np.flatnonzero(sizes)
    return Counts(counts.names, tuple(column[rows] for column in counts.codes), counts.cardinalities, sizes[rows])


def chosen_at_random(labels: Keys, sizes: Sizes, wanted: Sizes, rng: np.random.Generator) -> Sizes:
    """How many records of each row are chosen if `wanted[g]` of the records with label g are, all equally likely."""
    rows: Keys = np.repeat(np.arange(len(sizes)), sizes)
    group = labels[rows]
    order = np.lexsort((rng.random(len(rows)), group))
    starts = np.searchsorted(group[order], np.arange(len(wanted)))
    rank = np.arange(len(rows)) - starts[group[order]]
    chosen = rows[order][rank < wanted[group[order]]]
    return np.bincount(chosen, minlength=len(sizes))
