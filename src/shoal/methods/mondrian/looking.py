"""Which cuts are compared by what is lost after them, before one is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from shoal.methods.parts.cells import Cells
    from shoal.methods.parts.judge import Judge

_NEAR = 200
"""Regions of so many times k records or fewer are cut where their sides lose least, if cells are ranges and sets."""

_NEAR_NODES = 50
"""The same if they are nodes: cuts along the hierarchies do better for longer."""

_NEAR_IN_LARGE = 20
"""The same in a large table, so that cutting takes no more than twice its time."""

_LARGE = 5_000_000
"""Distinct records times columns of a large table."""

_COMPARED = 100
"""Columns times columns that are looked at for this, about: of many columns only the dearest are compared."""

_LEAST = 3
"""But no fewer columns than these, and in a large table no more."""


class Look(NamedTuple):
    """Which cuts are compared.

    Attributes:
        records: Those of regions with so many records or fewer.
        columns: Those of so many columns, the dearest of those that can be cut.
    """

    records: int
    columns: int


NOWHERE = Look(0, 0)
"""Every region is cut at the median of its dearest column."""


def usual_look(cells: Cells, judge: Judge) -> Look:
    """Small regions, or all if more is asked than k: then few cuts are admissible, and each has to gain much."""
    if not judge.is_size_alone:
        return everywhere(cells)
    if is_large(cells):
        return Look(_NEAR_IN_LARGE * judge.k, _LEAST)
    near = _NEAR_NODES if cells.is_by_nodes else _NEAR
    return Look(near * judge.k, _compared_columns(cells))


def everywhere(cells: Cells) -> Look:
    """Regions of any size."""
    return Look(cells.table.total, _compared_columns(cells))


def is_large(cells: Cells) -> bool:
    """Whether comparing cuts would take much longer than making them."""
    return cells.codes.size > _LARGE


def _compared_columns(cells: Cells) -> int:
    """In how many columns cuts are compared, so that it takes no more time than cutting does."""
    return max(_LEAST, _COMPARED // len(cells.leaves))
