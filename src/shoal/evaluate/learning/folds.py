"""Folds: which published records stem from which fold of the original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.errors import ParameterError
from shoal.evaluate.parts import chosen_at_random
from shoal.kernels import grouping


@dataclass(frozen=True, slots=True, eq=False)
class PublishedFolds:
    """How the published records fall into folds.

    Attributes:
        sizes: `sizes[fold, row]`: how many records of a published row stem from a fold.
        is_held_out: Whether that is known. Where it is not, as with noisy counts, published records are dealt to the
            folds at random, and a tested record may have had its part in what teaches.
    """

    sizes: Sizes
    is_held_out: bool


def published_folds(table: EncodedTable, dealt: Sizes, outcome: Outcome, rng: np.random.Generator) -> PublishedFolds:
    """Deal the published records as the originals were dealt: `dealt[fold, row]` records of each distinct original.

    Which of several alike records of the original were published makes no difference, so it is drawn.
    """
    if outcome.sources is not None:
        parts = outcome.sources
        used = grouping.totals(parts.source, len(table.counts), parts.sizes)
        if len(used) == len(table.counts) and (used <= table.counts.sizes).all():
            return PublishedFolds(_by_sources(parts, dealt, len(outcome.published), rng), is_held_out=True)
    elif outcome.recoding is not None and outcome.classes is not None:  # without classes: counts with noise
        found = _by_recoding(table, dealt, outcome, rng)
        if found is not None:
            return PublishedFolds(found, is_held_out=True)
    if not _is_same(table.counts, outcome.table.counts):
        raise ParameterError("the release has records that the table has not; it was made from another table.")
    records: Keys = np.repeat(np.arange(len(outcome.published)), outcome.published.sizes)
    fold = rng.permutation(len(records)) % len(dealt)
    return PublishedFolds(_tally(fold, records, dealt.shape[0], len(outcome.published)), is_held_out=False)


def _by_recoding(table: EncodedTable, dealt: Sizes, outcome: Outcome, rng: np.random.Generator) -> Sizes | None:
    """Published records are recoded originals: those of one kind are drawn from the originals of that kind."""
    assert outcome.recoding is not None
    recoding, counts, published = outcome.recoding, table.counts, outcome.published
    lookups = {attribute.name: recoding.lookup(attribute) for attribute in outcome.table.quasi_identifiers}
    columns, widths = [], []
    for name in published.names:
        codes = counts.column(name)
        columns.append(
            np.concatenate([lookups[name].codes[codes] if name in lookups else codes, published.column(name)])
        )
        widths.append(lookups[name].size if name in lookups else counts.cardinality(name))
    labels, groups = grouping.group(columns, widths, len(counts) + len(published))
    of_original, of_published = labels[: len(counts)], labels[len(counts) :]
    wanted = grouping.totals(of_published, groups, published.sizes)
    if (wanted > grouping.totals(of_original, groups, counts.sizes)).any():
        return None
    fold, row = np.nonzero(dealt)
    chosen = chosen_at_random(of_original[row], dealt[fold, row], wanted, rng)
    row_of = grouping.members(of_published, groups)
    there = chosen > 0
    cells = fold[there] * len(published) + row_of[of_original[row[there]]]
    tallied = grouping.totals(cells, len(dealt) * len(published), chosen[there])
    return tallied.reshape(len(dealt), len(published))


def _by_sources(parts: Partition, dealt: Sizes, published: int, rng: np.random.Generator) -> Sizes:
    """Records of one original row are alike, so any of them may be the ones of a fold: by lot."""
    fold, row = np.nonzero(dealt.T)[::-1]
    folds: Keys = np.repeat(fold, dealt[fold, row])
    rows: Keys = np.repeat(row, dealt[fold, row])
    shuffled = folds[np.lexsort((rng.random(len(rows)), rows))]  # rows ascend already
    starts = np.searchsorted(rows, np.arange(dealt.shape[1]))
    order = np.argsort(parts.source, kind="stable")
    source, label, sizes = parts.source[order], parts.label[order], parts.sizes[order]
    of_part: Keys = np.repeat(np.arange(len(source)), sizes)
    before = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    first_part = np.searchsorted(source, source)  # the first part of the same original row
    within = np.arange(len(of_part)) - before[first_part[of_part]]
    return _tally(shuffled[starts[source[of_part]] + within], label[of_part], len(dealt), published)


def _tally(fold: Keys, row: Keys, folds: int, rows: int) -> Sizes:
    return np.bincount(fold * rows + row, minlength=folds * rows).reshape(folds, rows)


def _is_same(one: Counts, other: Counts) -> bool:
    if one is other:
        return True
    return (
        one.names == other.names
        and np.array_equal(one.sizes, other.sizes)
        and all(np.array_equal(a, b) for a, b in zip(one.codes, other.codes, strict=True))
    )
