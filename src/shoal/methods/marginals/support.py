"""Support: records that could be there, drawn from what is believed, to be weighted until they fit it.

Everything here is computed from noisy numbers and from draws that are public: a fixed seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.kernels.grouping import narrowest

if TYPE_CHECKING:
    from shoal.methods.marginals.class_tables import ClassTables
    from shoal.methods.marginals.pairs import Pair

_SEED = 0
_TINY = 1e-12
_LEAST = 20_000
_MOST = 400_000


def support_size(records: int) -> int:
    """How many records are drawn to publish so many, by their noisy number."""
    return min(max(4 * records, _LEAST), _MOST)


def drawn_support(
    believed: ClassTables, pairs: Sequence[Pair], tables: Sequence[Floats], number: int
) -> tuple[Keys, list[Keys]]:
    """The class of so many records, and their leaf in each column.

    Columns are drawn one after the other along the pairs that tell most: a column from the one before and the class,
    as if these two told nothing together that they do not tell by themselves; without a pair, from the class alone.
    """
    rng = np.random.default_rng(_SEED)
    label = _drawn(np.zeros(number, dtype=np.int64), _shares(believed.totals)[None], rng)
    leaf: dict[int, Keys] = {}
    for column, link in _order(len(believed.tables), pairs, tables):
        of_class = _shares(believed.tables[column].T)
        if link is None:
            leaf[column] = _drawn(label, of_class, rng)
            continue
        pair, table = pairs[link], tables[link]
        which = pair.columns.index(column)
        pieces, before = pair.pieces[which], pair.pieces[1 - which][leaf[pair.columns[1 - which]]]
        joint = table if which == 1 else table.T
        lift = _shares(joint) / np.maximum(_shares(joint.sum(axis=0)), _TINY)
        in_class = _shares(pair.by_class(believed)[which].T)
        laws = _shares((in_class[:, None, :] * lift[None, :, :]).reshape(-1, pair.shape[which]))
        piece = _drawn(label * len(joint) + before, laws, rng)
        leaf[column] = _within(label, piece, pieces, of_class, rng)
    return label, [leaf[column] for column in range(len(believed.tables))]


def _order(columns: int, pairs: Sequence[Pair], tables: Sequence[Floats]) -> list[tuple[int, int | None]]:
    """Every column once, each with the pair that links it to an earlier one: a maximum spanning forest."""
    told = [_information(table) for table in tables]
    done: list[tuple[int, int | None]] = []
    placed: set[int] = set()
    while len(placed) < columns:
        links = [(told[i], -i) for i, pair in enumerate(pairs) if sum(column in placed for column in pair.columns) == 1]
        if links:
            link = -max(links)[1]
            column = next(column for column in pairs[link].columns if column not in placed)
            done.append((column, link))
        else:
            open_pairs = [(told[i], -i) for i, pair in enumerate(pairs) if not placed.intersection(pair.columns)]
            left = [column for column in range(columns) if column not in placed]
            column = pairs[-max(open_pairs)[1]].columns[0] if open_pairs else left[0]
            done.append((column, None))
        placed.add(column)
    return done


def _information(table: Floats) -> float:
    """What two columns tell about each other, by their table."""
    law = table / max(float(table.sum()), _TINY)
    alone = law.sum(axis=1, keepdims=True) * law.sum(axis=0)
    return float((law * np.log(np.maximum(law, _TINY) / np.maximum(alone, _TINY))).sum())


def _shares(weights: Floats) -> Floats:
    """The last axis scaled to add up to 1; equal parts where there is nothing."""
    total = weights.sum(axis=-1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / weights.shape[-1])


def evenly(groups: Keys, number: int, rng: np.random.Generator) -> Floats:
    """A place from 0 to below 1 for each record, spread evenly over those of its group, in no particular order."""
    mixed = rng.permutation(len(groups))
    narrow = groups.astype(narrowest(number))[mixed]  # sorted by digits, where these are few
    order = mixed[np.argsort(narrow, kind="stable")]
    sizes = np.bincount(groups, minlength=number)
    in_order = groups[order]
    place = np.empty(len(groups))
    place[order] = (np.arange(len(groups)) - (np.cumsum(sizes) - sizes)[in_order] + 0.5) / sizes[in_order]
    return place


def _drawn(groups: Keys, laws: Floats, rng: np.random.Generator) -> Keys:
    """A value for each record by the law of its group, so evenly that the shares in a group are those of the law."""
    ends = np.cumsum(laws, axis=1)
    ends = ends / ends[:, -1:] + np.arange(len(laws))[:, None]
    found = np.searchsorted(ends.ravel(), groups + evenly(groups, len(laws), rng), side="right")
    return np.asarray(np.clip(found - groups * laws.shape[1], 0, laws.shape[1] - 1))


def _within(label: Keys, piece: Keys, pieces: Keys, laws: Floats, rng: np.random.Generator) -> Keys:
    """A leaf of its piece for each record, by the law of its class."""
    by_piece = np.argsort(pieces, kind="stable")
    starts = np.searchsorted(pieces[by_piece], np.arange(int(pieces.max()) + 2))
    ends = np.cumsum(laws[:, by_piece] + _TINY, axis=1)
    ends = np.concatenate([np.zeros((len(laws), 1)), ends / ends[:, -1:]], axis=1)
    low, high = ends[label, starts[piece]], ends[label, starts[piece + 1]]
    place = low + (high - low) * evenly(label * int(pieces.max() + 1) + piece, len(laws) * int(pieces.max() + 1), rng)
    found = np.searchsorted((ends[:, 1:] + np.arange(len(laws))[:, None]).ravel(), label + place, side="right")
    return np.asarray(by_piece[np.clip(found - label * len(by_piece), starts[piece], starts[piece + 1] - 1)])
