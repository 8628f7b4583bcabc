"""Support: records that could be there, drawn from what is believed, to be weighted until they fit it.

Everything here is computed from noisy numbers and from draws that are public: a fixed seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.kernels.grouping import narrowest

if TYPE_CHECKING:
    from shoal.methods.marginals.class_tables import ClassTables
    from shoal.methods.marginals.groups.group import Group

_SEED = 0
_TINY = 1e-12
_LEAST = 20_000
_MOST = 400_000


def support_size(records: int) -> int:
    """How many records are drawn to publish so many, by their noisy number."""
    return min(max(4 * records, _LEAST), _MOST)


def drawn_support(
    believed: ClassTables, groups: Sequence[Group], tables: Sequence[Floats], number: int
) -> tuple[Keys, list[Keys]]:
    """The class of so many records, and their leaf in each column.

    Columns are drawn one after the other along the groups that tell most: a column from those before it and the class,
    as if these told nothing together that they do not tell by themselves; without a group, from the class alone.
    """
    rng = np.random.default_rng(_SEED)
    label = _drawn(np.zeros(number, dtype=np.int64), _shares(believed.totals)[None], rng)
    leaf: dict[int, Keys] = {}
    while len(leaf) < len(believed.tables):
        link = _best_link(groups, tables, leaf)
        if link is None:
            column = _start(len(believed.tables), groups, tables, leaf)
            leaf[column] = _drawn(label, _shares(believed.tables[column].T), rng)
            continue
        group, column, axis = groups[link.group], link.column, link.axis
        before = _cells_of_axes(group, link.known, leaf)
        lift = _shares(link.joint) / np.maximum(_shares(link.joint.sum(axis=0)), _TINY)
        in_class = _shares(group.by_class(believed)[axis].T)
        laws = _shares((in_class[:, None, :] * lift[None, :, :]).reshape(-1, group.shape[axis]))
        piece = _drawn(label * len(lift) + before, laws, rng)
        leaf[column] = _within(label, piece, group.pieces[axis], _shares(believed.tables[column].T), rng)
    return label, [leaf[column] for column in range(len(believed.tables))]


class _Link(NamedTuple):
    """A column, and the group by which columns that are known tell about it.

    `joint` has a row for each cell of the known axes and a column for each piece.
    """

    told: float
    group: int
    column: int
    axis: int
    known: list[int]
    joint: Floats


def _best_link(groups: Sequence[Group], tables: Sequence[Floats], leaf: Mapping[int, Keys]) -> _Link | None:
    """What known columns tell most about."""
    best: _Link | None = None
    for i, (group, table) in enumerate(zip(groups, tables, strict=True)):
        known = [axis for axis, column in enumerate(group.columns) if column in leaf]
        for axis, column in enumerate(group.columns):
            if not known or column in leaf:
                continue
            beside = tuple(other for other in range(table.ndim) if other != axis and other not in known)
            joint = np.moveaxis(table.sum(axis=beside, keepdims=True), axis, -1).reshape(-1, table.shape[axis])
            told = _information(joint)
            if best is None or told > best.told:
                best = _Link(told, i, column, axis, known, joint)
    return best


def _start(columns: int, groups: Sequence[Group], tables: Sequence[Floats], leaf: Mapping[int, Keys]) -> int:
    """The first column of the group that tells most, where no known column tells about others."""
    apart = [
        (_information(table.reshape(len(table), -1)), -i)
        for i, (group, table) in enumerate(zip(groups, tables, strict=True))
        if not any(column in leaf for column in group.columns)
    ]
    if apart:
        return groups[-max(apart)[1]].columns[0]
    return next(column for column in range(columns) if column not in leaf)


def _cells_of_axes(group: Group, axes: Sequence[int], leaf: Mapping[int, Keys]) -> Keys:
    """The cell of each record on some axes of a group."""
    cell = np.zeros(len(next(iter(leaf.values()))), dtype=np.int64)
    for axis in axes:
        cell = cell * group.shape[axis] + group.pieces[axis][leaf[group.columns[axis]]]
    return cell


def _information(table: Floats) -> float:
    """What the two axes of a table tell about each other."""
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
