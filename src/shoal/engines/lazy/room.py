"""Whether the distinct records of a table that is elsewhere will fit here: asked before they come."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from shoal.data.attribute import Attribute
from shoal.engines.base import Engine
from shoal.engines.codes.coding import Coder
from shoal.engines.lazy.engine import LazyEngine
from shoal.errors import InfeasibleError, LargeTableWarning

BYTES = 150
"""Memory for a distinct record of ten columns while it is counted, as `benchmarks/bench_engines.py` measures it."""
_COLUMNS = 10


def require_room(
    engine: Engine,
    names: Sequence[str],
    describe: Callable[[], Sequence[Attribute]],
    method: str,
    *,
    has_floor: bool,
) -> None:
    """Refuse more distinct records than this machine can ever hold, and warn of more than it has room for now.

    Only for methods without a budget: how many there are is decided by the records.

    Args:
        engine: Hands them over.
        names: The columns that are counted.
        describe: Gives those of them whose values are declared; asked where the table is elsewhere.
        method: What needs them, for messages.
        has_floor: Whether it takes a `floor`, a level below which it looks at nothing: then one that fits is named.
    """
    free, most = _memory("SC_AVPHYS_PAGES"), _memory("SC_PHYS_PAGES")
    if not isinstance(engine, LazyEngine) or not engine.is_typed or free is None or most is None:
        return
    each, declared = max(BYTES * len(names) // _COLUMNS, 1), describe()
    about = engine.about(names, free // each, _coders(engine, declared))
    if about is None or (needed := about * each) <= free:
        return
    found = f"{engine.where} has about {about:,} distinct records, which may take {needed / 2**30:.1f} GB here where"
    if needed > most:
        floor = _floor_that_fits(engine, names, declared, most // each) if has_floor else None
        way = "take optimal-lattice or ola with a floor, a level of hierarchies that records are counted at"
        if floor is not None:
            levels = ", ".join(f"{name} = {level}" for name, level in floor.items())
            way = f"give it floor = {{ {levels} }}, so that records are counted at these levels of the hierarchies"
        elif has_floor:
            way = "give it a higher floor"
        raise InfeasibleError(
            f"{found} the machine has {most / 2**30:.1f} GB, and {method} needs them all at once; {way}, leave out "
            "columns, or round them where the table is (a query or a view)."
        )
    warnings.warn(
        f"{found} {free / 2**30:.1f} GB are free; leave out columns, or round them where the table is (a query or a "
        "view: years instead of days, for instance), so that fewer records are different.",
        LargeTableWarning,
        stacklevel=5,
    )


def _coders(engine: LazyEngine, attributes: Sequence[Attribute]) -> list[Coder]:
    return [Coder(a.name, a.domain, engine.missing, floor=a.counted_leaves) for a in attributes]


def _floor_that_fits(
    engine: LazyEngine, names: Sequence[str], declared: Sequence[Attribute], room: int
) -> Mapping[str, int] | None:
    """The first of ever higher floors at which so few records are different; found in a few questions, by halving.

    From one floor to the next the column that still has most values goes up by a level: what is declared says which.
    """
    floors = [tuple(declared)]
    while any(a.floor < a.hierarchy.height for a in floors[-1]):
        free = [a for a in floors[-1] if a.floor < a.hierarchy.height]
        widest = max(free, key=lambda a: a.hierarchy.levels[a.floor].size)
        floors.append(tuple(replace(a, floor=a.floor + 1) if a is widest else a for a in floors[-1]))
    low, high = 1, len(floors)
    while low < high:
        middle = (low + high) // 2
        about = engine.about(names, coders=_coders(engine, floors[middle]))
        low, high = (low, middle) if about is not None and about <= room else (middle + 1, high)
    return {a.name: a.floor for a in floors[low] if a.floor} if low < len(floors) else None


def _memory(pages: str) -> int | None:
    try:
        return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
