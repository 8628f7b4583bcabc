"""Whether the distinct records of a table that is elsewhere will fit here: asked before they come."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence

from shoal.engines.base import Engine
from shoal.engines.lazy.engine import LazyEngine
from shoal.errors import LargeTableWarning

BYTES = 150
"""Memory for a distinct record of ten columns while it is counted, as `benchmarks/bench_engines.py` measures it."""
_COLUMNS = 10


def warn_of_many(engine: Engine, names: Sequence[str]) -> None:
    """Warn if about so many distinct records will come here as there may be no memory for.

    Only for methods without a budget: how many there are is decided by the records.
    """
    free = _free_memory()
    if not isinstance(engine, LazyEngine) or not engine.is_typed or free is None:
        return
    each = BYTES * max(len(names), 1) // _COLUMNS
    about = engine.about(names, more_than=free // max(each, 1))
    if about is not None and (needed := about * each) > free:
        warnings.warn(
            f"{engine.where} has about {about:,} distinct records, which may take {needed / 2**30:.1f} GB here where "
            f"{free / 2**30:.1f} GB are free; leave out columns, or round them where the table is (a query or a view: "
            "years instead of days, for instance), so that fewer records are different.",
            LargeTableWarning,
            stacklevel=5,
        )


def _free_memory() -> int | None:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
