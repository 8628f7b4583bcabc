"""Many columns in one table of a release file: `[columns."q_*"]`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from shoal.data.name_patterns import WILD, fits, is_pattern
from shoal.errors import PlanError, nearest


def spread(columns: Mapping[str, Any], names: Callable[[], Sequence[str]], where: str) -> dict[str, tuple[str, Any]]:
    """For each column the key of its table and the table itself; names count before patterns, patterns in their order.

    `names` are those of the data, asked for only if a pattern is there; columns come in their order then. While there
    are no data, what looks like a pattern is a name.
    """
    if WILD.isdisjoint("".join(columns)):
        return {name: (name, table) for name, table in columns.items()}
    known = names()
    patterns = [key for key in columns if known and is_pattern(key) and key not in known]
    for pattern in patterns:
        if not any(fits(pattern, name) for name in known):
            raise PlanError(
                f'{where}: [columns."{pattern}"] stands for no column of the data; * means any characters and ? one.'
                f"{nearest(pattern.strip('*?'), known)}"
            )
    found = {name: (name, columns[name]) for name in columns if name not in patterns}
    every = {name: found.get(name) or _first(name, patterns, columns) for name in known}
    stands = {name: said for name, said in every.items() if said is not None}
    return {**stands, **{name: said for name, said in found.items() if name not in stands}}


def _first(name: str, patterns: Collection[str], columns: Mapping[str, Any]) -> tuple[str, Any] | None:
    return next(((pattern, columns[pattern]) for pattern in patterns if fits(pattern, name)), None)
